// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of codes, held against sums formed term by term, under every instruction set, for one
// thread and for several, and in small blocks.

#include <fmt/format.h>

#include <bit>

#include "fusion/cpu/kernels/kernels.h"
#include "ir/data.h"
#include "ir/element.h"
#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::QStore;
using ir::QValue;

ir::Scheme SchemeOf(QValue value, QStore store, int packed_dim, std::vector<int32_t> block) {
  ir::Scheme scheme;
  scheme.value = value;
  scheme.store = store;
  scheme.packed_dim = static_cast<uint8_t>(packed_dim);
  scheme.block_rank = static_cast<uint8_t>(block.size());
  std::copy(block.begin(), block.end(), scheme.block.begin());
  return scheme;
}

struct Operand {
  ir::HostTensor host;
  ir::QuantizedParts parts;
};

// Codes over the whole range, or most of them as far from the zero point as they can be.
Operand Make(const ir::Scheme& scheme, const ir::Shape& shape, bool far, uint32_t seed) {
  const ir::Type type(ir::ElementType(scheme), shape);
  Operand operand;
  const int low = ir::CodeMin(scheme.value);
  const int high = ir::CodeMax(scheme.value);
  const auto next = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
  const auto code = [&] {
    return low + static_cast<int>(next() % static_cast<uint32_t>(high - low + 1));
  };
  const int farthest = scheme.asymmetric() ? high : low;
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    operand.parts.codes.push_back(far && next() % 8 != 0 ? farthest : code());
  }
  for (int64_t i = 0; i < ir::LayoutOf(scheme, shape).scale_count; ++i) {
    const float scale = 0x1p-9f * static_cast<float>(1 + next() % 1000);
    operand.parts.scales.push_back(std::bit_cast<uint32_t>(scale));
    if (scheme.asymmetric()) operand.parts.zeros.push_back(far ? low : code());
  }
  operand.host = ir::EncodeQuantized(type, operand.parts);
  return operand;
}

// [batches, m, k] by [k, n]: a scale a tensor or a row, and a tensor or a column.
std::vector<float> Expected(const Operand& left, const Operand& right) {
  const ir::Shape& a = left.host.type.shape;
  const int64_t rows = a[0] * a[1];
  const int64_t k = a[2];
  const int64_t n = right.host.type.shape[1];
  const auto of = [](const auto& all, int64_t dot) {
    return all.empty() ? 0 : all[all.size() == 1 ? 0 : static_cast<size_t>(dot)];
  };
  std::vector<float> result;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += int64_t{left.parts.codes[static_cast<size_t>(i * k + p)] - of(left.parts.zeros, i)} *
               (right.parts.codes[static_cast<size_t>(p * n + j)] - of(right.parts.zeros, j));
      }
      const auto scale = std::bit_cast<float>(of(left.parts.scales, i)) *
                         std::bit_cast<float>(of(right.parts.scales, j));
      result.push_back(k == 0 ? 0 : static_cast<float>(sum) * scale);
    }
  }
  return result;
}

struct Case {
  ir::Scheme left;
  ir::Scheme right;
  int64_t batches, m, k, n;
  bool far = false;
};

void Check(TargetFixture& fixture, const Case& it) {
  INFO(fmt::format("{} by {}, {} x [{},{}] by [{},{}]", ir::PrintScheme(it.left),
                   ir::PrintScheme(it.right), it.batches, it.m, it.k, it.k, it.n));
  const Operand left = Make(it.left, {it.batches, it.m, it.k}, it.far, 1);
  const Operand right = Make(it.right, {it.k, it.n}, it.far, 2);
  const std::vector<float> want = Expected(left, right);
  const ir::Shape shape = {it.batches, it.m, it.n};
  QMatmulBinding binding;
  binding.left = fixture.From(left.host.bytes);
  binding.right = fixture.From(right.host.bytes);
  binding.left_shape = left.host.type.shape;
  binding.right_shape = right.host.type.shape;
  for (const bool turned : {false, true}) {
    binding.result = TargetFixture::Dense(fixture.Bytes(shape.NumElements() * 4), shape);
    if (turned) binding.result.place.strides = {it.m * it.n, 1, it.m};
    REQUIRE(fixture.Run(QMatmulLaunch{it.left, it.right}, binding).ok());
    const auto got = fixture.To<float>(binding.result.buffer, shape.NumElements());
    for (int64_t at = 0; at < shape.NumElements(); ++at) {
      const int64_t i = at / it.n % it.m;
      const int64_t from = turned ? at / (it.m * it.n) * it.m * it.n + at % it.n * it.m + i : at;
      REQUIRE(got[static_cast<size_t>(from)] == want[static_cast<size_t>(at)]);
    }
  }
}

template <typename Body>
void ForEachTarget(const Body& body) {
  for (const char* isa : {"baseline", "avx2", "avx512"}) {
    TargetOptions options;
    options.isa = isa;
    if (!cpu::MakeCpuTarget(options).has_value()) continue;
    for (const int threads : {1, 3}) {
      for (const bool small : {false, true}) {
        INFO(fmt::format("isa {}, {} threads, small {}", isa, threads, small));
        options.threads = threads;
        options.pool = PoolMode::kGuard;
        TargetFixture fixture(options);
        fixture.options().thread_threshold = 1;
        fixture.options().small_tiles = small;
        body(fixture);
      }
    }
  }
}

