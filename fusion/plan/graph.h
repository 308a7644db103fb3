// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The dependence graph of a segment, and the clusters that grow over it: each cluster becomes one
// launch. Pure data and the two structural operations (absorb a cluster, keep dependences); which
// clusters may meet is for the rules, and whether they do for the search.

#ifndef FUSION_PLAN_GRAPH_H_
#define FUSION_PLAN_GRAPH_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fusion/plan/form.h"
#include "fusion/plan/path.h"
#include "fusion/trace.h"
#include "ir/base/small_vector.h"

namespace faultline::fusion {

inline constexpr uint32_t kSegmentOpsMax = 512;
inline constexpr size_t kClusterMembersMax = 96;

// A set of clusters, which are numbered by the op that founded them.
class ClusterSet {
 public:
  bool Has(uint32_t cluster) const { return (words_[cluster / 64] >> (cluster % 64) & 1) != 0; }
  void Add(uint32_t cluster) { words_[cluster / 64] |= uint64_t{1} << (cluster % 64); }
  void Remove(uint32_t cluster) { words_[cluster / 64] &= ~(uint64_t{1} << (cluster % 64)); }
  bool HasAll(const ClusterSet& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((other.words_[i] & ~words_[i]) != 0) return false;
    }
    return true;
  }
  void AddAll(const ClusterSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  std::array<uint64_t, kSegmentOpsMax / 64> words_ = {};
};

enum class ClusterKind : uint8_t {
  kElement,  // element by element over `full`
  kRow,      // reductions, scans and what goes with them, along `axis` of `full`
  kMatmul,   // a product and an elementwise tail over its result
  kQMatmul,  // a product of codes
  kSort,
  kScatter,
  kGatherParts,  // gather_nd: whole parts, which no index map of one axis reaches
  kSliceAssign,
  kQuantize,
  kMoveCodes,   // a layout op on codes
  kRequantize,  // a layout op on a quantized tensor that must decode, move and encode
};

// Where a computation of a cluster stands: 0 is an element of `full`, 1 an element of the reduced
// shape (kRow only), others are reached from their parent by a step.
inline constexpr int32_t kFullContext = 0;
inline constexpr int32_t kRowContext = 1;
inline constexpr int32_t kWholeAxis = -1;  // the row is the whole tensor

struct Context {
  int32_t parent = kFullContext;
  PathStep step;
};

// An op computed in registers, at a context.
struct Member {
  uint32_t op = 0;
  int32_t context = kFullContext;
};

// A value that is not loaded but looked through: made by a view, join, lookup or creation op.
struct Through {
  uint32_t value = 0;
  int32_t context = kFullContext;
};

// A stored value and the views between it and the operand, top first; or, for an operand of a
// product, the cluster that makes it while it is packed.
struct TensorOperand {
  uint32_t value = 0;
  std::vector<PathStep> path;
  std::vector<uint32_t> views;  // the ops of the path
  int32_t prologue = -1;
};

struct Cluster {
  bool alive = false;
  ClusterKind kind = ClusterKind::kElement;
  bool has_scan = false;
  SymbolicShape full;
  int axis = kWholeAxis;    // kRow
  SymbolicShape row_shape;  // kRow: `full` with the axis (or all of it) reduced
  uint32_t anchor = 0;      // the op that made the kind
  ir::SmallVector<Member, 4> members;
  std::vector<Through> through;
  std::vector<Context> contexts;  // below the two roots, numbered after them
  ClusterSet depends;  // on these clusters, directly or not
  RuleSet rules = 0;
  // Operands that the launch takes as strided tensors, by slot: matmul, sort, scatter, ...
  std::vector<TensorOperand> tensors;

  // Requires a context that is no root.
  const Context& At(int32_t context) const {
    return contexts[static_cast<size_t>(context - kRowContext - 1)];
  }
};

inline constexpr uint32_t kNoCluster = UINT32_MAX;

class Graph {
 public:
  explicit Graph(const Segment& segment, bool pitched);

  const Segment& segment() const { return segment_; }
  const FormValue& value(uint32_t v) const { return segment_.values[v]; }
  const FormOp& op(uint32_t o) const { return segment_.ops[o]; }
  bool live(uint32_t o) const { return live_[o] != 0; }
  // Operand slots of live ops that name the value.
  uint32_t uses(uint32_t v) const { return uses_[v]; }

  uint32_t ClusterOf(uint32_t o) const { return cluster_of_[o]; }
  // Of the op that makes the value; kNoCluster for entering values and for ops without a launch.
  uint32_t ProducerCluster(uint32_t v) const;
  Cluster& cluster(uint32_t c) { return clusters_[c]; }
  const Cluster& cluster(uint32_t c) const { return clusters_[c]; }
  // A cluster of this op alone.
  Cluster& Found(uint32_t o, ClusterKind kind, const SymbolicShape& full);

  bool stored(uint32_t v) const { return stored_[v] != 0; }
  void SetStored(uint32_t v) { stored_[v] = 1; }
  void ClearStored(uint32_t v) { stored_[v] = 0; }
  // Row-major without gaps for certain.
  bool dense(uint32_t v) const;

