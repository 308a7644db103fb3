// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/lower/block_lowering.h"

#include <algorithm>

#include "fusion/fault.h"
#include "fusion/lower/elementwise.h"
#include "fusion/lower/random.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

bool IsReduction(const FormOp& op) { return ir::HasTrait(op.op, ir::kReducing); }
bool IsRowwise(const FormOp& op) { return ir::HasTrait(op.op, ir::kRowwise); }

int LoopRank(const Cluster& cluster) {
  const bool whole = cluster.kind == ClusterKind::kRow && cluster.axis == kWholeAxis;
  return whole ? 1 : cluster.full.rank;
}

}  // namespace

BlockLowering::BlockLowering(Graph& graph, Cluster& cluster, Plan& plan, BlockRecipe& recipe)
    : graph_(graph),
      cluster_(cluster),
      recipe_(recipe),
      list_(graph, plan, recipe),
      builder_(LoopRank(cluster), cluster.kind == ClusterKind::kRow) {
  recipe_.loop = LoopShape(cluster, kFullContext);
  recipe_.has_row = cluster.kind == ClusterKind::kRow;
  recipe_.whole_row = recipe_.has_row && cluster.axis == kWholeAxis;
}

AccessList::Mode BlockLowering::ModeOf(int32_t context) const {
  const bool per_row = recipe_.has_row && Graph::RootOf(cluster_, context) == kRowContext;
  return {per_row, recipe_.has_row && !per_row && !recipe_.whole_row};
}

void BlockLowering::Read(uint32_t v) {
  if (std::ranges::find(inputs_, v) == inputs_.end()) inputs_.push_back(v);
}

// Hands accesses to the builder in the order in which the list made them.
Val BlockLowering::Emit(int access) {
  for (; built_accesses_ < list_.accesses().size(); ++built_accesses_) {
    const Access& made = list_.accesses()[built_accesses_];
    while (builder_.slot_count() < static_cast<int>(recipe_.slots.size())) builder_.AddSlot();
    switch (made.map) {
      case MapKind::kPieces:
        builder_.AddPieces(made.pieces, made.per_row);
        break;
      case MapKind::kIndirect:
        builder_.AddIndirect(made.slot, made.storage, made.index, made.source, made.per_row);
        break;
      case MapKind::kStrided:
      case MapKind::kTable:
        builder_.AddStrided(made.slot, made.storage, made.per_row);
        break;
    }
  }
  return access < 0 ? Val{} : builder_.Load(access);
}

void BlockLowering::Remember(uint32_t v, int32_t context, Val val, bool loaded) {
  known_.push_back({v, context, val, loaded ? phase_ : -1});
}

std::function<Val(int, Reg)> BlockLowering::ScalarsOf(const FormOp& op) {
  return [this, &op](int i, Reg reg) {
    ParameterRecipe parameter;
    parameter.reg = reg;
    parameter.scalar = op.first_scalar + static_cast<uint32_t>(i);
    recipe_.parameters.push_back(parameter);
    return builder_.Parameter(reg);
  };
}

int32_t BlockLowering::Below(const FormOp& op, int32_t context) {
  std::vector<PathStep> steps;
  AppendMovementSteps(graph_.segment(), op, steps);
  for (const PathStep& step : steps) context = graph_.ContextBelow(cluster_, context, step);
  return context;
}

// ---------------------------------------------------------------------------------- values

Val BlockLowering::ValueAt(uint32_t v, int32_t context) {
  for (const Known& known : known_) {
    if (known.value != v || known.context != context) continue;
    if (known.load_phase < 0 || known.load_phase == phase_) return known.val;
  }
  if (context != kRowContext && Graph::SeesRow(cluster_, context) &&
      graph_.FindRowMember(cluster_, v) != nullptr) {
    return ValueAt(v, kRowContext);
  }
  if (graph_.FindMember(cluster_, v, context) != nullptr) {
    const Val val = Compute(static_cast<uint32_t>(graph_.value(v).producer), context);
    Remember(v, context, val, false);
    return val;
  }
  Val val;
  bool loaded = true;
  if (Graph::IsThrough(cluster_, v, context)) {
    const auto o = static_cast<uint32_t>(graph_.value(v).producer);
    const FormOp& op = graph_.op(o);
    if (IsConstant(op)) {
      val = Compute(o, context);
    } else if (ir::IsView(op.op)) {
      val = ValueAt(graph_.segment().OperandsOf(op)[0], Below(op, context));
      loaded = false;
      return val;
    } else {
      val = LoadMovement(op, context);
    }
  } else {
    val = LoadAt(v, context);
  }
  Remember(v, context, val, loaded);
  return val;
}

