// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Running products and extremes, along rows and across them, against plain loops.

#include <cmath>
#include <limits>

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

Block ScanBlock(Op op, Dtype dtype) {
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), dtype);
  const int y = b.AddStrided(b.AddSlot(), dtype);
  b.BeginElementPhase();
  b.Store(y, b.ToDtype(b.Scan(op, b.Load(x)), dtype));
  return b.Finish();
}

// Runs the scan over many shapes of rows; make(i) is the i-th element in memory, and next(running,
// x) what the scan makes of the running value.
template <typename T, typename Make, typename Next>
void CheckScan(Op op, Dtype dtype, const Make& make, const Next& next) {
  TargetFixture fixture;
  const Block block = ScanBlock(op, dtype);
  for (const int64_t rows : {1, 3, 17, 40}) {
    for (const int64_t row : {1, 2, 15, 16, 17, 64, 65, 255, 1023, 1025, 2100}) {
      for (const bool turned : {false, true}) {
        const AccessBinding map =
            turned ? Strides({rows, row}, {1, rows}) : Strides({rows, row}, {row, 1});
        std::vector<T> values;
        for (int64_t i = 0; i < rows * row; ++i) values.push_back(make(i));
        Buffer* out = fixture.Bytes(rows * row * static_cast<int64_t>(sizeof(T)));
        fixture.RunBlock(block, {rows, row}, {fixture.From(values), out}, {map, map});
        const std::vector<T> got = fixture.To<T>(out, rows * row);
        INFO("rows " << rows << " of " << row << (turned ? ", turned" : ""));
        for (int64_t o = 0; o < rows; ++o) {
          T running{};
          for (int64_t r = 0; r < row; ++r) {
            const auto at = static_cast<size_t>(turned ? r * rows + o : o * row + r);
            running = r == 0 ? values[at] : next(running, values[at]);
            const bool both_nan = running != running && got[at] != got[at];
            REQUIRE((got[at] == running || both_nan));
          }
        }
      }
    }
  }
}

TEST_CASE("running products wrap") {
  CheckScan<int8_t>(
      Op::kScanProd, Dtype::kI8, [](int64_t i) { return static_cast<int8_t>(i * 2 + 3); },
      [](int8_t a, int8_t b) { return static_cast<int8_t>(a * b); });
  CheckScan<uint64_t>(
      Op::kScanProd, Dtype::kU64, [](int64_t i) { return static_cast<uint64_t>(i) * 2 + 0x10001; },
      [](uint64_t a, uint64_t b) { return a * b; });
}

TEST_CASE("running extremes begin below and above everything") {
  const auto falling = [](int64_t i) { return static_cast<int32_t>(-1000 - i % 777); };
  CheckScan<int32_t>(Op::kScanMax, Dtype::kI32, falling,
                     [](int32_t a, int32_t b) { return std::max(a, b); });
  const auto rising = [](int64_t i) { return static_cast<uint16_t>(40000 + i % 777); };
  CheckScan<uint16_t>(Op::kScanMin, Dtype::kU16, rising,
                      [](uint16_t a, uint16_t b) { return std::min(a, b); });
}

TEST_CASE("a NaN stays in running extremes") {
  const auto wild = [](int64_t i) {
    if (i % 1999 == 1201) return std::numeric_limits<float>::quiet_NaN();
    return i % 61 == 7 ? -INFINITY : static_cast<float>((i * 29) % 83) - 41;
  };
  const auto keep = [](float a, float b, float extreme) {
    return a != a || b != b ? a + b : extreme;
  };
  CheckScan<float>(Op::kScanMax, Dtype::kF32, wild,
                   [&](float a, float b) { return keep(a, b, std::max(a, b)); });
  CheckScan<float>(Op::kScanMin, Dtype::kF32, wild,
                   [&](float a, float b) { return keep(a, b, std::min(a, b)); });
}

}  // namespace
}  // namespace faultline::fusion
