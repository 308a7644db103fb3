// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Chains of add, sub and mul, which run two or three to a pass: every operation is rounded on its
// own, whichever side the chain stands on and whichever operand is a broadcast.

#include <cmath>

#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

// Links of a chain: place 3 is sub with the chain on the right.
constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kSub};

template <typename T>
T Link(size_t place, T chain, T other) {
  // Volatile: no contraction, no wider intermediate.
  volatile T result = place == 0   ? chain + other
                      : place == 1 ? chain - other
                      : place == 2 ? chain * other
                                   : other - chain;
  return result;
}

template <typename T>
void CheckChains(ir::Dtype dtype) {
  TargetFixture fixture;
  const int64_t n = 37;
  std::vector<std::vector<T>> values(5, std::vector<T>(static_cast<size_t>(n)));
  for (size_t k = 0; k < 5; ++k) {
    for (size_t i = 0; i < values[k].size(); ++i) {
      values[k][i] = static_cast<T>(1) / static_cast<T>(3 + 7 * k + i) - static_cast<T>(0.05);
    }
  }
  std::vector<Buffer*> buffers;
  for (const auto& list : values) buffers.push_back(fixture.From(list));
  buffers.push_back(fixture.Bytes(n * static_cast<int64_t>(sizeof(T))));
  for (size_t broadcast = 0; broadcast <= 5; ++broadcast) {
    for (size_t code = 0; code < 3 * 4 * 4 * 4; ++code) {
      const size_t places[] = {code % 3, code / 3 % 4, code / 12 % 4, code / 48};
      BlockBuilder b(1);
      std::vector<int> accesses;
      for (int k = 0; k < 6; ++k) accesses.push_back(b.AddStrided(b.AddSlot(), dtype));
      b.BeginElementPhase();
      Val chain = b.Load(accesses[0]);
      for (size_t k = 0; k < 4; ++k) {
        const Val other = b.Load(accesses[k + 1]);
        chain = places[k] == 3 ? b.Binary(kOps[3], other, chain)
                               : b.Binary(kOps[places[k]], chain, other);
      }
      b.Store(accesses[5], chain);
      std::vector<AccessBinding> maps(6, Contiguous(n));
      if (broadcast < 5) maps[broadcast] = Broadcast();
      fixture.RunBlock(b.Finish(), {n}, buffers, maps);
      const auto got = fixture.To<T>(buffers[5], n);
      for (size_t i = 0; i < got.size(); ++i) {
        const auto at = [&](size_t k) { return values[k][k == broadcast ? 0 : i]; };
        T want = at(0);
        for (size_t k = 0; k < 4; ++k) want = Link<T>(places[k], want, at(k + 1));
        REQUIRE(got[i] == want);
      }
    }
  }
}

TEST_CASE("chains of f32 round each operation") { CheckChains<float>(ir::Dtype::kF32); }
TEST_CASE("chains of f64 round each operation") { CheckChains<double>(ir::Dtype::kF64); }

TEST_CASE("a value that is used twice ends its chain") {
  TargetFixture fixture;
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), ir::Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), ir::Dtype::kF32);
  const int z = b.AddStrided(b.AddSlot(), ir::Dtype::kF32);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  const Val sum = b.Binary(Op::kAdd, v, b.F32(0.1f));
  const Val square = b.Binary(Op::kMul, sum, sum);
  const Val last = b.Binary(Op::kSub, square, v);
  b.Store(y, last);
  b.Store(z, square);
  Buffer* out = fixture.Bytes(64);
  Buffer* squares = fixture.Bytes(64);
  std::vector<float> values(16);
  for (size_t i = 0; i < 16; ++i) values[i] = static_cast<float>(i) * 0.3f;
  fixture.RunBlock(b.Finish(), {16}, {fixture.From(values), out, squares},
                   {Contiguous(16), Contiguous(16), Contiguous(16)});
  const auto got = fixture.To<float>(out, 16);
  const auto got_squares = fixture.To<float>(squares, 16);
  for (size_t i = 0; i < 16; ++i) {
    const float s = Link<float>(0, values[i], 0.1f);
    REQUIRE(got_squares[i] == Link<float>(2, s, s));
    REQUIRE(got[i] == Link<float>(1, Link<float>(2, s, s), values[i]));
  }
}

}  // namespace
}  // namespace faultline::fusion
