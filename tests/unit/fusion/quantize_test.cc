// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantized tensors: codes and scales written, read back through blocks, and moved. Places come
// from ir::PlaceOfCode and ir::BlockExtents, one element at a time.

#include <array>
#include <cmath>

#include "ir/data.h"
#include "ir/element.h"
#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;
using ir::QStore;
using ir::QValue;

std::vector<ir::Scheme> Schemes(int rank) {
  std::vector<ir::Scheme> schemes;
  for (const QValue value :
       {QValue::kQ8f, QValue::kQ8s, QValue::kQ4f, QValue::kQ4s, QValue::kQ2f, QValue::kQ2s}) {
    for (const std::vector<int32_t>& block :
         {std::vector<int32_t>{}, std::vector<int32_t>{4}, std::vector<int32_t>{2, 3}}) {
      if (static_cast<int>(block.size()) > rank) continue;
      ir::Scheme scheme;
      scheme.value = value;
      scheme.block_rank = static_cast<uint8_t>(block.size());
      std::copy(block.begin(), block.end(), scheme.block.begin());
      for (int dim = 0; dim < std::max(rank, 1); ++dim) {
        scheme.packed_dim = static_cast<uint8_t>(dim);
        schemes.push_back(scheme);
      }
      if (ir::CodeBits(value) != 8) continue;
      scheme.store = QStore::kNative;
      scheme.packed_dim = 0;
      schemes.push_back(scheme);
    }
  }
  return schemes;
}

int64_t ScaleIndex(const ir::Scheme& scheme, const ir::Shape& shape, const int64_t* index) {
  const auto block = ir::BlockExtents(scheme, shape);
  const ir::Shape grid = ir::ScaleGrid(scheme, shape);
  int64_t at = 0;
  for (int k = 0; k < shape.rank(); ++k) {
    const int64_t extent = std::max<int64_t>(block[static_cast<size_t>(k)], 1);
    at = at * grid[k] + index[k] / extent;
  }
  return at;
}

template <typename Body>
void ForElements(const ir::Shape& shape, const Body& body) {
  if (shape.NumElements() == 0) return;
  std::array<int64_t, ir::kRankMax> index = {};
  int64_t linear = 0;
  do {
    body(index.data(), linear++);
  } while (ir::NextIndex(shape, index.data()));
}

// The pinned arithmetic, element by element.
std::vector<std::byte> Quantized(const ir::Scheme& scheme, const ir::Shape& shape,
                                 const std::vector<float>& x, std::vector<float>* values) {
  const ir::QuantizedLayout layout = ir::LayoutOf(scheme, shape);
  std::vector<std::byte> bytes(static_cast<size_t>(layout.total_bytes));
  std::vector<float> scales(static_cast<size_t>(layout.scale_count), 0);
  ForElements(shape, [&](const int64_t* index, int64_t linear) {
    float& range = scales[static_cast<size_t>(ScaleIndex(scheme, shape, index))];
    const float magnitude = std::fabs(x[static_cast<size_t>(linear)]);
    if (std::isfinite(magnitude)) range = std::max(range, magnitude);
  });
  for (size_t i = 0; i < scales.size(); ++i) {
    scales[i] = std::max(scales[i] / static_cast<float>(ir::ScaleDivisor(scheme.value)), 0x1p-126f);
    std::memcpy(bytes.data() + layout.scale_offset + static_cast<int64_t>(i) * 4, &scales[i], 4);
  }
  values->resize(x.size());
  ForElements(shape, [&](const int64_t* index, int64_t linear) {
    const float scale = scales[static_cast<size_t>(ScaleIndex(scheme, shape, index))];
    const float quotient = std::nearbyint(x[static_cast<size_t>(linear)] / scale);
    const int low = ir::CodeMin(scheme.value);
    const int high = ir::CodeMax(scheme.value);
    const int code = quotient != quotient                  ? 0
                     : quotient < static_cast<float>(low)  ? low
                     : quotient > static_cast<float>(high) ? high
                                                           : static_cast<int>(quotient);
    (*values)[static_cast<size_t>(linear)] = static_cast<float>(code) * scale;
    const ir::CodePlace place = ir::PlaceOfCode(scheme, shape, index);
    uint32_t word = 0;
    const size_t width = scheme.store == QStore::kNative ? 1 : 4;
    std::memcpy(&word, bytes.data() + place.byte, width);
    const uint32_t mask = (1u << ir::CodeBits(scheme.value)) - 1;
    word |= (static_cast<uint32_t>(code) & mask) << place.shift;
    std::memcpy(bytes.data() + place.byte, &word, width);
  });
  return bytes;
}