Val BlockLowering::LoadAt(uint32_t v, int32_t context) {
  Read(v);
  return Emit(list_.Strided(v, graph_.PathOf(cluster_, context), ModeOf(context)));
}

// Steps through the views between the operand of a lookup and what is in memory.
std::vector<PathStep> BlockLowering::FollowViews(uint32_t& v, int32_t context) {
  std::vector<PathStep> steps;
  while (Graph::IsThrough(cluster_, v, context)) {
    const FormOp& op = graph_.op(static_cast<uint32_t>(graph_.value(v).producer));
    FAULTLINE_CHECK(ir::IsView(op.op), "a lookup through something that is no view");
    AppendMovementSteps(graph_.segment(), op, steps);
    context = Below(op, context);
    v = graph_.segment().OperandsOf(op)[0];
  }
  return steps;
}

Val BlockLowering::LoadMovement(const FormOp& op, int32_t context) {
  const auto operands = graph_.segment().OperandsOf(op);
  std::vector<uint32_t> values(operands.begin(), operands.end());
  std::vector<PathStep> below;
  if (ir::HasTrait(op.op, ir::kIndexing)) {
    below = FollowViews(values[0], Below(op, context));
    if (FAULT(gather_forgets_view)) below.clear();
    lookups_.push_back(static_cast<uint32_t>(graph_.value(op.result).producer));
  }
  for (uint32_t v : values) Read(v);
  return Emit(list_.Movement(op, values, graph_.PathOf(cluster_, context), below, ModeOf(context)));
}

ir::SmallVector<Val, 4> BlockLowering::Operands(const FormOp& op, int32_t context,
                                                const SymbolicShape& to) {
  ir::SmallVector<Val, 4> vals;
  for (uint32_t v : graph_.segment().OperandsOf(op)) {
    vals.push_back(ValueAt(v, graph_.OperandContext(cluster_, context, to, graph_.value(v).shape)));
  }
  return vals;
}

Val BlockLowering::Compute(uint32_t o, int32_t context) {
  const FormOp& op = graph_.op(o);
  const auto operands = graph_.segment().OperandsOf(op);
  builder_.SetSource(static_cast<int32_t>(o));
  if (!operands.empty() && IsMovement(op, graph_.value(operands[0]))) {
    // The founding op of a movement cluster: its operand, at its own step.
    if (!ir::IsView(op.op)) return LoadMovement(op, context);
    return ValueAt(operands[0], Below(op, context));
  }
  const FormValue& result = graph_.value(op.result);
  if (IsPositional(op)) {
    FAULTLINE_CHECK(context == kFullContext, "a position at another index than its own");
    const Val position = Position(op);
    if (op.op != ir::Opcode::kIota) return DrawRandom(op, position);
    return builder_.ToDtype(builder_.Convert(position, RegOf(result.dtype())), result.dtype());
  }
  const auto vals = Operands(op, context, result.shape);
  builder_.SetSource(static_cast<int32_t>(o));
  const ir::Dtype from = operands.empty() ? result.dtype() : graph_.value(operands[0]).dtype();
  const auto scalars = ScalarsOf(op);
  const OpLowering in{builder_, op.op, vals, from, result.dtype(), scalars};
  return ir::HasTrait(op.op, ir::kScanning) ? LowerScan(in) : LowerElementwise(in);
}

// The product of the extents.
Val BlockLowering::Count(const SymbolicShape& shape, Reg reg) {
  ParameterRecipe parameter;
  parameter.kind = ParameterRecipe::Kind::kCount;
  parameter.reg = reg;
  parameter.counted = shape;
  recipe_.parameters.push_back(parameter);
  return builder_.Parameter(reg);
}

Val BlockLowering::DrawRandom(const FormOp& op, Val position) {
  const auto bits = [&](ir::AttributeKey key) {
    return static_cast<uint64_t>(op.attributes.Int(key));
  };
  const auto scalars = ScalarsOf(op);
  return LowerRandom({builder_, op.op, graph_.value(op.result).dtype(), position,
                      bits(ir::AttributeKey::kSeed), bits(ir::AttributeKey::kOffset), scalars});
}