  // The context below `parent` by a step; found or made.
  int32_t ContextBelow(Cluster& cluster, int32_t parent, const PathStep& step);
  // Where an operand of shape `from` is needed for an element of shape `to` at `context`.
  int32_t OperandContext(Cluster& cluster, int32_t context, const SymbolicShape& to,
                         const SymbolicShape& from);
  // Steps from the cluster's loop down to the context.
  std::vector<PathStep> PathOf(const Cluster& cluster, int32_t context) const;
  static int32_t RootOf(const Cluster& cluster, int32_t context);

  const Member* FindMember(const Cluster& cluster, uint32_t v, int32_t context) const;
  static bool IsThrough(const Cluster& cluster, uint32_t v, int32_t context);
  // The member whose result is a row value, if `v` is one.
  const Member* FindRowMember(const Cluster& cluster, uint32_t v) const;
  // Whether an element at `context` uses a row value of the cluster as it is: at its own index, or
  // broadcast along the row.
  static bool SeesRow(const Cluster& cluster, int32_t context);

  // Members and look-throughs of `guest` become `host`'s; the guest's root context becomes
  // `context` of the host (and its row context the host's, where both are kRow). The guest is
  // gone; whoever depended on it depends on the host.
  void Absorb(uint32_t host, uint32_t guest, int32_t context);
  // Members of `guest` are computed within `host`'s launch, in a loop of their own. The guest keeps
  // its members and contexts, but is no launch any more. Requires that nothing else depends on it.
  void Embed(uint32_t host, uint32_t guest);
  // After `c` came to depend on more: those that depend on `c` do so too.
  void PropagateDependences(uint32_t c);

  // Whether the value could be had in memory: entering, made by a launch of its own, or computed
  // at the index it is stored at.
  bool Storable(uint32_t v) const;

  // Every load of the cluster: value, context, and the op that needs it.
  template <typename Visit>
  void ForEachLoad(Cluster& cluster, Visit visit);

 private:
  const Segment& segment_;
  bool pitched_;
  std::vector<uint8_t> live_;
  std::vector<uint32_t> uses_;
  std::vector<uint32_t> cluster_of_;
  std::vector<Cluster> clusters_;
  std::vector<uint8_t> stored_;
};

// Views, joins and lookups: they move bits and need no launch of their own where the consumer reads
// through them. A layout op on a quantized operand is one if it moves codes.
bool IsMovement(const FormOp& op, const FormValue& operand);
// The same element everywhere, which costs nothing to make again wherever it is needed.
bool IsConstant(const FormOp& op);
// Whether elements depend on where they are: such an op is computed at its own index alone.
bool IsPositional(const FormOp& op);
// Shape of a reduction's result over `full`, as an element of a row block.
SymbolicShape ReducedShape(const SymbolicShape& full, int axis);
// The loop axes of a cluster: kFullContext, all of them with the row axis last (a whole row: the
// axes that make it up); kRowContext, those that are not reduced.
SymbolicShape LoopShape(const Cluster& cluster, int32_t root);
// The reduced axis of a reduction, scan or row-wise op; kWholeAxis for whole-tensor forms.
int AxisOf(const FormOp& op);
// Steps from the result of a movement op to operand `slot` of it (joins: none).
void AppendMovementSteps(const Segment& segment, const FormOp& op, std::vector<PathStep>& path);

template <typename Visit>
void Graph::ForEachLoad(Cluster& cluster, Visit visit) {
  auto visit_operands = [&](uint32_t o, int32_t context, bool through) {
    const FormOp& f = op(o);
    const SymbolicShape& to = value(f.result).shape;
    const bool reducing = !through && ir::HasTrait(f.op, ir::kReducing);
    const auto operands = segment_.OperandsOf(f);
    for (size_t slot = 0; slot < operands.size(); ++slot) {
      const uint32_t v = operands[slot];
      int32_t at = context;
      if (through) {
        if (ir::HasTrait(f.op, ir::kJoin) || (ir::HasTrait(f.op, ir::kIndexing) && slot == 1)) {
          visit(v, context, o);
          continue;
        }
        std::vector<PathStep> steps;
        AppendMovementSteps(segment_, f, steps);
        for (const PathStep& step : steps) at = ContextBelow(cluster, at, step);
      } else if (reducing) {
        at = kFullContext;
      } else {
        at = OperandContext(cluster, context, to, value(v).shape);
      }
      if (SeesRow(cluster, at) && FindRowMember(cluster, v) != nullptr) continue;
      if (IsThrough(cluster, v, at) || FindMember(cluster, v, at) != nullptr) continue;
      visit(v, at, o);
    }
  };
  for (size_t i = 0; i < cluster.members.size(); ++i) {
    const Member member = cluster.members[i];
    // A founding movement op is computed by copying: its operand is reached by its own step.
    const FormOp& f = op(member.op);
    const bool moves =
        segment_.OperandsOf(f).empty() ? false : IsMovement(f, value(segment_.OperandsOf(f)[0]));
    visit_operands(member.op, member.context, moves);
  }
  for (size_t i = 0; i < cluster.through.size(); ++i) {
    const Through through = cluster.through[i];
    visit_operands(static_cast<uint32_t>(value(through.value).producer), through.context, true);
  }
}

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_GRAPH_H_
