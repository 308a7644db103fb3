// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The chooser of a session that asks for choices by name, denies some, or limits their number.

#ifndef FUSION_STREAM_CHOOSERS_H_
#define FUSION_STREAM_CHOOSERS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "fusion/plan/chooser.h"
#include "fusion/plan/decisions.h"

namespace faultline::fusion {

// Whether every choice is left to cost or chaos.
bool LeavesChoicesAlone(const DecisionOptions& options);

class NamedChooser final : public Chooser {
 public:
  // `name_of` spells a decision with the names of this segment's values; `taken` is the number of
  // decisions before this segment.
  NamedChooser(Chooser& base, const DecisionOptions& options, int64_t taken,
               std::function<std::string(const PlanDecision&)> name_of)
      : base_(base), options_(options), taken_(taken), name_of_(std::move(name_of)) {}

  uint8_t Choose(const PlanDecision& proposal) override;
  // Whether some choice was not the base's.
  bool overrode() const { return overrode_; }

 private:
  bool Denies(const PlanDecision& proposal, const std::string& name) const;

  Chooser& base_;
  const DecisionOptions& options_;
  int64_t taken_;
  std::function<std::string(const PlanDecision&)> name_of_;
  bool overrode_ = false;
};

// Whether `chooser`, asked the plan's questions again in order, gives the plan's answers: then it
// would have led to the same plan.
bool Agrees(NamedChooser& chooser, const Plan& plan);

}  // namespace faultline::fusion

#endif  // FUSION_STREAM_CHOOSERS_H_
