// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/decode.h"

#include <cstdint>

#include "harness/oracle/certify/code_formats.h"
#include "harness/oracle/certify/real.h"
#include "ir/scheme.h"

namespace faultline::harness {
namespace {

// Little-endian, as far as there are bytes.
uint32_t Bits(const ir::HostTensor& tensor, int64_t offset, int bytes) {
  uint32_t bits = 0;
  for (int i = 0; i < bytes && offset + i < std::ssize(tensor.bytes); ++i) {
    bits |= static_cast<uint32_t>(tensor.bytes[static_cast<size_t>(offset + i)]) << (8 * i);
  }
  return bits;
}

}  // namespace

DecodedTensor DecodeTensor(const ir::HostTensor& quantized, ir::Dtype to) {
  const ir::Shape& shape = quantized.type.shape;
  const ir::Scheme& scheme = quantized.type.scheme();
  const ir::QuantizedLayout layout = ir::LayoutOf(scheme, shape);
  const int scale_bytes = ir::ScaleBytes(scheme.scale);
  DecodedTensor decoded;
  if (shape.NumElements() == 0) return decoded;
  int64_t index[ir::kRankMax] = {};
  do {
    const int64_t block = BlockOf(scheme, shape, index);
    const auto [byte, shift] = ir::PlaceOfCode(scheme, shape, index);
    const uint32_t mask = (1U << ir::CodeBits(scheme.value)) - 1;
    const double code = CodeOf(scheme.value, Bits(quantized, byte, 4) >> shift & mask);
    double zero = 0;
    if (scheme.asymmetric()) {
      zero = CodeOf(scheme.value, Bits(quantized, layout.zero_offset + block, 1));
    }
    double scale = ScaleOf(scheme.scale,
                           Bits(quantized, layout.scale_offset + block * scale_bytes, scale_bytes));
    if (scheme.two_level) {
      const double level =
          ScaleOf(ir::ScaleDtype::kF32, Bits(quantized, layout.tensor_scale_offset, 4));
      scale = RoundTo(ir::Dtype::kF32, Real(scale) * level);
    }
    // Codes are small: the difference is exact.
    decoded.codes.push_back(code - zero);
    decoded.scales.push_back(scale);
    const double product = RoundTo(ir::Dtype::kF32, Real(code - zero) * scale);
    decoded.values.push_back(RoundTo(to, product));
  } while (ir::NextIndex(shape, index));
  return decoded;
}

}  // namespace faultline::harness
