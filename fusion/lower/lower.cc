// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/lower/lower.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fusion/fault.h"
#include "fusion/lower/block_lowering.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

class ClusterLowering {
 public:
  ClusterLowering(Graph& graph, uint32_t cluster, Target& target, Plan& plan)
      : graph_(graph), cluster_(graph.cluster(cluster)), target_(target), plan_(plan) {}

  ir::Status Run() {
    switch (cluster_.kind) {
      case ClusterKind::kElement:
        if (IsCopy()) return LowerMovement(Anchor(), Operands(), Result());
        return LowerBlock();
      case ClusterKind::kRow:
        return LowerBlock();
      case ClusterKind::kMatmul:
        return LowerMatmul();
      case ClusterKind::kQMatmul:
        return LowerQMatmul();
      case ClusterKind::kSort:
        return LowerSort();
      case ClusterKind::kScatter:
        return LowerScatter();
      case ClusterKind::kGatherParts:
        return LowerGatherParts();
      case ClusterKind::kSliceAssign:
        return LowerSliceAssign();
      case ClusterKind::kQuantize:
        return LowerQuantize(Tensor(0), Result(), Anchor().op == ir::Opcode::kQuantizeWith);
      case ClusterKind::kMoveCodes:
        return LowerMovement(Anchor(), Operands(), Result());
      case ClusterKind::kRequantize:
        return LowerRequantize();
    }
    return {};
  }

 private:
  const FormOp& Anchor() const { return graph_.op(cluster_.anchor); }
  uint32_t Result() const { return Anchor().result; }
  std::span<const uint32_t> Operands() const { return graph_.segment().OperandsOf(Anchor()); }
  const FormValue& ValueOf(uint32_t v) const { return graph_.value(v); }

  // A movement op and nothing that computes.
  bool IsCopy() const {
    if (cluster_.members.size() != 1 || Operands().empty()) return false;
    if (!IsMovement(Anchor(), ValueOf(Operands()[0]))) return false;
    return std::ranges::all_of(cluster_.through, [&](const Through& through) {
      const auto o = static_cast<uint32_t>(ValueOf(through.value).producer);
      return !IsConstant(graph_.op(o));
    });
  }

  PlanStep NewStep(LaunchKind kind) {
    PlanStep step;
    step.kind = kind;
    step.rules = cluster_.rules;
    AddOps(cluster_, step);
    return step;
  }

  // Members and what is looked through, in program order.
  void AddOps(const Cluster& cluster, PlanStep& step) {
    step.ops.reserve(step.ops.size() + cluster.members.size() + cluster.through.size());
    for (const Member& member : cluster.members) step.ops.push_back(member.op);
    for (const Through& through : cluster.through) {
      step.ops.push_back(static_cast<uint32_t>(ValueOf(through.value).producer));
    }
    for (const TensorOperand& tensor : cluster.tensors) {
      step.ops.insert(step.ops.end(), tensor.views.begin(), tensor.views.end());
    }
    std::ranges::sort(step.ops);
    step.ops.erase(std::ranges::unique(step.ops).begin(), step.ops.end());
  }

  Cluster& Embedded(size_t slot) {
    return graph_.cluster(static_cast<uint32_t>(cluster_.tensors[slot].prologue));
  }

  ir::Status Finish(PlanStep step, const Launch& launch) {
    auto kernel = target_.Compile(launch);
    if (!kernel.has_value()) return kernel.error();
    step.kernel = std::move(*kernel);
    plan_.steps.push_back(std::move(step));
    return {};
  }

  PathRef Keep(std::span<const PathStep> path) {
    const PathRef ref{static_cast<uint32_t>(plan_.path_steps.size()),
                      static_cast<uint32_t>(path.size())};
    plan_.path_steps.insert(plan_.path_steps.end(), path.begin(), path.end());
    return ref;
  }

  TensorRecipe Tensor(size_t slot, std::span<const PathStep> above = {}) {
    const TensorOperand& operand = cluster_.tensors[slot];
    std::vector<PathStep> path(above.begin(), above.end());
    path.insert(path.end(), operand.path.begin(), operand.path.end());
    return {operand.value, Keep(path)};
  }

  void AddCheck(PlanStep& step, uint32_t o) {
    const FormOp& op = graph_.op(o);
    const auto operands = graph_.segment().OperandsOf(op);
    IndexCheck check;
    check.op = o;
    check.index.value = operands[1];
    check.shape = ValueOf(operands[1]).shape;
    const SymbolicShape& shape = ValueOf(operands[0]).shape;
    if (op.attributes.has_dim()) {
      check.bounds = {shape[static_cast<int>(op.attributes.dim())]};
    } else {
      check.bounds.assign(shape.span().begin(), shape.span().begin() + TupleOf(op));
    }
    step.checks.push_back(check);
  }

