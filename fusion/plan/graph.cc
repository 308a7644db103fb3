// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/graph.h"

#include <algorithm>

#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion {

bool IsMovement(const FormOp& op, const FormValue& operand) {
  if (!ir::IsLayoutOp(op.op)) return false;
  // Lookups by tuples are no map of one axis.
  if (ir::HasTrait(op.op, ir::kIndexing) && !op.attributes.has_dim()) return false;
  return !operand.quantized() || op.moves_codes;
}

bool IsConstant(const FormOp& op) {
  return ir::HasTrait(op.op, ir::kCreation) && !ir::HasTrait(op.op, ir::kPositional);
}

bool IsPositional(const FormOp& op) { return ir::HasTrait(op.op, ir::kPositional); }

SymbolicShape ReducedShape(const SymbolicShape& full, int axis) {
  SymbolicShape shape;
  if (axis == kWholeAxis) {
    shape.rank = 1;
    shape[0] = kOneExtent;
    return shape;
  }
  shape = full;
  shape[axis] = kOneExtent;
  return shape;
}

int AxisOf(const FormOp& op) {
  const ir::ShapeRule rule = ir::InfoOf(op.op).shape_rule;
  if (rule == ir::ShapeRule::kReduceAll || !op.attributes.has_dim()) return kWholeAxis;
  return static_cast<int>(op.attributes.dim());
}

void AppendMovementSteps(const Segment& segment, const FormOp& op, std::vector<PathStep>& path) {
  const SymbolicShape& result = segment.values[op.result].shape;
  const SymbolicShape& operand = segment.values[segment.OperandsOf(op)[0]].shape;
  if (ir::HasTrait(op.op, ir::kJoin)) return;
  if (ir::HasTrait(op.op, ir::kIndexing)) {
    PathStep step = ExpandStep(result, operand);
    step.kind = StepKind::kGather;
    step.dim = static_cast<uint8_t>(op.attributes.dim());
    path.push_back(step);
    return;
  }
  path.push_back(StepOf(op, result, operand));
}

SymbolicShape LoopShape(const Cluster& cluster, int32_t root) {
  if (cluster.kind != ClusterKind::kRow) return cluster.full;
  SymbolicShape loop;
  if (cluster.axis == kWholeAxis) return root == kRowContext ? loop : cluster.full;
  for (int i = 0; i < cluster.full.rank; ++i) {
    if (i != cluster.axis) loop[loop.rank++] = cluster.full[i];
  }
  if (root != kRowContext) loop[loop.rank++] = cluster.full[cluster.axis];
  return loop;
}

bool Graph::Storable(uint32_t v) const {
  const int32_t producer = value(v).producer;
  if (producer == kEntering) return true;
  const uint32_t c = cluster_of_[static_cast<size_t>(producer)];
  if (c == kNoCluster) {
    // A movement op that would have to be carried out first.
    const auto operands = segment_.OperandsOf(op(static_cast<uint32_t>(producer)));
    return std::ranges::all_of(operands, [&](uint32_t operand) { return Storable(operand); });
  }
  return std::ranges::any_of(clusters_[c].members, [&](const Member& member) {
    return member.op == static_cast<uint32_t>(producer) && member.context <= kRowContext;
  });
}

Graph::Graph(const Segment& segment, bool pitched)
    : segment_(segment),
      pitched_(pitched),
      live_(segment.ops.size(), 0),
      uses_(segment.values.size(), 0),
      cluster_of_(segment.ops.size(), kNoCluster),
      clusters_(segment.ops.size()),
      stored_(segment.values.size(), 0) {
  FAULTLINE_CHECK(segment.ops.size() <= kSegmentOpsMax, "a segment beyond the planner's limit");
  for (size_t o = segment.ops.size(); o-- > 0;) {
    const FormOp& f = segment.ops[o];
    if (!segment.values[f.result].survives && uses_[f.result] == 0) continue;
    live_[o] = 1;
    for (uint32_t v : segment.OperandsOf(f)) ++uses_[v];
  }
  for (size_t v = 0; v < segment.values.size(); ++v) {
    const FormValue& value = segment.values[v];
    const bool live =
        value.producer == kEntering || live_[static_cast<size_t>(value.producer)] != 0;
    stored_[v] = live && (value.producer == kEntering || value.survives) ? 1 : 0;
  }
}

uint32_t Graph::ProducerCluster(uint32_t v) const {
  const int32_t producer = value(v).producer;
  return producer == kEntering ? kNoCluster : cluster_of_[static_cast<size_t>(producer)];
}

Cluster& Graph::Found(uint32_t o, ClusterKind kind, const SymbolicShape& full) {
  Cluster& cluster = clusters_[o];
  cluster.alive = true;
  cluster.kind = kind;
  cluster.full = full;
  cluster.anchor = o;
  cluster_of_[o] = o;
  return cluster;
}

bool Graph::dense(uint32_t v) const {
  const FormValue& f = value(v);
  if (f.quantized()) return true;
  if (f.producer == kEntering) return f.layout == LayoutClass::kContiguous;
  return !pitched_;
}

int32_t Graph::ContextBelow(Cluster& cluster, int32_t parent, const PathStep& step) {
  int32_t number = kRowContext;
  for (const Context& context : cluster.contexts) {
    ++number;
    if (context.parent == parent && context.step == step) return number;
  }
  cluster.contexts.push_back({parent, step});
  return number + 1;
}

