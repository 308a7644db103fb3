// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/mutate.h"

#include <algorithm>
#include <array>
#include <utility>

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

// Programs beyond this many statements are cut more often than they grow.
constexpr size_t kCommonStatements = 90;

}  // namespace

std::string_view MutationName(MutationKind kind) { return kNames[static_cast<size_t>(kind)]; }

ir::Program Mutate(const ir::Program& program, ChoiceStream& choices,
                   const MutateOptions& options) {
  std::array<uint32_t, kMutationKindCount> weights = kWeights;
  if (program.statements.size() > kCommonStatements) {
    weights[static_cast<size_t>(MutationKind::kShrink)] *= 8;
    weights[static_cast<size_t>(MutationKind::kDeleteStatement)] *= 4;
    weights[static_cast<size_t>(MutationKind::kDuplicateSegment)] = 0;
    weights[static_cast<size_t>(MutationKind::kAppend)] = 0;
  }
  Edits edits = NewEdits(program);
  const uint32_t wanted = 1 + choices.Below(choices.Percent(50) ? 1 : 4);
  uint32_t made = 0;
  for (int attempt = 0; attempt < 12 && made < wanted; ++attempt) {
    const auto kind = static_cast<MutationKind>(choices.Weighted(weights));
    if (AddEdit(edits, kind, choices)) ++made;
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