  // ------------------------------------------------------------------------------ blocks

  ir::Status LowerBlock() {
    PlanStep step = NewStep(LaunchKind::kBlock);
    BlockLowering lowering(graph_, cluster_, plan_, step.block);
    auto block = std::make_shared<Block>(lowering.LowerCluster());
    for (uint32_t o : lowering.lookups()) AddCheck(step, o);
    step.inputs = lowering.TakeInputs();
    step.outputs = lowering.TakeOutputs();
    step.code = block;
    return Finish(std::move(step), BlockLaunch{std::move(block)});
  }

  // Moves bits (or codes with their scales) from `operands` to `to`.
  ir::Status LowerMovement(const FormOp& op, std::span<const uint32_t> operands, uint32_t to) {
    const ir::ElementType& element = plan_.values[to].element;
    PlanStep step = NewStep(element.quantized() ? LaunchKind::kMoveCodes : LaunchKind::kCopy);
    AccessList list(graph_, plan_, step.block);
    std::vector<uint32_t> values(operands.begin(), operands.end());
    std::vector<PathStep> below;
    // Views below the founding op that the search looked through.
    int32_t context = kFullContext;
    std::vector<PathStep> first;
    AppendMovementSteps(graph_.segment(), op, first);
    for (const PathStep& s : first) context = graph_.ContextBelow(cluster_, context, s);
    std::vector<PathStep> above;
    const FormOp* read = &op;
    while (!ir::HasTrait(read->op, ir::kJoin) && Graph::IsThrough(cluster_, values[0], context)) {
      const FormOp& next = graph_.op(static_cast<uint32_t>(ValueOf(values[0]).producer));
      std::vector<PathStep> steps;
      AppendMovementSteps(graph_.segment(), next, steps);
      const auto inner = graph_.segment().OperandsOf(next);
      if (ir::IsView(next.op)) {
        below.insert(below.end(), steps.begin(), steps.end());
        values[0] = inner[0];
      } else {
        // A join or lookup under views: it is what is read, the views lie above it.
        AppendMovementSteps(graph_.segment(), *read, above);
        above.insert(above.end(), below.begin(), below.end());
        below.clear();
        read = &next;
        values.assign(inner.begin(), inner.end());
      }
      for (const PathStep& s : steps) context = graph_.ContextBelow(cluster_, context, s);
    }
    const int access = list.Movement(*read, values, above, below, {});
    if (ir::HasTrait(read->op, ir::kIndexing)) {
      AddCheck(step, static_cast<uint32_t>(ValueOf(read->result).producer));
    }
    step.inputs = values;
    step.outputs = {to};
    step.to.value = to;
    step.space = plan_.values[to].shape;
    std::vector<Access> accesses = list.accesses();
    MoveToFront(access, accesses, step.block.accesses);
    if (element.quantized()) {
      return Finish(std::move(step), MoveCodesLaunch{std::move(accesses), element.scheme});
    }
    return Finish(std::move(step), CopyLaunch{ir::ByteSize(element.dtype), std::move(accesses)});
  }

  // The whole of a stored value to `to`, whose elements are reached by `into` from the walk.
  ir::Status LowerCopy(const TensorRecipe& from, uint32_t to, std::span<const PathStep> into,
                       const SymbolicShape& space, bool makes) {
    PlanStep step = NewStep(LaunchKind::kCopy);
    const ir::ElementType& element = plan_.values[from.value].element;
    Access access;
    access.storage = element;
    AccessRecipe recipe;
    recipe.value = from.value;
    recipe.path = from.path;
    step.block.slots.push_back(from.value);
    step.block.accesses.push_back(std::move(recipe));
    step.inputs = {from.value};
    if (makes) {
      step.outputs = {to};
    } else {
      step.inputs.push_back(to);
    }
    step.to = {to, Keep(into)};
    step.space = space;
    return Finish(std::move(step), CopyLaunch{ir::ByteSize(element.dtype), {access}});
  }

  // ------------------------------------------------------------------------------ matmul

  static Reg Accumulator(ir::Dtype dtype) { return RegOf(dtype); }
  static ir::Dtype DtypeOf(Reg reg) {
    switch (reg) {
      case Reg::kF32:
        return ir::Dtype::kF32;
      case Reg::kF64:
        return ir::Dtype::kF64;
      case Reg::kI32:
        return ir::Dtype::kI32;
      case Reg::kU32:
        return ir::Dtype::kU32;
      case Reg::kI64:
        return ir::Dtype::kI64;
      case Reg::kU64:
        return ir::Dtype::kU64;
      case Reg::kMask:
        break;
    }
    return ir::Dtype::kBool;
  }