std::vector<float> Values(int64_t count) {
  std::vector<float> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(static_cast<int>(i * 53 % 211) - 100) * 0.37f;
    if (i % 23 == 11) x[i] = NAN;
    if (i % 29 == 17) x[i] = i % 2 == 0 ? INFINITY : -INFINITY;
    if (i % 31 == 5) x[i] = -0.0f;
  }
  return x;
}

Block Dequantizing(const ir::Scheme& scheme) {
  BlockBuilder b(1);
  const int from = b.AddStrided(b.AddSlot(), ir::ElementType(scheme));
  const int to = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(to, b.Load(from));
  return b.Finish();
}

const std::vector<ir::Shape> kShapes = {
    ir::Shape{},     ir::Shape{0},    ir::Shape{1},       ir::Shape{17},    ir::Shape{3, 3},
    ir::Shape{5, 9}, ir::Shape{2, 0}, ir::Shape{2, 3, 7}, ir::Shape{3, 70}, ir::Shape{2, 1300}};

TEST_CASE("quantize writes the pinned codes and scales, dequantize reads them") {
  TargetFixture fixture;
  for (const ir::Shape& shape : kShapes) {
    const int64_t n = shape.NumElements();
    const std::vector<float> x = Values(n);
    for (const ir::Scheme& scheme : Schemes(shape.rank())) {
      INFO(ir::PrintScheme(scheme) << ir::PrintShape(shape));
      std::vector<float> values;
      const auto want = Quantized(scheme, shape, x, &values);
      Buffer* out = fixture.Bytes(static_cast<int64_t>(want.size()));
      const QuantizeBinding binding{fixture.Dense(fixture.From(x), shape), out};
      REQUIRE(fixture.Run(QuantizeLaunch{Dtype::kF32, scheme, ir::Range::kMinMax}, binding).ok());
      REQUIRE(fixture.To<std::byte>(out, static_cast<int64_t>(want.size())) == want);

      Buffer* back = fixture.Bytes(n * 4);
      // Backwards, and straight.
      for (const bool flipped : {false, true}) {
        AccessBinding map = flipped ? Strides({n}, {-1}, n - 1) : Contiguous(n);
        map.quantized_shape = shape;
        fixture.RunBlock(Dequantizing(scheme), {n}, {out, back}, {map, Contiguous(n)});
        const auto got = fixture.To<float>(back, n);
        for (size_t i = 0; i < got.size(); ++i) {
          REQUIRE(got[i] == values[flipped ? values.size() - 1 - i : i]);
        }
      }
    }
  }
}

TEST_CASE("16-bit floats are widened exactly before they are quantized") {
  TargetFixture fixture;
  const ir::Shape shape = {4, 9};
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    std::vector<uint16_t> raw(36);
    std::vector<float> x(36);
    for (size_t i = 0; i < raw.size(); ++i) {
      raw[i] = static_cast<uint16_t>(ir::FromDouble(dtype, static_cast<double>(i) * 0.3 - 4));
      x[i] = static_cast<float>(ir::ToDouble(dtype, raw[i]));
    }
    for (const ir::Scheme& scheme : Schemes(2)) {
      std::vector<float> values;
      const auto want = Quantized(scheme, shape, x, &values);
      Buffer* out = fixture.Bytes(static_cast<int64_t>(want.size()));
      const QuantizeBinding binding{fixture.Dense(fixture.From(raw), shape), out};
      REQUIRE(fixture.Run(QuantizeLaunch{dtype, scheme, ir::Range::kMinMax}, binding).ok());
      REQUIRE(fixture.To<std::byte>(out, static_cast<int64_t>(want.size())) == want);
    }
  }
}

