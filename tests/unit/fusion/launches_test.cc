// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Launches of the CPU target that are no blocks, against plain loops.

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

TEST_CASE("a small and a large matmul") {
  TargetFixture fixture;
  for (const int64_t n : {1, 2, 3, 17, 40}) {
    const int64_t m = n + 1;
    const int64_t k = n + 2;
    std::vector<float> a(static_cast<size_t>(m * k));
    std::vector<float> b(static_cast<size_t>(k * n));
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    Buffer* out = fixture.Bytes(m * n * 4);
    MatmulBinding binding;
    binding.left = fixture.Dense(fixture.From(a), {m, k});
    binding.right = fixture.Dense(fixture.From(b), {k, n});
    binding.result = fixture.Dense(out, {m, n});
    REQUIRE(fixture.Run(MatmulLaunch{}, binding).ok());
    const auto got = fixture.To<float>(out, m * n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float expected = 0;
        for (int64_t p = 0; p < k; ++p) {
          expected += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
        }
        REQUIRE(got[static_cast<size_t>(i * n + j)] == expected);
      }
    }
  }
}

TEST_CASE("quantize and read back") {
  TargetFixture fixture;
  const ir::Shape shape = {3, 5};
  std::vector<float> x(15);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 7;
  ir::Scheme scheme;
  Buffer* out = fixture.Bytes(ir::LayoutOf(scheme, shape).total_bytes);
  QuantizeBinding binding{fixture.Dense(fixture.From(x), shape), out};
  REQUIRE(fixture.Run(QuantizeLaunch{Dtype::kF32, scheme, ir::Range::kMinMax}, binding).ok());
  BlockBuilder b(1);
  const int from = b.AddStrided(b.AddSlot(), ir::ElementType(scheme));
  const int to = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(to, b.Load(from));
  Buffer* back = fixture.Bytes(15 * 4);
  AccessBinding quantized = Contiguous(15);
  quantized.quantized_shape = shape;
  fixture.RunBlock(b.Finish(), {15}, {out, back}, {quantized, Contiguous(15)});
  const auto got = fixture.To<float>(back, 15);
  const float scale = 7.0f / 127.0f;
  for (size_t i = 0; i < x.size(); ++i) {
    REQUIRE(got[i] == std::nearbyint(x[i] / scale) * scale);
  }
}

}  // namespace
}  // namespace faultline::fusion