  // An operand with its batch axes broadcast to those of the result.
  TensorRecipe MatmulOperand(size_t slot) {
    const SymbolicShape& result = ValueOf(Result()).shape;
    const SymbolicShape& operand = ValueOf(Operands()[slot]).shape;
    SymbolicShape full = result;
    full[full.rank - 2] = operand[operand.rank - 2];
    full[full.rank - 1] = operand[operand.rank - 1];
    if (full == operand) return Tensor(slot);
    const PathStep expand = ExpandStep(full, operand);
    return Tensor(slot, {&expand, 1});
  }

  ir::Status LowerMatmul() {
    PlanStep step = NewStep(LaunchKind::kMatmul);
    MatmulLaunch launch;
    launch.left = ValueOf(Operands()[0]).dtype();
    launch.right = ValueOf(Operands()[1]).dtype();
    launch.result = ValueOf(Result()).dtype();
    launch.accumulator = Accumulator(launch.result);
    step.tensors = {MatmulOperand(0), MatmulOperand(1)};
    step.prologues.resize(2);
    for (size_t slot = 0; slot < 2; ++slot) {
      const TensorOperand& operand = cluster_.tensors[slot];
      if (operand.prologue < 0) {
        step.inputs.push_back(operand.value);
        continue;
      }
      Cluster& guest = Embedded(slot);
      AddOps(guest, step);
      BlockLowering lowering(graph_, guest, plan_, step.prologues[slot]);
      auto block = std::make_shared<Block>(
          lowering.LowerPrologue(operand.value, DtypeOf(launch.accumulator)));
      (slot == 0 ? launch.left_prologue : launch.right_prologue) = std::move(block);
      for (uint32_t v : lowering.inputs()) step.inputs.push_back(v);
      for (uint32_t o : lowering.lookups()) AddCheck(step, o);
    }
    step.space = ValueOf(Result()).shape;
    step.operand = ValueOf(Operands()[0]).shape;
    step.to.value = Result();
    if (cluster_.members.size() > 1) {
      step.has_epilogue = true;
      BlockLowering lowering(graph_, cluster_, plan_, step.block);
      launch.epilogue = std::make_shared<Block>(
          lowering.LowerEpilogue(cluster_.anchor, DtypeOf(launch.accumulator)));
      step.outputs = lowering.TakeOutputs();
      for (uint32_t v : lowering.inputs()) step.inputs.push_back(v);
      for (uint32_t o : lowering.lookups()) AddCheck(step, o);
    } else {
      step.outputs = {Result()};
    }
    return Finish(std::move(step), launch);
  }

  // ------------------------------------------------------------------------------ the rest

  // The sorted axis last.
  static PathStep SortedLast(const SymbolicShape& shape, int dim) {
    PathStep permute = ExpandStep(shape, shape);
    permute.kind = StepKind::kPermute;
    int at = 0;
    for (int i = 0; i < shape.rank; ++i) {
      if (i == dim) continue;
      permute.shape[at] = shape[i];
      permute.axes[static_cast<size_t>(at++)] = static_cast<uint8_t>(i);
    }
    permute.shape[at] = shape[dim];
    permute.axes[static_cast<size_t>(at)] = static_cast<uint8_t>(dim);
    return permute;
  }

  // Values, positions, or both, where one launch makes the results of one op.
  ir::Status LowerSort() {
    PlanStep step = NewStep(LaunchKind::kSort);
    const auto dim = static_cast<int>(Anchor().attributes.dim());
    const PathStep from = SortedLast(ValueOf(Operands()[0]).shape, dim);
    const PathStep to = SortedLast(ValueOf(Result()).shape, dim);
    step.tensors = {Tensor(0, {&from, 1})};
    step.operand = from.shape;
    step.space = to.shape;
    step.inputs = {step.tensors[0].value};
    const ir::OpInfo& info = ir::InfoOf(Anchor().op);
    SortLaunch launch;
    launch.dtype = ValueOf(Operands()[0]).dtype();
    launch.descending = info.Takes(ir::AttributeKey::kK) ||
                        Anchor().attributes.Int(ir::AttributeKey::kDescending) != 0;
    launch.values = false;
    for (const Member& member : cluster_.members) {
      const FormOp& op = graph_.op(member.op);
      step.outputs.push_back(op.result);
      if (ir::InfoOf(op.op).dtype_rule == ir::DtypeRule::kIndex) {
        launch.positions = true;
        launch.position = ValueOf(op.result).dtype();
        step.positions = {op.result, Keep({&to, 1})};
      } else {
        launch.values = true;
        step.to = {op.result, Keep({&to, 1})};
      }
    }
    return Finish(std::move(step), launch);
  }

