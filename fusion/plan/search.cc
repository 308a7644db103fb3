// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/search.h"

#include <algorithm>
#include <utility>

#include "fusion/rules/rule.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

class Search {
 public:
  Search(Graph& graph, Chooser& chooser, Plan& plan)
      : graph_(graph), chooser_(chooser), plan_(plan) {}

  void Run() {
    const auto count = static_cast<uint32_t>(graph_.segment().ops.size());
    for (uint32_t o = 0; o < count; ++o) {
      if (!graph_.live(o) || graph_.ClusterOf(o) != kNoCluster) continue;
      if (IsVirtual(o) && !graph_.stored(graph_.op(o).result)) continue;
      Found(o);
    }
  }

 private:
  bool fusion() const { return graph_.segment().fusion; }

  // Movement ops and constants have no launch until their result is needed in memory.
  bool IsVirtual(uint32_t o) const {
    const FormOp& op = graph_.op(o);
    if (IsConstant(op)) return true;
    const auto operands = graph_.segment().OperandsOf(op);
    return !operands.empty() && IsMovement(op, graph_.value(operands[0]));
  }

  bool Ask(PlanDecision decision) {
    decision.choice = chooser_.Choose(decision);
    plan_.decisions.push_back(decision);
    if (decision.choice == 0) plan_.cuts.push_back(CutReason::kDeclined);
    return decision.choice != 0;
  }
  bool AskFuse(Rule rule, uint32_t value, uint32_t op, uint8_t preferred = 1) {
    PlanDecision decision;
    decision.kind = DecisionKind::kFuse;
    decision.choice = preferred;
    decision.rule = rule;
    decision.a = value;
    decision.b = graph_.op(op).result;
    return Ask(decision);
  }

  // ------------------------------------------------------------------------------- founding

  void Found(uint32_t o) {
    const FormOp& op = graph_.op(o);
    const SymbolicShape& result = graph_.value(op.result).shape;
    const auto operands = graph_.segment().OperandsOf(op);
    graph_.SetStored(op.result);
    if (IsVirtual(o)) return FoundVirtual(o);
    if (fusion() && ResultsTogether(graph_, o) && JoinsSibling(o)) return;
    if (ir::HasTrait(op.op, ir::kIndexing) && !op.attributes.has_dim()) {
      return FoundTensors(o, ClusterKind::kGatherParts, true);
    }
    if (ir::IsLayoutOp(op.op)) return FoundTensors(o, ClusterKind::kRequantize, false);
    if (ir::HasTrait(op.op, ir::kReducing | ir::kScanning | ir::kRowwise)) return FoundRow(o);
    if (op.op == ir::Opcode::kQMatmul) return FoundTensors(o, ClusterKind::kQMatmul, false);
    if (ir::HasTrait(op.op, ir::kContraction)) {
      return FoundTensors(o, ClusterKind::kMatmul, true);
    }
    if (ir::HasTrait(op.op, ir::kSorting)) return FoundTensors(o, ClusterKind::kSort, true);
    if (ir::HasTrait(op.op, ir::kQuantizing)) return FoundTensors(o, ClusterKind::kQuantize, true);
    if (ir::HasTrait(op.op, ir::kScattering)) {
      const bool slice = op.op == ir::Opcode::kSliceAssign;
      return FoundTensors(o, slice ? ClusterKind::kSliceAssign : ClusterKind::kScatter, true);
    }
    FAULTLINE_CHECK(ir::IsElementwise(op.op), "an op without a kind");
    // Until a later consumer loads it, the result need not be in memory.
    if (!graph_.value(op.result).survives) graph_.ClearStored(op.result);
    graph_.Found(o, ClusterKind::kElement, result).members.push_back({o, kFullContext});
    ResolveOperands(o, o, operands, result);
  }

  // Lets the launch of the op before make this result of the same application too.
  bool JoinsSibling(uint32_t o) {
    if (!AskFuse(Rule::kResultsTogether, graph_.op(o - 1).result, o)) return false;
    const uint32_t c = graph_.ClusterOf(o - 1);
    const Cluster& host = graph_.cluster(c);
    const bool rows = host.kind == ClusterKind::kRow;
    if (rows && !graph_.value(graph_.op(o).result).survives) {
      graph_.ClearStored(graph_.op(o).result);
    }
    Cluster& guest = graph_.Found(o, host.kind, host.full);
    guest.members.push_back({o, rows ? kRowContext : kFullContext});
    graph_.Absorb(c, o, kFullContext);
    graph_.cluster(c).rules |= SetOf(Rule::kResultsTogether);
    return true;
  }