// Where an element of the cluster's full shape is: along the op's dim, or in row-major order. The
// loop has the reduced axis last; a whole row is one axis in row-major order.
Val BlockLowering::Position(const FormOp& op) {
  const SymbolicShape& full = cluster_.full;
  const auto behind = [&](int axis) {
    SymbolicShape shape;
    for (int i = axis + 1; i < full.rank; ++i) shape[shape.rank++] = full[i];
    return Count(shape, Reg::kI64);
  };
  const bool row = cluster_.kind == ClusterKind::kRow;
  if (row && cluster_.axis == kWholeAxis) {
    const Val linear = builder_.Coordinate(0);
    if (!op.attributes.has_dim()) return linear;
    const auto dim = static_cast<int>(op.attributes.dim());
    SymbolicShape extent;
    extent[extent.rank++] = full[dim];
    return builder_.Binary(Op::kRem, builder_.Binary(Op::kDiv, linear, behind(dim)),
                           Count(extent, Reg::kI64));
  }
  const auto along = [&](int axis) {
    int loop = axis;
    if (row) loop = axis == cluster_.axis ? full.rank - 1 : axis - (axis > cluster_.axis ? 1 : 0);
    return builder_.Coordinate(loop);
  };
  if (op.attributes.has_dim()) return along(static_cast<int>(op.attributes.dim()));
  Val position = builder_.Number(Reg::kI64, 0);
  for (int axis = 0; axis < full.rank; ++axis) {
    const Val before = builder_.Binary(Op::kMul, along(axis), behind(axis));
    position = builder_.Binary(Op::kAdd, position, before);
  }
  return position;
}

void BlockLowering::Store(uint32_t v, int32_t context, Val val) {
  if (!graph_.stored(v)) return;
  outputs_.push_back(v);
  const int access = list_.Strided(v, graph_.PathOf(cluster_, context), ModeOf(context));
  Emit(-1);
  builder_.Store(access, val);
}

// ---------------------------------------------------------------------------------- stages

bool IsRowValue(const Member& member) { return member.context == kRowContext; }

// The element phase in which a member's result is known.
int BlockLowering::LastStage(size_t m) const {
  const FormOp& op = graph_.op(cluster_.members[m].op);
  return stages_[m] + (IsRowwise(op) ? 2 : 0);
}

int BlockLowering::StageOfOperands(const Member& member) const {
  const FormOp& op = graph_.op(member.op);
  int stage = 0;
  for (uint32_t v : graph_.segment().OperandsOf(op)) {
    // A row value may be seen through the view that broadcasts it.
    int32_t producer = graph_.value(v).producer;
    while (producer != kEntering && ir::IsView(graph_.op(static_cast<uint32_t>(producer)).op)) {
      const FormOp& view = graph_.op(static_cast<uint32_t>(producer));
      producer = graph_.value(graph_.segment().OperandsOf(view)[0]).producer;
    }
    for (size_t i = 0; i < cluster_.members.size() && producer != kEntering; ++i) {
      const Member& other = cluster_.members[i];
      if (other.op != static_cast<uint32_t>(producer) || other.context > kRowContext) continue;
      // An element phase sees what its row gave in the phases before; a row phase what was folded
      // in the element phase just before it.
      const bool element = !IsRowValue(member) || IsReduction(op);
      stage = std::max(stage, LastStage(i) + (element && IsRowValue(other) ? 1 : 0));
    }
  }
  return stage;
}

void BlockLowering::FindStages() {
  stages_.assign(cluster_.members.size(), 0);
  for (size_t i = 0; i < cluster_.members.size(); ++i) {
    if (cluster_.members[i].context <= kRowContext) {
      stages_[i] = StageOfOperands(cluster_.members[i]);
    }
  }
}

void BlockLowering::LowerSoftmaxPart(size_t m, int part) {
  const Member& member = cluster_.members[m];
  const FormOp& op = graph_.op(member.op);
  const FormValue& result = graph_.value(op.result);
  const uint32_t x = graph_.segment().OperandsOf(op)[0];
  builder_.SetSource(static_cast<int32_t>(member.op));
  if (part == 0) {
    folded_[m] = builder_.Reduce(Op::kReduceMax, ValueAt(x, kFullContext));
  } else if (part == 1) {
    const Val moved = FAULT(softmax_without_maximum)
                          ? ValueAt(x, kFullContext)
                          : builder_.Binary(Op::kSub, ValueAt(x, kFullContext), *folded_[m]);
    softmax_[m] = builder_.Unary(Op::kExp, moved);
    folded_[m] = builder_.Reduce(Op::kReduceSum, softmax_[m]);
  } else {
    Val y = builder_.Binary(Op::kDiv, softmax_[m], *folded_[m]);
    y = builder_.ToDtype(y, result.dtype());
    Remember(op.result, kFullContext, y, false);
    Store(op.result, kFullContext, y);
  }
}