  // Axes of operand 0 that a tuple of a lookup without a dim names.
  int TupleOf(const FormOp& op) const {
    const auto operands = graph_.segment().OperandsOf(op);
    const int parts = ir::HasTrait(op.op, ir::kScattering) ? ValueOf(operands[2]).shape.rank
                                                           : ValueOf(op.result).shape.rank;
    return ValueOf(operands[0]).shape.rank + ValueOf(operands[1]).shape.rank - 1 - parts;
  }

  // Where the elements of `walk` lie in operand 0.
  PlacesRecipe PlacesOf(const SymbolicShape& walk) const {
    PlacesRecipe places;
    places.walk = walk;
    places.tensor = ValueOf(Operands()[0]).shape;
    const int index_rank = ValueOf(Operands()[1]).shape.rank;
    if (Anchor().attributes.has_dim()) {
      const auto dim = static_cast<int8_t>(Anchor().attributes.dim());
      const bool rows = ir::InfoOf(Anchor().op).shape_rule == ir::ShapeRule::kSelectAssign;
      places.named = {dim};
      for (int8_t i = 0; i < walk.rank; ++i) {
        places.walked.push_back(i == dim ? int8_t{-1} : i);
        places.index_axes.push_back(!rows ? i : i == dim ? int8_t{0} : int8_t{-1});
      }
      return places;
    }
    places.tuples = true;
    const int tuple = TupleOf(Anchor());
    for (int i = 0; i < tuple; ++i) places.named.push_back(static_cast<int8_t>(i));
    const int batch = index_rank - 1;
    for (int i = 0; i < walk.rank; ++i) {
      const bool named = i < batch;
      places.walked.push_back(static_cast<int8_t>(named ? -1 : tuple + i - batch));
      places.index_axes.push_back(static_cast<int8_t>(named ? i : -1));
    }
    return places;
  }

  ir::Status LowerScatter() {
    FAULTLINE_RETURN_IF_ERROR(
        LowerCopy(Tensor(0), Result(), {}, ValueOf(Result()).shape, /*makes=*/true));
    PlanStep step = NewStep(LaunchKind::kScatter);
    step.tensors = {Tensor(1), Tensor(2)};
    step.inputs = {step.tensors[0].value, step.tensors[1].value, Result()};
    step.to.value = Result();
    step.places = PlacesOf(ValueOf(Operands()[2]).shape);
    AddCheck(step, cluster_.anchor);
    ScatterLaunch launch;
    launch.dtype = ValueOf(Result()).dtype();
    launch.index = ValueOf(Operands()[1]).dtype();
    launch.update = static_cast<ir::Update>(Anchor().attributes.Int(ir::AttributeKey::kUpdate));
    launch.source = static_cast<int32_t>(cluster_.anchor);
    return Finish(std::move(step), launch);
  }

  ir::Status LowerGatherParts() {
    PlanStep step = NewStep(LaunchKind::kGatherParts);
    step.tensors = {Tensor(1), Tensor(0)};
    step.inputs = {step.tensors[0].value, step.tensors[1].value};
    step.outputs = {Result()};
    step.to.value = Result();
    step.places = PlacesOf(ValueOf(Result()).shape);
    AddCheck(step, cluster_.anchor);
    GatherPartsLaunch launch;
    launch.element_bytes = ir::ByteSize(ValueOf(Result()).dtype());
    launch.index = ValueOf(Operands()[1]).dtype();
    launch.source = static_cast<int32_t>(cluster_.anchor);
    return Finish(std::move(step), launch);
  }

