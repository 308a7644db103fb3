// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace faultline::fusion {
namespace {

constexpr RuleInfo kRules[] = {
#define FAULTLINE_RULE(enumerator, name, doc) {Rule::k##enumerator, name, doc},
#include "fusion/rules/rules.def"
#undef FAULTLINE_RULE
};
static_assert(std::size(kRules) <= 32, "RuleSet is too narrow");

void AppendName(const Trace& trace, uint32_t value, std::string& text) {
  const bool named = value < trace.names.size() && !trace.names[value].empty();
  text += '%';
  if (named) {
    text += trace.names[value];
  } else {
    text += std::to_string(value);
  }
}

}  // namespace

std::span<const RuleInfo> AllRules() { return kRules; }

std::string_view RuleName(Rule rule) { return kRules[static_cast<size_t>(rule)].name; }

std::string_view LaunchKindName(LaunchKind kind) {
  constexpr std::string_view kNames[] = {"block",      "matmul",       "sort",
                                         "scatter",    "gather_parts", "copy",
                                         "move_codes", "quantize",     "q_matmul"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view DecisionKindName(DecisionKind kind) {
  constexpr std::string_view kNames[] = {"fuse", "alias", "threads", "tiles", "tier"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view AliasOutcomeName(AliasOutcome outcome) {
  constexpr std::string_view kNames[] = {
      "granted",      "declined",    "not_dropped", "shared",    "read_later",
      "other_reader", "other_index", "other_size",  "not_dense", "not_elementwise"};
  return kNames[static_cast<size_t>(outcome)];
}

std::string_view CutReasonName(CutReason reason) {
  constexpr std::string_view kNames[] = {"declined",   "no_rule",   "cycle",      "shared",
                                         "infeasible", "too_large", "other_space"};
  return kNames[static_cast<size_t>(reason)];
}

std::string Trace::NameOf(uint32_t value) const {
  std::string text;
  AppendName(*this, value, text);
  return text;
}

std::string Trace::NameOf(const DecisionRecord& decision) const {
  std::string text(DecisionKindName(decision.kind));
  text += '(';
  AppendName(*this, decision.a, text);
  if (decision.b != decision.a) {
    text += ',';
    AppendName(*this, decision.b, text);
  }
  text += ')';
  return text;
}

RuleSet Trace::Rules() const {
  RuleSet rules = 0;
  for (const LaunchRecord& launch : launches) rules |= launch.rules;
  return rules;
}

uint64_t Trace::AliasCount(AliasOutcome outcome) const {
  return static_cast<uint64_t>(std::ranges::count(aliases, outcome, &AliasRecord::outcome));
}

std::string PrintTrace(const Trace& trace) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const LaunchRecord& launch : trace.launches) {
    fmt::format_to(out, "launch {}:", TierName(launch));
    for (uint32_t i = launch.first_op; i < launch.first_op + launch.op_count; ++i) {
      fmt::format_to(out, " {} {}", ir::Mnemonic(trace.ops[i].op),
                     trace.NameOf(trace.ops[i].result));
    }
    for (const RuleInfo& rule : AllRules()) {
      if ((launch.rules & SetOf(rule.rule)) != 0) fmt::format_to(out, " [{}]", rule.name);
    }
    text += '\n';
  }
  for (const AliasRecord& alias : trace.aliases) {
    fmt::format_to(out, "alias {} -> {}: {}\n", trace.NameOf(alias.from), trace.NameOf(alias.to),
                   AliasOutcomeName(alias.outcome));
  }
  for (const DecisionRecord& decision : trace.decisions) {
    fmt::format_to(out, "decision {}={} of {}\n", trace.NameOf(decision), decision.choice,
                   decision.alternatives);
  }
  for (const std::string& note : trace.notes) fmt::format_to(out, "{}\n", note);
  fmt::format_to(out,
                 "applications {} segments {} cache hits {} misses {} evictions {}\n"
                 "bytes read {} written {} least {} pool high water {}\n",
                 trace.applications, trace.segments, trace.cache_hits, trace.cache_misses,
                 trace.cache_evictions, trace.bytes_read, trace.bytes_written, trace.bytes_least,
                 trace.pool_high_water_bytes);
  return text;
}

}  // namespace faultline::fusion
