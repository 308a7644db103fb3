// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/mutate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/generate/variation.h"
#include "harness/mutate/edits.h"
#include "harness/mutate/fit_text.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, kMutationKindCount> kNames = {
    "insert-op",    "delete-statement",  "replace-op",    "retype",
    "reshape",      "change-attribute",  "change-scalar", "change-layout",
    "change-datum", "special-value",     "rewire",        "lifetime",
    "stream",       "duplicate-segment", "shrink",        "decisions",
    "append"};

constexpr std::array<uint32_t, kMutationKindCount> kWeights = {16, 6, 8,  7, 8, 8, 5, 5, 5,
                                                               6,  7, 10, 4, 7, 6, 1, 4};

// Mutation alone would make programs longer and longer. From the first of these numbers of
// statements on they are cut as often as they grow, from the second one more often.
constexpr size_t kLong = 32;
constexpr size_t kTooLong = 64;
// Likewise for work: what the size law has above its upper quarter is made smaller half of the
// time.
constexpr int64_t kMuchWork = 2048;

std::array<uint32_t, kMutationKindCount> WeightsFor(const ir::Program& program) {
  std::array<uint32_t, kMutationKindCount> weights = kWeights;
  const auto weight = [&](MutationKind kind) -> uint32_t& {
    return weights[static_cast<size_t>(kind)];
  };
  const size_t size = program.statements.size();
  if (size > kLong) {
    weight(MutationKind::kShrink) *= size > kTooLong ? 12 : 4;
    weight(MutationKind::kDeleteStatement) *= 3;
    weight(MutationKind::kInsertOp) /= 2;
    weight(MutationKind::kAppend) = size > kTooLong ? 0 : 1;
    weight(MutationKind::kDuplicateSegment) = size > kTooLong ? 0 : 2;
  }
  return weights;
}

}  // namespace

std::string_view MutationName(MutationKind kind) { return kNames[static_cast<size_t>(kind)]; }

ir::Program Mutate(const ir::Program& program, ChoiceStream& choices,
                   const MutateOptions& options) {
  const std::array<uint32_t, kMutationKindCount> weights = WeightsFor(program);
  Edits edits = NewEdits(program);
  const uint32_t wanted = 1 + choices.Below(choices.Percent(50) ? 1 : 4);
  uint32_t made = 0;
  for (int attempt = 0; attempt < 12 && made < wanted; ++attempt) {
    const auto kind = static_cast<MutationKind>(choices.Weighted(weights));
    if (AddEdit(edits, kind, choices)) ++made;
  }
  if (ir::WorkOf(program) > kMuchWork && choices.Percent(40)) {
    ShrinkExtents(edits.draft, 0, edits.draft.statements.size(), choices);
  }
  return FitText(Rebuild(edits, choices, options), choices, options);
}

ir::Program MutateOnce(const ir::Program& program, MutationKind kind, ChoiceStream& choices,
                       const MutateOptions& options) {
  Edits edits = NewEdits(program);
  if (!AddEdit(edits, kind, choices)) return program;
  return FitText(Rebuild(edits, choices, options), choices, options);
}

}  // namespace faultline::harness