  ir::Status LowerSliceAssign() {
    FAULTLINE_RETURN_IF_ERROR(
        LowerCopy(Tensor(0), Result(), {}, ValueOf(Result()).shape, /*makes=*/true));
    const SymbolicShape& values = ValueOf(Operands()[1]).shape;
    PathStep slice = ExpandStep(values, ValueOf(Result()).shape);
    slice.kind = StepKind::kSlice;
    slice.first_slice = Anchor().first_slice;
    if (cluster_.tensors[1].prologue < 0) {
      return LowerCopy(Tensor(1), Result(), {&slice, 1}, values, /*makes=*/false);
    }
    PlanStep step = NewStep(LaunchKind::kBlock);
    Cluster& guest = Embedded(1);
    AddOps(guest, step);
    BlockLowering lowering(graph_, guest, plan_, step.block);
    step.code = std::make_shared<Block>(
        FAULT(slice_assign_at_origin)
            ? lowering.LowerInto(cluster_.tensors[1].value, Result(), {})
            : lowering.LowerInto(cluster_.tensors[1].value, Result(), {&slice, 1}));
    step.inputs = lowering.TakeInputs();
    step.inputs.push_back(Result());
    step.to.value = Result();
    for (uint32_t o : lowering.lookups()) AddCheck(step, o);
    const BlockLaunch launch{step.code};
    return Finish(std::move(step), launch);
  }

  ir::Status LowerQMatmul() {
    PlanStep step = NewStep(LaunchKind::kQMatmul);
    step.tensors = {Tensor(0), Tensor(1)};
    step.inputs = {step.tensors[0].value, step.tensors[1].value};
    step.outputs = {Result()};
    step.to.value = Result();
    step.space = ValueOf(Result()).shape;
    const auto scheme = [&](size_t slot) { return ValueOf(Operands()[slot]).element.scheme; };
    return Finish(std::move(step), QMatmulLaunch{scheme(0), scheme(1)});
  }

  ir::Status LowerQuantize(const TensorRecipe& from, uint32_t to, bool given_scales) {
    PlanStep step = NewStep(LaunchKind::kQuantize);
    QuantizeLaunch launch;
    step.tensors = {from};
    step.space = plan_.values[to].shape;
    launch.from = plan_.values[from.value].element.dtype;
    if (!cluster_.tensors.empty() && cluster_.tensors[0].prologue >= 0) {
      Cluster& guest = Embedded(0);
      AddOps(guest, step);
      BlockLowering lowering(graph_, guest, plan_, step.prologues.emplace_back());
      launch.prologue =
          std::make_shared<Block>(lowering.LowerPrologue(from.value, ir::Dtype::kF32));
      launch.from = ir::Dtype::kF32;
      step.inputs = lowering.TakeInputs();
      for (uint32_t o : lowering.lookups()) AddCheck(step, o);
    } else {
      step.inputs = {from.value};
    }
    step.outputs = {to};
    step.to.value = to;
    launch.scheme = plan_.values[to].element.scheme;
    launch.given_scales = given_scales;
    for (size_t slot = 1; given_scales && slot < cluster_.tensors.size(); ++slot) {
      step.tensors.push_back(Tensor(slot));
      step.inputs.push_back(step.tensors.back().value);
      (slot == 1 ? step.operand : step.third) = ValueOf(Operands()[slot]).shape;
    }
    if (Anchor().op == ir::Opcode::kQuantize) {
      launch.range = static_cast<ir::Range>(Anchor().attributes.Int(ir::AttributeKey::kRange));
    }
    return Finish(std::move(step), launch);
  }

  uint32_t NewValue(const SymbolicShape& shape) {
    PlanValue value;
    value.element = ir::Dtype::kF32;
    value.shape = shape;
    value.stored = true;
    value.producer = static_cast<int32_t>(cluster_.anchor);
    plan_.values.push_back(value);
    return static_cast<uint32_t>(plan_.values.size()) - 1;
  }

  // Decode to f32, move, quantize with the result's scheme.
  ir::Status LowerRequantize() {
    std::vector<uint32_t> values(Operands().begin(), Operands().end());
    for (uint32_t& v : values) {
      if (!plan_.values[v].element.quantized()) continue;
      const uint32_t decoded = NewValue(plan_.values[v].shape);
      PlanStep step = NewStep(LaunchKind::kBlock);
      auto block = std::make_shared<Block>(
          BlockLowering::LowerDecode(plan_, graph_, v, decoded, step.block));
      step.inputs = {v};
      step.outputs = {decoded};
      v = decoded;
      FAULTLINE_RETURN_IF_ERROR(Finish(std::move(step), BlockLaunch{std::move(block)}));
    }
    const uint32_t moved = NewValue(ValueOf(Result()).shape);
    FAULTLINE_RETURN_IF_ERROR(LowerMovement(Anchor(), values, moved));
    return LowerQuantize({moved, {}}, Result(), false);
  }

  Graph& graph_;
  Cluster& cluster_;
  Target& target_;
  Plan& plan_;
};

}  // namespace

ir::Status LowerCluster(Graph& graph, uint32_t cluster, Target& target, Plan& plan) {
  return ClusterLowering(graph, cluster, target, plan).Run();
}

}  // namespace faultline::fusion
