// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks run by the CPU target, against plain loops.

#include <cmath>

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

const std::vector<int64_t> kSizes = {0,  1,  3,  7,  8,  9,  15,  16,  17,   31,   32,  33,
                                     47, 48, 49, 63, 64, 65, 255, 257, 1023, 1024, 1025};

std::vector<float> Ramp(int64_t count, float scale = 0.25f) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<float>((i * 37) % 101) - 50) * scale;
  }
  return values;
}

TEST_CASE("an elementwise block of any size") {
  TargetFixture fixture;
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int z = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int less = b.AddStrided(b.AddSlot(), Dtype::kBool);
  b.BeginElementPhase();
  const Val vx = b.Load(x);
  const Val vy = b.Load(y);
  b.Store(z, b.Binary(Op::kMul, b.Binary(Op::kAdd, vx, vy), b.Parameter(Reg::kF32)));
  b.Store(less, b.Compare(Op::kLower, vx, vy));
  const Block block = b.Finish();
  for (const int64_t n : kSizes) {
    const std::vector<float> left = Ramp(n);
    const std::vector<float> right = Ramp(n, 0.75f);
    Buffer* out = fixture.Bytes(n * 4);
    Buffer* mask = fixture.Bytes(n);
    uint32_t bits;
    const float factor = 1.5f;
    std::memcpy(&bits, &factor, sizeof(bits));
    fixture.RunBlock(block, {n}, {fixture.From(left), fixture.From(right), out, mask},
                     {Contiguous(n), Contiguous(n), Contiguous(n), Contiguous(n)}, {bits});
    const auto got = fixture.To<float>(out, n);
    const auto lower = fixture.To<uint8_t>(mask, n);
    for (size_t i = 0; i < left.size(); ++i) {
      REQUIRE(got[i] == (left[i] + right[i]) * factor);
      REQUIRE(lower[i] == (left[i] < right[i] ? 1 : 0));
    }
  }
}

TEST_CASE("sums along and across rows") {
  TargetFixture fixture;
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32, true);
  b.BeginElementPhase();
  const Val sum = b.Reduce(Op::kReduceSum, b.Load(x));
  b.BeginRowPhase();
  b.Store(y, b.Binary(Op::kAdd, sum, b.F32(1)));
  const Block block = b.Finish();
  for (const int64_t rows : {1, 2, 16, 33, 100}) {
    for (const int64_t row : kSizes) {
      const std::vector<float> values = Ramp(rows * row);
      Buffer* in = fixture.From(values);
      for (const bool inner : {true, false}) {
        Buffer* out = fixture.Bytes(rows * 4);
        const AccessBinding map =
            inner ? Strides({rows, row}, {row, 1}) : Strides({rows, row}, {1, rows});
        fixture.RunBlock(block, {rows, row}, {in, out}, {map, Contiguous(rows)});
        const auto got = fixture.To<float>(out, rows);
        for (int64_t r = 0; r < rows; ++r) {
          double expected = 1;
          for (int64_t i = 0; i < row; ++i) {
            expected += values[static_cast<size_t>(inner ? r * row + i : i * rows + r)];
          }
          REQUIRE(got[static_cast<size_t>(r)] == static_cast<float>(expected));
        }
      }
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