void BlockLowering::LowerElementStage(int stage) {
  builder_.BeginElementPhase();
  ++phase_;
  for (size_t i = 0; i < cluster_.members.size(); ++i) {
    const Member member = cluster_.members[i];
    const FormOp& op = graph_.op(member.op);
    if (member.context > kRowContext) continue;
    if (IsRowwise(op)) {
      if (stage >= stages_[i] && stage <= LastStage(i)) LowerSoftmaxPart(i, stage - stages_[i]);
      continue;
    }
    if (stages_[i] != stage) continue;
    if (IsReduction(op)) {
      const uint32_t x = graph_.segment().OperandsOf(op)[0];
      const Val vals[] = {ValueAt(x, kFullContext)};
      builder_.SetSource(static_cast<int32_t>(member.op));
      const auto scalars = ScalarsOf(op);
      folded_[i] = LowerFold({builder_, op.op, vals, graph_.value(x).dtype(),
                              graph_.value(op.result).dtype(), scalars});
    } else if (!IsRowValue(member)) {
      Store(op.result, kFullContext, ValueAt(op.result, kFullContext));
    }
  }
}

void BlockLowering::LowerRowStage(int stage) {
  bool begun = false;
  for (size_t i = 0; i < cluster_.members.size(); ++i) {
    const Member member = cluster_.members[i];
    if (!IsRowValue(member) || stages_[i] != stage) continue;
    if (!begun) {
      builder_.BeginRowPhase();
      ++phase_;
      begun = true;
    }
    const FormOp& op = graph_.op(member.op);
    builder_.SetSource(static_cast<int32_t>(member.op));
    Val val;
    if (IsReduction(op)) {
      const uint32_t x = graph_.segment().OperandsOf(op)[0];
      const auto scalars = ScalarsOf(op);
      SymbolicShape counted = cluster_.full;
      if (!recipe_.whole_row) {
        counted.rank = 1;
        counted[0] = cluster_.full[cluster_.axis];
      }
      const auto count = [&](Reg reg) { return Count(counted, reg); };
      val = LowerFolded(
          {builder_, op.op, {}, graph_.value(x).dtype(), graph_.value(op.result).dtype(), scalars},
          *folded_[i], count);
      Remember(op.result, kRowContext, val, false);
    } else {
      val = ValueAt(op.result, kRowContext);
    }
    Store(op.result, kRowContext, val);
  }
}

Block BlockLowering::LowerCluster() {
  FindStages();
  if (recipe_.has_row) {
    folded_.resize(cluster_.members.size());
    softmax_.resize(cluster_.members.size());
  }
  int last = 0;
  for (size_t i = 0; i < cluster_.members.size(); ++i) last = std::max(last, LastStage(i));
  for (int stage = 0; stage <= last; ++stage) {
    LowerElementStage(stage);
    LowerRowStage(stage);
  }
  return builder_.Finish();
}

Block BlockLowering::LowerEpilogue(uint32_t product, ir::Dtype accumulator) {
  const FormOp& op = graph_.op(product);
  builder_.BeginElementPhase();
  // Slot and access 0 are the target's to bind.
  recipe_.slots.push_back(kNoPlanValue);
  recipe_.accesses.emplace_back();
  const int access = list_.Reserve(accumulator);
  const Val raw = Emit(access);
  const Val rounded =
      FAULT(epilogue_skips_rounding) ? raw : builder_.ToDtype(raw, graph_.value(op.result).dtype());
  Remember(op.result, kFullContext, rounded, false);
  Store(op.result, kFullContext, rounded);
  for (const Member& member : ir::SmallVector(cluster_.members)) {
    if (member.op == product || member.context > kRowContext) continue;
    const uint32_t result = graph_.op(member.op).result;
    Store(result, kFullContext, ValueAt(result, kFullContext));
  }
  return builder_.Finish();
}

Block BlockLowering::LowerPrologue(uint32_t value, ir::Dtype storage) {
  builder_.BeginElementPhase();
  recipe_.slots.push_back(kNoPlanValue);
  recipe_.accesses.emplace_back();
  const int access = list_.Reserve(storage);
  Emit(-1);
  builder_.Store(access, ValueAt(value, kFullContext));
  return builder_.Finish();
}

Block BlockLowering::LowerInto(uint32_t value, uint32_t to, std::span<const PathStep> path) {
  builder_.BeginElementPhase();
  const Val val = ValueAt(value, kFullContext);
  const int access = list_.Strided(to, path, {});
  Emit(-1);
  builder_.Store(access, val);
  return builder_.Finish();
}

Block BlockLowering::LowerDecode(Plan& plan, const Graph& graph, uint32_t from, uint32_t to,
                                 BlockRecipe& recipe) {
  recipe.loop = plan.values[from].shape;
  AccessList list(graph, plan, recipe);
  list.Strided(from, {}, {});
  list.Strided(to, {}, {});
  BlockBuilder builder(recipe.loop.rank);
  builder.AddSlot();
  builder.AddSlot();
  builder.AddStrided(0, plan.values[from].element);
  builder.AddStrided(1, plan.values[to].element);
  builder.BeginElementPhase();
  builder.Store(1, builder.Load(0));
  return builder.Finish();
}

}  // namespace faultline::fusion