  void FoundVirtual(uint32_t o) {
    const FormOp& op = graph_.op(o);
    const SymbolicShape& result = graph_.value(op.result).shape;
    const auto operands = graph_.segment().OperandsOf(op);
    const bool codes = graph_.value(op.result).quantized();
    Cluster& cluster =
        graph_.Found(o, codes ? ClusterKind::kMoveCodes : ClusterKind::kElement, result);
    cluster.members.push_back({o, kFullContext});
    if (!operands.empty()) ResolveMovement(o, op, o, kFullContext, /*single_use=*/true, !codes);
  }

  void FoundRow(uint32_t o) {
    const FormOp& op = graph_.op(o);
    const auto operands = graph_.segment().OperandsOf(op);
    const SymbolicShape& full = graph_.value(operands[0]).shape;
    if (!graph_.value(op.result).survives) graph_.ClearStored(op.result);
    Cluster& cluster = graph_.Found(o, ClusterKind::kRow, full);
    cluster.axis = AxisOf(op);
    // An axis that is the only one is the whole tensor too, but keep one form for one op.
    cluster.row_shape = ReducedShape(full, cluster.axis);
    cluster.has_scan = ir::HasTrait(op.op, ir::kScanning);
    const bool reducing = ir::HasTrait(op.op, ir::kReducing);
    cluster.members.push_back({o, reducing ? kRowContext : kFullContext});
    ResolveOperands(o, o, operands, full);
  }

  // Ops whose launch takes whole tensors.
  void FoundTensors(uint32_t o, ClusterKind kind, bool through) {
    const FormOp& op = graph_.op(o);
    const SymbolicShape& result = graph_.value(op.result).shape;
    const auto operands = graph_.segment().OperandsOf(op);
    Cluster& cluster = graph_.Found(o, kind, result);
    cluster.members.push_back({o, kFullContext});
    if (kind == ClusterKind::kMatmul && !graph_.value(op.result).survives) {
      graph_.ClearStored(op.result);
    }
    for (uint32_t v : operands) {
      TensorOperand tensor;
      tensor.value = v;
      // Index operands are read as they are, so that they can be checked as a whole.
      const bool places = kind == ClusterKind::kScatter || kind == ClusterKind::kGatherParts;
      const bool index = places && cluster.tensors.size() == 1;
      if (through && fusion() && !index) LookThrough(o, tensor);
      if (!fusion() || !TakeIn(o, tensor)) Load(o, tensor.value);
      graph_.cluster(o).tensors.push_back(std::move(tensor));
    }
  }

  // Lets the launch of op `o` compute an operand as it takes it.
  bool TakeIn(uint32_t o, TensorOperand& tensor) {
    const uint32_t p = graph_.ProducerCluster(tensor.value);
    if (p == kNoCluster || !tensor.path.empty() || IsVirtual(ProducerOp(tensor.value))) {
      return false;
    }
    const Meeting meeting{
        .producer = p,
        .consumer = o,
        .value = tensor.value,
        .op = o,
        .single_use = graph_.uses(tensor.value) == 1 && !graph_.stored(tensor.value)};
    for (const JoinRule& rule : JoinRules()) {
      const RuleAnswer answer = rule.meet(graph_, meeting);
      if (!answer.has_value() && answer.error() == CutReason::kNoRule) continue;
      if (!answer.has_value()) {
        plan_.cuts.push_back(answer.error());
        return false;
      }
      if (!AskFuse(rule.rule, tensor.value, o)) return false;
      tensor.prologue = static_cast<int32_t>(p);
      graph_.Embed(o, p);
      graph_.cluster(o).rules |= SetOf(rule.rule);
      return true;
    }
    return false;
  }

  // Follows views from a tensor operand down to a value that is in memory.
  void LookThrough(uint32_t o, TensorOperand& tensor) {
    while (true) {
      const int32_t producer = graph_.value(tensor.value).producer;
      if (producer == kEntering) return;
      const FormOp& op = graph_.op(static_cast<uint32_t>(producer));
      if (!ir::IsView(op.op) || graph_.value(op.result).quantized()) return;
      const uint32_t operand = graph_.segment().OperandsOf(op)[0];
      std::vector<PathStep> path = tensor.path;
      AppendMovementSteps(graph_.segment(), op, path);
      if (!graph_.Storable(operand) || !KeepsAxes(path, graph_.dense(operand))) return;
      if (!AskFuse(Rule::kViewIntoRead, tensor.value, o)) return;
      graph_.cluster(o).rules |= SetOf(Rule::kViewIntoRead);
      tensor.path = std::move(path);
      tensor.views.push_back(static_cast<uint32_t>(producer));
      tensor.value = operand;
    }
  }

  // ------------------------------------------------------------------------------- operands

  struct Slot {
    uint32_t value;
    int32_t context;
    bool meets;  // its producer's launch may take the consumer in, or be taken in, as it is
  };

