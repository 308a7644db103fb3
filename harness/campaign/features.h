// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What feeds libFuzzer beside code coverage: at most 4,096 counters with three levels each. Kept
// small on purpose: every feature makes the corpus larger, and a large corpus makes libFuzzer slow.
// Numbers for people are in statistics.h.

#ifndef HARNESS_CAMPAIGN_FEATURES_H_
#define HARNESS_CAMPAIGN_FEATURES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/backend/observation.h"
#include "harness/campaign/classify.h"
#include "harness/oracle/verdict.h"
#include "ir/program.h"

namespace faultline::harness {

inline constexpr size_t kFeaturesMax = 4096;

// The families of features, each a block of the array.
enum class FeatureFamily : uint8_t {
  kOpDtype,  // opcode x dtype class of the first operand (of the result if there is none)
  kEdge,     // producer kind x consumer kind x {cut, fused}
  kRule,     // rules that fired; those beyond the 128th share a counter
  kCut,      // why a producer and its consumer were not fused, hashed
  kAlias,    // granted, or the hashed reason why not
  kCacheEvent,
  kTier,         // hashed name
  kScheme,       // scheme class x op kind
  kTransaction,  // mix x size class x duplicates
  kRadius,       // octave of the radius in ulp
  kLayout,       // layout class of an input x op kind of a consumer
  kVerdict,
};
inline constexpr int kFeatureFamilyCount = 12;
size_t FeatureBlockBegin(FeatureFamily family);
size_t FeatureBlockSize(FeatureFamily family);
// Of all families: counters beyond are not used.
size_t FeatureCount();

// The counters of one program.
class Features {
 public:
  // Writes into `counters`, which must have kFeaturesMax elements and outlive the object: the extra
  // counters section of the target, or an array of a test. Does not clear it.
  explicit Features(std::span<uint8_t> counters) : counters_(counters) {}

  // Counts up to 3 (three levels for libFuzzer). An index outside the family's block is clamped to
  // its last counter.
  void Hit(FeatureFamily family, size_t index);
  // Everything that the program alone says: op x dtype, schemes, layouts, transactions.
  void CountProgram(const ir::Program& program);
  // What the backend says it did. `rule_names` are those of the backend, in its order.
  void CountTrace(const PlanTrace& trace, std::span<const std::string_view> rule_names);
  // How the comparison went: verdict, radii.
  void CountComparison(const Verdict& verdict, const CompareStatistics& statistics);

 private:
  std::span<uint8_t> counters_;
};

// "edge view>reduction fused", for `faultline coverage` and tests.
std::string FeatureName(size_t counter);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_FEATURES_H_
