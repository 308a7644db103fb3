// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_signatures.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::harness {
namespace {

reports::Finding Cause(const std::string& signature, uint64_t count) {
  reports::Finding cause;
  cause.signature = signature;
  cause.count = count;
  return cause;
}

SeededFault Fault(std::string_view id) { return {id, "cast", "", "text"}; }

TEST_CASE("faults with one signature are not told apart, others are") {
  const std::string sum = "op:sum verdict:divergence";
  std::vector<FaultSignatures> faults = {{Fault("a"), 100, {Cause(sum, 90), Cause("one", 10)}},
                                         {Fault("b"), 50, {Cause("op:exp verdict:divergence", 50)}},
                                         {Fault("c"), 0, {}}};
  CHECK(ToldApart(faults) == 2);
  const nlohmann::json json = SignaturesToJson(faults, 100);
  CHECK(json["found"] == 2);
  CHECK(json["most_signatures"] == 2);
  CHECK(json["told_apart"] == 2);
  faults.push_back({Fault("d"), 20, {Cause(sum, 20)}});
  CHECK(ToldApart(faults) == 1);
  CHECK(DistinctSignatures(faults) == 2);
  // More of one fault than of another in the same group changes nothing.
  faults[0].causes[1].count = 1000;
  CHECK(ToldApart(faults) == 3);
}

}  // namespace
}  // namespace faultline::harness