int32_t Graph::OperandContext(Cluster& cluster, int32_t context, const SymbolicShape& to,
                              const SymbolicShape& from) {
  if (to == from) return context;
  return ContextBelow(cluster, context, ExpandStep(to, from));
}

std::vector<PathStep> Graph::PathOf(const Cluster& cluster, int32_t context) const {
  std::vector<PathStep> path;
  int32_t root = RootOf(cluster, context);
  while (context > kRowContext) {
    const Context& at = cluster.At(context);
    path.push_back(at.step);
    context = at.parent;
  }
  // The loop of a row cluster runs over the full shape with the row axis last, or over the axes
  // that are not reduced.
  if (cluster.kind == ClusterKind::kRow) {
    if (root == kRowContext) {
      PathStep units = ExpandStep(cluster.full, cluster.row_shape);
      units.kind = StepKind::kUnits;
      units.shape = LoopShape(cluster, kRowContext);
      path.push_back(units);
    } else if (cluster.axis != kWholeAxis && cluster.axis != cluster.full.rank - 1 &&
               !(FAULT(row_of_view_not_permuted) && !path.empty())) {
      PathStep permute = ExpandStep(LoopShape(cluster, kFullContext), cluster.full);
      permute.kind = StepKind::kPermute;
      // Loop axis i is full axis order[i]; the step says for each upper (loop) axis which lower
      // (full) axis it is.
      size_t at = 0;
      for (int i = 0; i < cluster.full.rank; ++i) {
        if (i != cluster.axis) permute.axes[at++] = static_cast<uint8_t>(i);
      }
      permute.axes[at] = static_cast<uint8_t>(cluster.axis);
      path.push_back(permute);
    }
  }
  std::ranges::reverse(path);
  return path;
}

int32_t Graph::RootOf(const Cluster& cluster, int32_t context) {
  while (context > kRowContext) context = cluster.At(context).parent;
  return context;
}

const Member* Graph::FindMember(const Cluster& cluster, uint32_t v, int32_t context) const {
  const int32_t producer = value(v).producer;
  if (producer == kEntering) return nullptr;
  for (const Member& member : cluster.members) {
    if (member.op == static_cast<uint32_t>(producer) && member.context == context) return &member;
  }
  return nullptr;
}

bool Graph::IsThrough(const Cluster& cluster, uint32_t v, int32_t context) {
  return std::ranges::any_of(cluster.through, [&](const Through& through) {
    return through.value == v && through.context == context;
  });
}

const Member* Graph::FindRowMember(const Cluster& cluster, uint32_t v) const {
  if (cluster.kind != ClusterKind::kRow) return nullptr;
  return FindMember(cluster, v, kRowContext);
}

bool Graph::SeesRow(const Cluster& cluster, int32_t context) {
  if (cluster.kind != ClusterKind::kRow) return false;
  if (context <= kRowContext) return true;
  const Context& at = cluster.At(context);
  return at.parent == kFullContext && at.step == ExpandStep(cluster.full, cluster.row_shape);
}

void Graph::Absorb(uint32_t host, uint32_t guest, int32_t context) {
  Cluster& to = clusters_[host];
  Cluster& from = clusters_[guest];
  FAULTLINE_CHECK(host != guest && to.alive && from.alive, "absorbing a dead cluster");
  const bool both_rows = to.kind == ClusterKind::kRow && from.kind == ClusterKind::kRow;
  ir::SmallVector<int32_t, 8> renamed;  // by context of the guest
  renamed.push_back(context);
  renamed.push_back(both_rows ? kRowContext : context);
  for (const Context& old : from.contexts) {
    renamed.push_back(ContextBelow(to, renamed[static_cast<size_t>(old.parent)], old.step));
  }
  for (const Member& member : from.members) {
    to.members.push_back({member.op, renamed[static_cast<size_t>(member.context)]});
    cluster_of_[member.op] = host;
  }
  std::ranges::sort(to.members, {}, &Member::op);
  for (const Through& through : from.through) {
    const int32_t at = renamed[static_cast<size_t>(through.context)];
    if (!IsThrough(to, through.value, at)) to.through.push_back({through.value, at});
  }
  to.rules |= from.rules;
  to.has_scan = to.has_scan || from.has_scan;
  to.depends.AddAll(from.depends);
  to.depends.Remove(guest);
  to.depends.Remove(host);
  from.alive = false;
  from.members.clear();
  from.through.clear();
  for (Cluster& other : clusters_) {
    if (!other.alive || !other.depends.Has(guest)) continue;
    other.depends.Remove(guest);
    other.depends.Add(host);
  }
  PropagateDependences(host);
}

void Graph::Embed(uint32_t host, uint32_t guest) {
  Cluster& from = clusters_[guest];
  from.alive = false;
  for (const Member& member : from.members) cluster_of_[member.op] = host;
  clusters_[host].rules |= from.rules;
  clusters_[host].depends.AddAll(from.depends);
  PropagateDependences(host);
}

void Graph::PropagateDependences(uint32_t c) {
  const ClusterSet depends = clusters_[c].depends;
  for (Cluster& other : clusters_) {
    if (other.alive && other.depends.Has(c)) other.depends.AddAll(depends);
  }
}

}  // namespace faultline::fusion
