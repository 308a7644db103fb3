// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/stream/choosers.h"

#include <algorithm>

namespace faultline::fusion {

bool LeavesChoicesAlone(const DecisionOptions& options) {
  return options.by_name.empty() && options.deny.empty() && options.max_decisions < 0;
}

bool NamedChooser::Denies(const PlanDecision& proposal, const std::string& name) const {
  return std::ranges::any_of(options_.deny, [&](const std::string& denied) {
    return denied == name || denied == DecisionKindName(proposal.kind) ||
           (proposal.kind == DecisionKind::kFuse && denied == RuleName(proposal.rule));
  });
}

uint8_t NamedChooser::Choose(const PlanDecision& proposal) {
  const uint8_t base = base_.Choose(proposal);
  uint8_t choice = base;
  if (options_.max_decisions >= 0 && taken_ >= options_.max_decisions) {
    choice = 0;
  } else if (!options_.by_name.empty() || !options_.deny.empty()) {
    const std::string name = name_of_(proposal);
    const auto it = std::ranges::find(options_.by_name, name, &ir::Decision::name);
    if (it != options_.by_name.end()) {
      choice = static_cast<uint8_t>(std::clamp(it->choice, 0, proposal.alternatives - 1));
    }
    if (Denies(proposal, name)) choice = 0;
  }
  ++taken_;
  if (choice != base) overrode_ = true;
  return choice;
}

bool Agrees(NamedChooser& chooser, const Plan& plan) {
  for (const PlanDecision& decision : plan.decisions) {
    // The base, asked what it chose then, must be asked with what was preferred then; cost takes
    // the preference, so the plan's own choice stands for it.
    if (chooser.Choose(decision) != decision.choice) return false;
  }
  return true;
}

}  // namespace faultline::fusion