  // Operands of the op that founded cluster `k`, for elements of shape `to`.
  void ResolveOperands(uint32_t k, uint32_t o, std::span<const uint32_t> operands,
                       const SymbolicShape& to) {
    ir::SmallVector<Slot, 4> slots;
    for (uint32_t v : operands) {
      Cluster& cluster = graph_.cluster(k);
      const int32_t context =
          graph_.OperandContext(cluster, kFullContext, to, graph_.value(v).shape);
      const uint32_t p = graph_.ProducerCluster(v);
      bool meets = false;
      if (fusion() && p != kNoCluster && !IsVirtual(ProducerOp(v))) {
        const Cluster& producer = graph_.cluster(p);
        const bool row_value =
            graph_.FindRowMember(producer, v) != nullptr && producer.full == cluster.full;
        meets = context == kFullContext || row_value;
      }
      slots.push_back({v, context, meets});
    }
    const auto computed = std::ranges::count_if(
        slots, [&](const Slot& slot) { return graph_.value(slot.value).producer != kEntering; });
    // Behind a view the cluster may become another one only where nothing else refers to it.
    const bool outer = std::exchange(stays_, computed > 1);
    for (const Slot& slot : slots) {
      if (!slot.meets) Resolve(k, o, slot.value, slot.context, true, true);
    }
    stays_ = outer;
    // Where the op's own elements lie in `k`, which may have become a cluster of rows by then.
    int32_t base = kFullContext;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].meets) continue;
      const uint32_t p = graph_.ProducerCluster(slots[i].value);
      if (p == k) continue;
      if (base != kFullContext && slots[i].context != kFullContext) {
        plan_.cuts.push_back(CutReason::kOtherSpace);
        Load(k, slots[i].value);
        continue;
      }
      // What is loaded must not come from behind the producer.
      bool cycle = graph_.cluster(k).depends.Has(p);
      for (const Slot& other : slots) {
        if (!other.meets) continue;
        const uint32_t q = graph_.ProducerCluster(other.value);
        if (q != p && q != k && graph_.cluster(q).depends.Has(p)) cycle = true;
      }
      if (cycle) {
        plan_.cuts.push_back(CutReason::kCycle);
        Load(k, slots[i].value);
        continue;
      }
      const int32_t context = slots[i].context == kFullContext ? base : slots[i].context;
      const Met met = Meet(k, o, slots[i].value, context, true);
      // Elements that are one a row stay that in every cluster of rows that takes theirs in.
      if (met.context != kFullContext) base = met.context;
      k = met.cluster;
    }
  }

  uint32_t ProducerOp(uint32_t v) const { return static_cast<uint32_t>(graph_.value(v).producer); }

  // Provides `v` at `context` of cluster `k` for op `o`. `registers`: it may be computed there.
  void Resolve(uint32_t k, uint32_t o, uint32_t v, int32_t context, bool single_use,
               bool registers) {
    Cluster& cluster = graph_.cluster(k);
    if (graph_.value(v).producer == kEntering || !fusion()) return Load(k, v);
    if (Graph::IsThrough(cluster, v, context)) return;
    const uint32_t p = ProducerOp(v);
    const FormOp& op = graph_.op(p);
    single_use = single_use && graph_.uses(v) == 1 && !graph_.stored(v);
    if (IsConstant(op)) {
      // A constant costs nothing to make again.
      if (!registers || !AskFuse(Rule::kElementwiseIntoElementwise, v, o)) return Load(k, v);
      cluster.through.push_back({v, context});
      return;
    }
    if (IsVirtual(p)) {
      for (const ThroughRule& rule : ThroughRules()) {
        const auto answer = rule.look(graph_, cluster, op, context);
        if (!answer.has_value() && answer.error() == CutReason::kNoRule) continue;
        if (!answer.has_value()) {
          plan_.cuts.push_back(answer.error());
          break;
        }
        if (!AskFuse(rule.rule, v, o)) break;
        cluster.rules |= SetOf(rule.rule);
        cluster.through.push_back({v, context});
        return ResolveMovement(k, op, p, context, single_use, registers);
      }
      return Load(k, v);
    }
    const uint32_t q = graph_.ClusterOf(p);
    if (!registers || q == kNoCluster || q == k) return Load(k, v);
    (void)Meet(k, o, v, context, single_use, stays_);
  }

  // The operands of a movement op whose result is needed at `context` of cluster `k`.
  void ResolveMovement(uint32_t k, const FormOp& op, uint32_t o, int32_t context, bool single_use,
                       bool registers) {
    const auto operands = graph_.segment().OperandsOf(op);
    if (ir::HasTrait(op.op, ir::kJoin)) {
      for (uint32_t part : operands) Load(k, part);
      return;
    }
    std::vector<PathStep> steps;
    AppendMovementSteps(graph_.segment(), op, steps);
    for (const PathStep& step : steps) {
      context = graph_.ContextBelow(graph_.cluster(k), context, step);
    }
    const bool lookup = ir::HasTrait(op.op, ir::kIndexing);
    if (lookup) Load(k, operands[1]);
    Resolve(k, o, operands[0], context, single_use, registers && !lookup);
  }

  // ------------------------------------------------------------------------------- joining

  // The cluster that the consumer has become, and the context of it where its full one now is.
  struct Met {
    uint32_t cluster;
    int32_t context;
  };

  // Cluster `k` needs `v` of another cluster: joins the two or loads. `stays`: it must not become
  // another one, because operands that are still to be resolved have their contexts in it.
  Met Meet(uint32_t k, uint32_t o, uint32_t v, int32_t context, bool single_use,
           bool stays = false) {
    const Meeting meeting{.producer = graph_.ProducerCluster(v),
                          .consumer = k,
                          .value = v,
                          .op = o,
                          .context = context,
                          .single_use = single_use && graph_.uses(v) == 1 && !graph_.stored(v)};
    CutReason reason = CutReason::kNoRule;
    for (const JoinRule& rule : JoinRules()) {
      const RuleAnswer answer = rule.meet(graph_, meeting);
      if (!answer.has_value()) {
        reason = answer.error();
        if (reason == CutReason::kNoRule) continue;
        break;
      }
      reason = stays && answer->producer_hosts ? CutReason::kInfeasible : Fits(meeting, *answer);
      if (reason != CutReason::kNoRule) break;
      if (!AskFuse(rule.rule, v, o)) {
        Load(k, v);
        return {k, kFullContext};
      }
      const uint32_t host = answer->producer_hosts ? meeting.producer : k;
      const uint32_t guest = answer->producer_hosts ? k : meeting.producer;
      graph_.Absorb(host, guest, answer->context);
      graph_.cluster(host).rules |= SetOf(rule.rule);
      return {host, answer->producer_hosts ? answer->context : kFullContext};
    }
    plan_.cuts.push_back(reason);
    Load(k, v);
    return {k, kFullContext};
  }

  // kNoRule if the joined cluster would be one that can be carried out.
  CutReason Fits(const Meeting& meeting, const Joining& joining) {
    const uint32_t host_id = joining.producer_hosts ? meeting.producer : meeting.consumer;
    const uint32_t guest_id = joining.producer_hosts ? meeting.consumer : meeting.producer;
    Cluster& host = graph_.cluster(host_id);
    Cluster& guest = graph_.cluster(guest_id);
    if (host.members.size() + guest.members.size() > kClusterMembersMax) {
      return CutReason::kTooLarge;
    }
    const bool rows = host.kind == ClusterKind::kRow;
    if (joining.context == kFullContext && !rows) return CutReason::kNoRule;
    if (host.kind == ClusterKind::kRow && guest.kind == ClusterKind::kRow) {
      return CutReason::kNoRule;  // the same loop
    }
    const std::vector<PathStep> above = graph_.PathOf(host, joining.context);
    if (above.empty()) return CutReason::kNoRule;
    bool feasible = true;
    graph_.ForEachLoad(guest, [&](uint32_t v, int32_t context, uint32_t op) {
      std::vector<PathStep> path = above;
      const std::vector<PathStep> below = graph_.PathOf(guest, context);
      path.insert(path.end(), below.begin(), below.end());
      if (ir::HasTrait(graph_.op(op).op, ir::kJoin)) {
        feasible = feasible && KeepsLinearOrder(path);
        return;
      }
      const auto lookups = std::ranges::count(path, StepKind::kGather, &PathStep::kind);
      feasible = feasible && lookups <= 1 && IsFeasible(path, graph_.dense(v));
    });
    return feasible ? CutReason::kNoRule : CutReason::kInfeasible;
  }

  // Cluster `k` reads `v` from memory.
  void Load(uint32_t k, uint32_t v) {
    graph_.SetStored(v);
    const int32_t producer = graph_.value(v).producer;
    if (producer == kEntering) return;
    const auto p = static_cast<uint32_t>(producer);
    if (graph_.ClusterOf(p) == kNoCluster) Found(p);
    const uint32_t q = graph_.ClusterOf(p);
    FAULTLINE_CHECK(q != k, "a launch that would load what it stores");
    Cluster& cluster = graph_.cluster(k);
    cluster.depends.Add(q);
    cluster.depends.AddAll(graph_.cluster(q).depends);
    graph_.PropagateDependences(k);
  }

  Graph& graph_;
  Chooser& chooser_;
  Plan& plan_;
  bool stays_ = false;  // see Meet
};

}  // namespace

void GrowClusters(Graph& graph, Chooser& chooser, Plan& plan) {
  Search(graph, chooser, plan).Run();
}

}  // namespace faultline::fusion
