// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/power.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "harness/account/rivals.h"
#include "ir/element.h"

namespace faultline::harness {
namespace {

ir::HostTensor Floats(std::vector<double> values) {
  ir::HostTensor tensor;
  tensor.type = {ir::Dtype::kF32, ir::Shape{static_cast<int64_t>(values.size())}};
  tensor.bytes.resize(values.size() * 4);
  for (size_t i = 0; i < values.size(); ++i) {
    ir::StoreElement(ir::Dtype::kF32, ir::FromDouble(ir::Dtype::kF32, values[i]),
                     tensor.bytes.data() + 4 * i);
  }
  return tensor;
}

TEST_CASE("rivals accept what is within their tolerance and nothing else") {
  const auto accepts = [](Rival rival, double expected, double actual) {
    return Accepts(rival, Floats({expected, 1}), Floats({actual, 1}));
  };
  CHECK(accepts(Rival::kAllclose, 1, 1.01));
  CHECK(!accepts(Rival::kAllclose, 1, 1.02));
  CHECK(accepts(Rival::kAssertClose, 1, 1.00001));
  CHECK(!accepts(Rival::kAssertClose, 1, 1.0001));
  CHECK(accepts(Rival::kOnnx, 1, 1.0005));
  CHECK(!accepts(Rival::kOnnx, 0, 1e-6));
  CHECK(accepts(Rival::kNmse, 100, 102));
  CHECK(!accepts(Rival::kNmse, 100, 103));
  CHECK(accepts(Rival::kSum, 100, 104));
  CHECK(!accepts(Rival::kSum, 100, 106));
}

TEST_CASE("rivals tell classes and types apart") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Rival rival : kRivals) {
    INFO(RivalName(rival));
    CHECK(Accepts(rival, Floats({nan, infinity}), Floats({nan, infinity})));
    CHECK(!Accepts(rival, Floats({1, 2}), Floats({nan, 2})));
    CHECK(!Accepts(rival, Floats({infinity}), Floats({-infinity})));
    CHECK(!Accepts(rival, Floats({1}), Floats({1, 1})));
    // None looks at the sign of a zero.
    CHECK(Accepts(rival, Floats({0.0}), Floats({-0.0})));
  }
}

TEST_CASE("a fault that only the sign of zeros shows is found by one oracle") {
  const PowerCounts counts = CountPower({"canary", "zero_sign_lost"}, 300, 1).value();
  CHECK(counts.programs == 300);
  CHECK(counts.changed > 0);
  CHECK(counts.changed_flagged[0] == counts.changed);
  CHECK(counts.found[0] == counts.changed);
  CHECK(counts.clean_flagged == std::array<int64_t, kOracleCount>{});
  CHECK(std::ranges::all_of(counts.found, [&](int64_t found) { return found <= counts.found[0]; }));
  CHECK(counts.found[1] < counts.found[0]);
  const PowerCounts again = ParsePowerCounts(PrintPowerCounts(counts));
  CHECK(again.found == counts.found);
  CHECK(again.changed == counts.changed);
}

TEST_CASE("a legal execution raises no alarm of ours") {
  const PowerCounts counts = CountPower({"adversary", ""}, 300, 1).value();
  CHECK(counts.clean_flagged[0] == 0);
}

}  // namespace
}  // namespace faultline::harness
