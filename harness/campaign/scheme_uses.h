// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What programs do with tensors of each scheme, scheme by scheme: value, store, level and scale
// dtype, none of them put into a class with others.

#ifndef HARNESS_CAMPAIGN_SCHEME_USES_H_
#define HARNESS_CAMPAIGN_SCHEME_USES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/campaign/statistics.h"
#include "ir/program.h"
#include "ir/scheme.h"

namespace faultline::harness {

enum class SchemeUse : uint8_t {
  kRead,
  kViewThenRead,  // the result of a layout op is read
  kMatmul,
  kElementwise,
  kRequantize,  // a layout op that cannot move codes, or a result that is quantized anew
};
inline constexpr int kSchemeUseCount = 5;
inline constexpr size_t kSchemeCellCount = size_t{ir::kQValueCount} * 3 * 3 * 5 * kSchemeUseCount;

size_t SchemeCellOf(const ir::Scheme& scheme, SchemeUse use);
// "e2m1/packed_native/two_level/ue4m3/read"
std::string SchemeCellName(size_t cell);
// Cells of the schemes that the verifier takes.
std::vector<size_t> ReachableSchemeCells();

void CountSchemeUses(const ir::Program& program, Statistics& statistics);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_SCHEME_USES_H_