TEST_CASE("abs-mean takes the mean magnitude of the finite elements") {
  TargetFixture fixture;
  ir::Scheme scheme;
  scheme.store = QStore::kNative;
  Buffer* out = fixture.Bytes(ir::LayoutOf(scheme, ir::Shape{5}).total_bytes);
  const QuantizeBinding binding{
      fixture.Dense(fixture.From(std::vector<float>{1, -2, INFINITY, 9, NAN}), {5}), out};
  REQUIRE(fixture.Run(QuantizeLaunch{Dtype::kF32, scheme, ir::Range::kAbsMean}, binding).ok());
  const auto got = fixture.To<std::byte>(out, 12);
  float scale;
  std::memcpy(&scale, got.data() + 8, 4);
  CHECK(scale == 4.0f / 127.0f);
  CHECK(static_cast<int8_t>(got[3]) == 127);  // beyond the range: clipped
  CHECK(static_cast<int8_t>(got[2]) == 127);
  CHECK(static_cast<int8_t>(got[4]) == 0);
}

TEST_CASE("moving codes keeps codes and scales as they are") {
  TargetFixture fixture;
  const ir::Shape shape = {4, 6};
  const ir::Shape turned = {6, 4};
  const std::vector<float> x = Values(24);
  for (ir::Scheme scheme : Schemes(2)) {
    std::vector<float> values;
    const auto from = Quantized(scheme, shape, x, &values);
    ir::Scheme result = scheme;
    if (scheme.store != QStore::kNative) {
      result.packed_dim = static_cast<uint8_t>(1 - scheme.packed_dim);
    }
    if (!scheme.per_tensor()) {
      const auto block = ir::BlockExtents(scheme, shape);
      result.block = {static_cast<int32_t>(block[1]), static_cast<int32_t>(block[0])};
      result.block_rank = 2;
    }
    MoveCodesLaunch launch;
    Access access;
    access.storage = ir::ElementType(scheme);
    launch.accesses = {access};
    launch.result = result;
    AccessBinding map = Strides({6, 4}, {1, 6});
    map.quantized_shape = shape;
    const std::vector<Buffer*> buffers = {fixture.From(from)};
    const std::vector<AccessBinding> maps = {map};
    MoveCodesBinding binding;
    binding.buffers = buffers;
    binding.accesses = maps;
    binding.shape = turned;
    const int64_t bytes = ir::LayoutOf(result, turned).total_bytes;
    binding.to = fixture.Bytes(bytes);
    REQUIRE(fixture.Run(launch, binding).ok());
    const ir::HostTensor before{ir::Type(ir::ElementType(scheme), shape), from};
    const ir::HostTensor after{ir::Type(ir::ElementType(result), turned),
                               fixture.To<std::byte>(binding.to, bytes)};
    const ir::QuantizedParts old_parts = ir::DecodeQuantized(before);
    const ir::QuantizedParts parts = ir::DecodeQuantized(after);
    ForElements(shape, [&](const int64_t* index, int64_t linear) {
      const std::array<int64_t, 2> other = {index[1], index[0]};
      REQUIRE(parts.codes[static_cast<size_t>(index[1] * 4 + index[0])] ==
              old_parts.codes[static_cast<size_t>(linear)]);
      REQUIRE(parts.scales[static_cast<size_t>(ScaleIndex(result, turned, other.data()))] ==
              old_parts.scales[static_cast<size_t>(ScaleIndex(scheme, shape, index))]);
    });
    // Nothing but codes and scales is set.
    CHECK(ir::EncodeQuantized(after.type, parts) == after);
  }
}

}  // namespace
}  // namespace faultline::fusion