TEST_CASE("products of codes are exact for every value, store and scale") {
  ForEachTarget([](TargetFixture& fixture) {
    for (const QValue value :
         {QValue::kQ8s, QValue::kQ8f, QValue::kU8, QValue::kI8, QValue::kQ4s, QValue::kQ2f}) {
      for (const QValue other : {QValue::kQ8s, QValue::kU8, QValue::kI8, QValue::kQ4f}) {
        for (const bool block : {false, true}) {
          const std::vector<int32_t> none;
          const std::vector<int32_t> row = {1, 70};
          const std::vector<int32_t> column = {70, 1};
          Check(fixture, {SchemeOf(value, QStore::kPackedU32, 0, block ? row : none),
                          SchemeOf(other, QStore::kPackedU32, block ? 1 : 0, block ? column : none),
                          2, 5, 70, 37});
          if (ir::CodeBits(value) != 8 || ir::CodeBits(other) != 8) continue;
          Check(fixture,
                {SchemeOf(value, QStore::kNative, 0, block ? row : none),
                 SchemeOf(other, QStore::kNative, 0, block ? column : none), 1, 3, 70, 130});
        }
      }
    }
  });
}

TEST_CASE("products of codes come in blocks of every size") {
  const ir::Scheme native = SchemeOf(QValue::kQ8s, QStore::kNative, 0, {});
  ForEachTarget([&](TargetFixture& fixture) {
    for (const int64_t k : {0, 1, 4, 513}) {
      for (const int64_t m : {1, 7, 50}) {
        for (const int64_t n : {1, 16, 65, 128}) Check(fixture, {native, native, 1, m, k, n});
      }
    }
  });
}

TEST_CASE("products of many codes need more than 32 bits") {
  const ir::Scheme native = SchemeOf(QValue::kU8, QStore::kNative, 0, {});
  const ir::Scheme symmetric = SchemeOf(QValue::kQ8f, QStore::kNative, 0, {});
  ForEachTarget([&](TargetFixture& fixture) {
    for (const int64_t k : {33024, 33030, 200001}) {
      Check(fixture, {native, native, 1, 2, k, 3, true});
      Check(fixture, {symmetric, native, 1, 2, k, 3, true});
      Check(fixture, {symmetric, symmetric, 1, 2, k, 3, true});
    }
  });
}

// A CPU with VNNI never chooses the kernels that do without it.
TEST_CASE("blocks of products of bytes are sums modulo 2^32 in every kernel") {
  std::vector<cpu::ByteProductKernel> kernels = {cpu::baseline::kByteProduct};
  if (cpu::ChooseKernels("avx2") != nullptr) kernels.push_back(cpu::avx2::kByteProduct);
  if (cpu::ChooseKernels("avx512") != nullptr) kernels.push_back(cpu::avx512::kByteProduct);
  for (const char* isa : {"avx2", "avx512"}) {
    if (const auto* set = cpu::ChooseKernels(isa)) kernels.push_back(*set->product);
  }
  constexpr int64_t kDepth = 12;
  constexpr int64_t kRows = 13;
  constexpr int64_t kBytes = kDepth * cpu::kSumColumns;
  std::vector<int8_t> rows(static_cast<size_t>(kRows * kDepth));
  std::vector<uint8_t> panels(static_cast<size_t>(kBytes));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int8_t>(i % 5 == 0 ? 128 : i * 89);
  for (size_t i = 0; i < panels.size(); ++i) {
    panels[i] = static_cast<uint8_t>(i % 3 == 0 ? 255 : i * 7);
  }
  const cpu::ByteProductOperands from{rows.data(), kDepth, panels.data(),
                                      kDepth * cpu::kPanelColumns, kDepth};
  for (const cpu::ByteProductKernel kernel : kernels) {
    for (int64_t m = 1; m <= kRows; ++m) {
      for (int64_t n = 1; n <= cpu::kSumPanels; ++n) {
        const int32_t before = INT32_MAX - 1000;
        std::vector<int32_t> sums(static_cast<size_t>(kRows * cpu::kSumColumns), before);
        kernel(from, m, n, sums.data());
        for (int64_t at = 0; at < std::ssize(sums); ++at) {
          const int64_t i = at / cpu::kSumColumns;
          const int64_t j = at % cpu::kSumColumns;
          int64_t sum = before;
          for (int64_t p = 0; i < m && j < n * cpu::kPanelColumns && p < kDepth; ++p) {
            const int64_t panel = j / cpu::kPanelColumns * kDepth * cpu::kPanelColumns;
            const int64_t byte = panel + (p / 4 * cpu::kPanelColumns + j % cpu::kPanelColumns) * 4;
            sum += rows[static_cast<size_t>(i * kDepth + p)] *
                   panels[static_cast<size_t>(byte + p % 4)];
          }
          REQUIRE(sums[static_cast<size_t>(at)] == static_cast<int32_t>(sum));
        }
      }
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
