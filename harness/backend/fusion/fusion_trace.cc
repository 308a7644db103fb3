// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/fusion_trace.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace faultline::harness {
namespace {

int64_t Signed(uint64_t count) { return static_cast<int64_t>(count); }

TracedBlock TranslateLaunch(const fusion::Trace& trace, const fusion::LaunchRecord& launch) {
  TracedBlock block;
  block.tier = fusion::TierName(launch);
  for (const fusion::RuleInfo& rule : fusion::AllRules()) {
    if ((launch.rules & fusion::SetOf(rule.rule)) != 0) block.rules.push_back(rule.name);
  }
  block.source_ops.reserve(launch.op_count);
  block.values.reserve(launch.op_count);
  for (uint32_t i = launch.first_op; i < launch.first_op + launch.op_count; ++i) {
    const fusion::OpRecord& record = trace.ops[i];
    block.source_ops.push_back(record.op);
    block.values.push_back(record.result < trace.names.size() ? trace.names[record.result]
                                                              : std::string());
  }
  return block;
}

void CountRules(const fusion::Trace& trace, Counts& counts) {
  for (const fusion::RuleInfo& rule : fusion::AllRules()) {
    int64_t count = 0;
    for (const fusion::LaunchRecord& launch : trace.launches) {
      if ((launch.rules & fusion::SetOf(rule.rule)) != 0) ++count;
    }
    if (count > 0) counts.emplace_back(rule.name, count);
  }
}

// Kind by kind, and within a kind by what its launches are called: more than one thing where the
// target has tiers.
void CountLaunches(const fusion::Trace& trace, Counts& counts) {
  for (int kind = 0; kind < fusion::kLaunchKindCount; ++kind) {
    for (const fusion::LaunchRecord& launch : trace.launches) {
      if (static_cast<int>(launch.kind) != kind) continue;
      const std::string_view tier = fusion::TierName(launch);
      const auto it = std::ranges::find(counts, tier, &Counts::value_type::first);
      if (it == counts.end()) {
        counts.emplace_back(tier, 1);
      } else {
        ++it->second;
      }
    }
  }
}

void CountAliases(const fusion::Trace& trace, PlanTrace& plan) {
  std::array<int64_t, fusion::kAliasOutcomeCount> by_outcome = {};
  for (const fusion::AliasRecord& alias : trace.aliases) {
    ++by_outcome[static_cast<size_t>(alias.outcome)];
  }
  for (size_t i = 0; i < by_outcome.size(); ++i) {
    const auto outcome = static_cast<fusion::AliasOutcome>(i);
    if (outcome == fusion::AliasOutcome::kGranted) {
      plan.in_place = by_outcome[i];
    } else if (by_outcome[i] > 0) {
      plan.in_place_refused.emplace_back(fusion::AliasOutcomeName(outcome), by_outcome[i]);
    }
  }
}

void CountCuts(const fusion::Trace& trace, Counts& counts) {
  std::array<int64_t, fusion::kCutReasonCount> by_reason = {};
  for (fusion::CutReason reason : trace.cuts) ++by_reason[static_cast<size_t>(reason)];
  for (size_t i = 0; i < by_reason.size(); ++i) {
    if (by_reason[i] == 0) continue;
    counts.emplace_back(fusion::CutReasonName(static_cast<fusion::CutReason>(i)), by_reason[i]);
  }
}

}  // namespace

PlanTrace TranslateTrace(const fusion::Trace& trace) {
  PlanTrace plan;
  plan.operations = Signed(trace.applications);
  plan.blocks.reserve(trace.launches.size());
  for (const fusion::LaunchRecord& launch : trace.launches) {
    plan.blocks.push_back(TranslateLaunch(trace, launch));
  }
  plan.decisions.reserve(trace.decisions.size());
  for (const fusion::DecisionRecord& decision : trace.decisions) {
    plan.decisions.push_back({trace.NameOf(decision), decision.alternatives, decision.choice});
  }
  CountRules(trace, plan.rules_fired);
  CountCuts(trace, plan.cuts);
  CountLaunches(trace, plan.launches);
  CountAliases(trace, plan);
  plan.cache_hits = Signed(trace.cache_hits);
  plan.cache_misses = Signed(trace.cache_misses);
  plan.cache_evictions = Signed(trace.cache_evictions);
  plan.bytes_read = Signed(trace.bytes_read);
  plan.bytes_written = Signed(trace.bytes_written);
  plan.bytes_least = Signed(trace.bytes_least);
  plan.pool_high_water = Signed(trace.pool_high_water_bytes);
  for (const std::string& note : trace.notes) {
    plan.environment += (plan.environment.empty() ? "" : "; ") + note;
  }
  return plan;
}

}  // namespace faultline::harness
