// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of every dtype and layout, with prologues and epilogues, against plain loops. Operands
// are small integers, so that any order of the sums gives the same bits.

#include <bit>
#include <cmath>

#include "ir/element.h"
#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

struct Case {
  int64_t batch;
  int64_t m;
  int64_t k;
  int64_t n;
};
// Small ones for our own loops, large ones for the library, several panels.
const std::vector<Case> kCases = {{1, 1, 1, 1},  {2, 3, 4, 5},    {3, 1, 7, 2},    {1, 5, 0, 4},
                                  {2, 17, 9, 1}, {1, 33, 40, 31}, {2, 20, 64, 30}, {1, 600, 9, 20},
                                  {4, 0, 3, 2},  {0, 2, 2, 2}};

int64_t Digit(int64_t i) { return i * 37 % 13 - 6; }

// Raw bytes of `count` digits (non-negative ones for unsigned dtypes).
std::vector<std::byte> Digits(Dtype dtype, int64_t count, int64_t seed) {
  const int width = ir::ByteSize(dtype);
  std::vector<std::byte> raw(static_cast<size_t>(count * width));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = ir::IsUnsigned(dtype) ? Digit(i + seed) + 6 : Digit(i + seed);
    const uint64_t bits =
        ir::IsFloat(dtype) ? ir::FromDouble(dtype, static_cast<double>(x)) : ir::FromInt(dtype, x);
    ir::StoreElement(dtype, bits, raw.data() + i * width);
  }
  return raw;
}

int64_t ValueAt(Dtype dtype, const std::vector<std::byte>& raw, int64_t i) {
  const uint64_t bits = ir::LoadElement(dtype, raw.data() + i * ir::ByteSize(dtype));
  return ir::IsFloat(dtype) ? static_cast<int64_t>(ir::ToDouble(dtype, bits))
                            : ir::ToInt(dtype, bits);
}

struct Layout {
  bool left_turned = false;
  bool right_turned = false;
  bool right_shared = false;  // one right matrix for all batches
  bool spread = false;        // result and left have gaps between elements
};

TensorBinding Matrices(Buffer* buffer, int64_t batch, int64_t rows, int64_t columns, bool turned,
                       bool shared, int64_t spread) {
  TensorBinding tensor;
  tensor.buffer = buffer;
  tensor.shape = {batch, rows, columns};
  tensor.place.strides[0] = shared ? 0 : rows * columns * spread;
  tensor.place.strides[1] = turned ? spread : columns * spread;
  tensor.place.strides[2] = turned ? rows * spread : spread;
  return tensor;
}

void CheckMatmul(TargetFixture* fixture, Dtype dtype, const Case& c, const Layout& layout) {
  const int width = ir::ByteSize(dtype);
  const int64_t spread = layout.spread ? 2 : 1;
  const auto a = Digits(dtype, c.batch * c.m * c.k * spread, 0);
  const auto b = Digits(dtype, c.batch * c.k * c.n, 5);
  MatmulBinding binding;
  binding.left = Matrices(fixture->From(a), c.batch, c.m, c.k, layout.left_turned, false, spread);
  binding.right =
      Matrices(fixture->From(b), c.batch, c.k, c.n, layout.right_turned, layout.right_shared, 1);
  Buffer* out = fixture->Bytes(c.batch * c.m * c.n * spread * width);
  binding.result = Matrices(out, c.batch, c.m, c.n, false, false, spread);
  MatmulLaunch launch;
  launch.left = dtype;
  launch.right = dtype;
  launch.result = dtype;
  launch.accumulator = RegOf(dtype);
  REQUIRE(fixture->Run(launch, binding) == ir::Status());
  const auto got = fixture->To<std::byte>(out, c.batch * c.m * c.n * spread * width);
  const auto at = [](const TensorBinding& t, int64_t x, int64_t y, int64_t z) {
    return x * t.place.strides[0] + y * t.place.strides[1] + z * t.place.strides[2];
  };
  for (int64_t x = 0; x < c.batch; ++x) {
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) {
        int64_t want = 0;
        for (int64_t p = 0; p < c.k; ++p) {
          want += ValueAt(dtype, a, at(binding.left, x, i, p)) *
                  ValueAt(dtype, b, at(binding.right, x, p, j));
        }
        const int64_t result = ValueAt(dtype, got, at(binding.result, x, i, j));
        if (dtype == Dtype::kF16 || dtype == Dtype::kBf16) {
          const uint64_t bits = ir::FromDouble(dtype, static_cast<double>(want));
          REQUIRE(result == static_cast<int64_t>(ir::ToDouble(dtype, bits)));
        } else if (ir::IsFloat(dtype)) {
          REQUIRE(result == want);
        } else {
          REQUIRE(result == ir::ToInt(dtype, ir::FromInt(dtype, want)));
        }
      }
    }
  }
}

