// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/in_place.h"

#include <algorithm>

#include "fusion/fault.h"

namespace faultline::fusion {
namespace {

bool SamePath(const Plan& plan, PathRef a, PathRef b) {
  return std::ranges::equal(plan.PathOf(a), plan.PathOf(b));
}

class InPlace {
 public:
  InPlace(const Graph& graph, Chooser& chooser, Plan& plan)
      : graph_(graph), chooser_(chooser), plan_(plan), last_read_(plan.values.size(), -1) {
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      for (uint32_t v : plan.steps[s].inputs) last_read_[v] = static_cast<int64_t>(s);
    }
  }

  void Run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      PlanStep& step = plan_.steps[s];
      if (step.kind != LaunchKind::kBlock && step.kind != LaunchKind::kCopy) continue;
      for (uint32_t y : step.outputs) Consider(s, step, y);
    }
  }

 private:
  void Consider(size_t s, PlanStep& step, uint32_t y) {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const uint32_t x = step.inputs[i];
      if (plan_.values[x].element.quantized() || plan_.values[y].element.quantized()) continue;
      // A value that the plan added has no name to decide by.
      if (x >= graph_.segment().values.size() || y >= graph_.segment().values.size()) continue;
      AliasOutcome outcome = Judge(s, step, x, y);
      if (outcome == AliasOutcome::kGranted && !Ask(x, y)) outcome = AliasOutcome::kDeclined;
      plan_.aliases.push_back({outcome, x, y});
      if (outcome != AliasOutcome::kGranted) continue;
      step.aliases.push_back({x, y});
      return;
    }
  }

  bool Ask(uint32_t x, uint32_t y) {
    PlanDecision decision;
    decision.kind = DecisionKind::kAlias;
    decision.choice = 1;
    decision.a = x;
    decision.b = y;
    decision.choice = chooser_.Choose(decision);
    plan_.decisions.push_back(decision);
    return decision.choice != 0;
  }

  AliasOutcome Judge(size_t s, const PlanStep& step, uint32_t x, uint32_t y) const {
    const PlanValue& from = plan_.values[x];
    const PlanValue& to = plan_.values[y];
    const FormValue& value = graph_.value(x);
    if (ir::ByteSize(from.element.dtype) != ir::ByteSize(to.element.dtype) ||
        !(from.shape == to.shape)) {
      return AliasOutcome::kOtherSize;
    }
    const bool copies = FAULT(scatter_overwrites_live_base) && step.kind == LaunchKind::kCopy;
    if (from.survives && value.sole_owner && !copies) return AliasOutcome::kNotDropped;
    if (from.survives && !copies && !FAULT(alias_of_shared_buffer)) return AliasOutcome::kShared;
    if (last_read_[x] > static_cast<int64_t>(s) && !FAULT(alias_before_last_read)) {
      return AliasOutcome::kReadLater;
    }
    for (const PlanAlias& alias : step.aliases) {
      if (alias.from == x) return AliasOutcome::kOtherReader;
    }
    if (value.producer == kEntering && value.layout != LayoutClass::kContiguous &&
        !FAULT(strided_input_overwritten)) {
      return AliasOutcome::kNotDense;
    }
    return step.kind == LaunchKind::kCopy ? JudgeCopy(step, x) : JudgeBlock(step, x, y);
  }

  // The copy that begins a scatter or a slice assignment.
  static AliasOutcome JudgeCopy(const PlanStep& step, uint32_t x) {
    const std::vector<AccessRecipe>& accesses = step.block.accesses;
    const bool whole = accesses.size() == 1 && accesses[0].value == x &&
                       accesses[0].path.count == 0 && step.to.path.count == 0;
    return whole ? AliasOutcome::kGranted : AliasOutcome::kOtherIndex;
  }

  AliasOutcome JudgeBlock(const PlanStep& step, uint32_t x, uint32_t y) const {
    const Block& block = *step.code;
    const std::vector<AccessRecipe>& accesses = step.block.accesses;
    size_t store = 0;
    while (block.instructions[store].op != Op::kStore ||
           accesses[block.instructions[store].immediate].value != y) {
      ++store;
    }
    const AccessRecipe& written = accesses[block.instructions[store].immediate];
    const bool per_row = block.accesses[block.instructions[store].immediate].per_row;
    for (size_t a = 0; a < accesses.size(); ++a) {
      if (accesses[a].value != x) continue;
      const Access& access = block.accesses[a];
      if (accesses[a].is_piece || access.map != MapKind::kStrided || access.per_row != per_row ||
          IsIndex(block, a) || !SamePath(plan_, accesses[a].path, written.path)) {
        return FAULT(alias_of_other_index) ? AliasOutcome::kGranted : AliasOutcome::kOtherIndex;
      }
    }
    for (size_t i = 0; i < block.instructions.size(); ++i) {
      const Instruction& load = block.instructions[i];
      if (load.op != Op::kLoad || accesses[load.immediate].value != x) continue;
      if (i > store) return AliasOutcome::kOtherReader;
      for (size_t j = store + 1; j < block.instructions.size(); ++j) {
        const auto& args = block.instructions[j].args;
        if (std::ranges::find(args, static_cast<ValueId>(i)) != args.end()) {
          return AliasOutcome::kOtherReader;
        }
      }
    }
    return AliasOutcome::kGranted;
  }

  static bool IsIndex(const Block& block, size_t access) {
    return std::ranges::any_of(block.accesses, [&](const Access& other) {
      return other.index == static_cast<int>(access);
    });
  }

  const Graph& graph_;
  Chooser& chooser_;
  Plan& plan_;
  std::vector<int64_t> last_read_;  // by value: the last step that reads it
};

}  // namespace

void GrantInPlace(const Graph& graph, Chooser& chooser, Plan& plan) {
  if (FAULT(in_place_silently_off)) return;
  InPlace(graph, chooser, plan).Run();
}

void ScheduleReleases(Plan& plan) {
  std::vector<int64_t> last(plan.values.size(), -1);
  std::vector<uint8_t> taken(plan.values.size(), 0);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    for (uint32_t v : plan.steps[s].inputs) {
      if (FAULT(released_after_first_reader) && last[v] >= 0) continue;
      last[v] = static_cast<int64_t>(s);
    }
    for (uint32_t v : plan.steps[s].outputs) last[v] = static_cast<int64_t>(s);
    for (const PlanAlias& alias : plan.steps[s].aliases) taken[alias.from] = 1;
  }
  for (uint32_t v = 0; v < plan.values.size(); ++v) {
    if (last[v] < 0 || plan.values[v].survives) continue;
    if (taken[v] != 0 && !FAULT(alias_before_last_read)) continue;
    plan.steps[static_cast<size_t>(last[v])].release.push_back(v);
  }
}

}  // namespace faultline::fusion