TEST_CASE("products of every dtype and layout") {
  for (const int threads : {1, 3}) {
    TargetOptions options;
    options.threads = threads;
    TargetFixture fixture(options);
    fixture.options().thread_threshold = 1;
    for (const Dtype dtype : ir::kPlainDtypes) {
      if (dtype == Dtype::kBool) continue;
      for (const Case& c : kCases) {
        INFO(ir::DtypeName(dtype) << " " << c.batch << "x" << c.m << "x" << c.k << "x" << c.n);
        CheckMatmul(&fixture, dtype, c, {});
        CheckMatmul(&fixture, dtype, c, {.left_turned = true});
        CheckMatmul(&fixture, dtype, c, {.right_turned = true, .right_shared = true});
        CheckMatmul(&fixture, dtype, c, {.left_turned = true, .right_turned = true});
        CheckMatmul(&fixture, dtype, c, {.right_shared = true, .spread = true});
      }
    }
  }
}

TEST_CASE("NaN and infinity always take part") {
  TargetFixture fixture;
  for (const int64_t n : {2, 40}) {
    std::vector<float> a(static_cast<size_t>(n * n), 0);
    std::vector<float> b(static_cast<size_t>(n * n), 0);
    b[1] = INFINITY;
    b[static_cast<size_t>(n)] = NAN;
    MatmulBinding binding;
    binding.left = fixture.Dense(fixture.From(a), {n, n});
    binding.right = fixture.Dense(fixture.From(b), {n, n});
    Buffer* out = fixture.Bytes(n * n * 4);
    binding.result = fixture.Dense(out, {n, n});
    REQUIRE(fixture.Run(MatmulLaunch{}, binding).ok());
    const auto got = fixture.To<float>(out, n * n);
    for (int64_t i = 0; i < n; ++i) {
      CHECK(std::isnan(got[static_cast<size_t>(i * n)]));
      CHECK(std::isnan(got[static_cast<size_t>(i * n + 1)]));
      if (n > 2) CHECK(got[static_cast<size_t>(i * n + 2)] == 0);
    }
  }
}

// result = product + bias along n, cast to f16, with the right operand dequantized on the way in.
TEST_CASE("a prologue and an epilogue") {
  for (const int threads : {1, 2}) {
    TargetOptions options;
    options.threads = threads;
    TargetFixture fixture(options);
    fixture.options().thread_threshold = 1;
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{3, 4, 5}, {500, 30, 20}, {2, 0, 3}}) {
      const auto a = Digits(Dtype::kF32, m * k, 1);
      std::vector<int8_t> b(static_cast<size_t>(k * n));
      for (size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<int8_t>(Digit(static_cast<int64_t>(i)));
      std::vector<float> bias(static_cast<size_t>(n));
      for (size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<float>(j) + 0.5f;

      BlockBuilder prologue(2);
      const int product_slot = prologue.AddSlot();
      const int from = prologue.AddStrided(prologue.AddSlot(), Dtype::kI8);
      const int dense = prologue.AddStrided(product_slot, Dtype::kF32);
      prologue.BeginElementPhase();
      prologue.Store(dense, prologue.Cast(prologue.Load(from), Dtype::kI8, Dtype::kF32));

      BlockBuilder epilogue(2);
      const int product = epilogue.AddStrided(epilogue.AddSlot(), Dtype::kF32);
      const int add = epilogue.AddStrided(epilogue.AddSlot(), Dtype::kF32);
      const int to = epilogue.AddStrided(epilogue.AddSlot(), Dtype::kF16);
      epilogue.BeginElementPhase();
      const Val sum = epilogue.Binary(Op::kAdd, epilogue.Load(product), epilogue.Load(add));
      epilogue.Store(to, epilogue.Cast(sum, Dtype::kF32, Dtype::kF16));

      MatmulLaunch launch;
      launch.right_prologue = std::make_shared<const Block>(prologue.Finish());
      launch.epilogue = std::make_shared<const Block>(epilogue.Finish());
      MatmulBinding binding;
      binding.left = fixture.Dense(fixture.From(a), {m, k});
      binding.right = fixture.Dense(nullptr, {k, n});
      binding.result = fixture.Dense(nullptr, {m, n});
      const std::vector<int64_t> right_extents = {k, n};
      const std::vector<Buffer*> right_buffers = {nullptr, fixture.From(b)};
      const std::vector<AccessBinding> right_maps = {Contiguous(k * n), AccessBinding()};
      binding.right_prologue = {right_extents, right_buffers, right_maps, {}};
      Buffer* out = fixture.Bytes(m * n * 2);
      const std::vector<int64_t> extents = {m, n};
      const std::vector<Buffer*> buffers = {nullptr, fixture.From(bias), out};
      const std::vector<AccessBinding> maps = {AccessBinding(), Strides({m, n}, {0, 1}),
                                               Contiguous(m * n)};
      binding.epilogue = {extents, buffers, maps, {}};
      REQUIRE(fixture.Run(launch, binding) == ir::Status());
      const auto got = fixture.To<uint16_t>(out, m * n);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double want = static_cast<double>(bias[static_cast<size_t>(j)]);
          for (int64_t p = 0; p < k; ++p) {
            want += static_cast<double>(ValueAt(Dtype::kF32, a, i * k + p) *
                                        b[static_cast<size_t>(p * n + j)]);
          }
          REQUIRE(got[static_cast<size_t>(i * n + j)] == ir::FromDouble(Dtype::kF16, want));
        }
      }
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
