// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Codes and scales of a quantized host tensor.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/base/check.h"
#include "ir/base/half.h"
#include "ir/data.h"
#include "ir/data/scale_value.h"
#include "ir/element.h"

namespace faultline::ir {
namespace {

// The unit that a code shares: a word for packed_u32, else a byte.
int UnitBytes(const Scheme& scheme) { return scheme.store == QStore::kPackedU32 ? 4 : 1; }

// Visits every logical element in row-major order: body(flat index, place of its code).
template <typename Body>
void ForEachCode(const Type& type, Body body) {
  const int64_t count = type.NumElements();
  if (count == 0) return;
  int64_t flat = 0;
  if (type.scheme().store == QStore::kNative) {
    for (; flat < count; ++flat) body(static_cast<size_t>(flat), CodePlace{flat, 0});
    return;
  }
  // Row by row: within a row places follow from each other.
  const Scheme& scheme = type.scheme();
  const int last = type.shape.rank() - 1;
  const int64_t row = last < 0 ? 1 : type.shape[last];
  Shape rows = type.shape;
  if (last >= 0) rows[last] = 1;
  const bool fills_units = scheme.packed_dim == 0;  // codes of a row share units with each other
  std::array<int64_t, kRankMax> index = {};
  do {
    CodePlace place = PlaceOfCode(scheme, type.shape, index.data());
    for (int64_t i = 0; i < row; ++i) {
      body(static_cast<size_t>(flat++), place);
      if (fills_units) place.shift += CodeBits(scheme.value);
      if (fills_units && place.shift < 8 * UnitBytes(scheme)) continue;
      place.byte += UnitBytes(scheme);
      if (fills_units) place.shift = 0;
    }
  } while (NextIndex(rows, index.data()));
}

uint32_t LoadUnit(const std::byte* from, int bytes) {
  // Copies of constant size are one instruction each, others are calls.
  if (bytes == 1) return std::to_integer<uint32_t>(*from);
  uint32_t unit = 0;
  if (bytes == 2) {
    std::memcpy(&unit, from, 2);
  } else {
    std::memcpy(&unit, from, 4);
  }
  return unit;
}

int32_t DecodeCode(const Scheme& scheme, uint32_t field) {
  const int unused = 32 - CodeBits(scheme.value);
  if (!IsIntegerCode(scheme.value) || scheme.value == QValue::kU8) {
    return static_cast<int32_t>(field << unused >> unused);
  }
  return static_cast<int32_t>(field << unused) >> unused;
}

}  // namespace

QuantizedParts DecodeQuantized(const HostTensor& tensor) {
  const Scheme& scheme = tensor.type.scheme();
  const QuantizedLayout layout = LayoutOf(scheme, tensor.type.shape);
  FAULTLINE_CHECK(static_cast<int64_t>(tensor.bytes.size()) == layout.total_bytes,
                  "the bytes of a quantized tensor do not fit its type");
  QuantizedParts parts;
  parts.codes.resize(static_cast<size_t>(tensor.type.NumElements()));
  const std::byte* bytes = tensor.bytes.data();
  const int unit_bytes = UnitBytes(scheme);
  ForEachCode(tensor.type, [&](size_t i, CodePlace place) {
    parts.codes[i] = DecodeCode(scheme, LoadUnit(bytes + place.byte, unit_bytes) >> place.shift);
  });
  const auto scales = static_cast<size_t>(layout.scale_count);
  const int scale_bytes = ScaleBytes(scheme.scale);
  parts.scales.resize(scales);
  for (size_t i = 0; i < scales; ++i) {
    parts.scales[i] =
        LoadUnit(bytes + layout.scale_offset + static_cast<int64_t>(i) * scale_bytes, scale_bytes);
  }
  if (scheme.asymmetric()) {
    parts.zeros.resize(scales);
    for (size_t i = 0; i < scales; ++i) {
      const uint32_t zero = LoadUnit(bytes + layout.zero_offset + static_cast<int64_t>(i), 1);
      parts.zeros[i] = DecodeCode(scheme, zero);
    }
  }
  if (scheme.two_level) parts.tensor_scale = LoadUnit(bytes + layout.tensor_scale_offset, 4);
  return parts;
}

HostTensor EncodeQuantized(const Type& type, const QuantizedParts& parts) {
  const Scheme& scheme = type.scheme();
  const QuantizedLayout layout = LayoutOf(scheme, type.shape);
  FAULTLINE_CHECK(parts.codes.size() == static_cast<size_t>(type.NumElements()) &&
                      parts.scales.size() == static_cast<size_t>(layout.scale_count),
                  "the parts of a quantized tensor do not fit its type");
  HostTensor tensor{type, std::vector<std::byte>(static_cast<size_t>(layout.total_bytes))};
  std::byte* bytes = tensor.bytes.data();
  const int unit_bytes = UnitBytes(scheme);
  const uint32_t mask = UINT32_MAX >> (32 - CodeBits(scheme.value));
  ForEachCode(type, [&](size_t i, CodePlace place) {
    std::byte* unit = bytes + place.byte;
    const uint32_t field = static_cast<uint32_t>(parts.codes[i]) & mask;
    const uint32_t joined = LoadUnit(unit, unit_bytes) | field << place.shift;
    if (unit_bytes == 1) {
      *unit = static_cast<std::byte>(joined);
    } else {
      std::memcpy(unit, &joined, 4);
    }
  });
  const auto scale_bytes = static_cast<size_t>(ScaleBytes(scheme.scale));
  for (size_t i = 0; i < parts.scales.size(); ++i) {
    std::memcpy(bytes + layout.scale_offset + i * scale_bytes, &parts.scales[i], scale_bytes);
  }
  if (scheme.asymmetric()) {
    FAULTLINE_CHECK(parts.zeros.size() == parts.scales.size(), "one zero point a scale");
    for (size_t i = 0; i < parts.zeros.size(); ++i) {
      bytes[static_cast<size_t>(layout.zero_offset) + i] = static_cast<std::byte>(parts.zeros[i]);
    }
  }
  if (scheme.two_level) {
    FAULTLINE_CHECK(parts.tensor_scale.has_value(), "a two-level scheme has a tensor scale");
    std::memcpy(bytes + layout.tensor_scale_offset, &*parts.tensor_scale, 4);
  }
  return tensor;
}

double ScaleValue(ScaleDtype dtype, uint32_t bits) {
  switch (dtype) {
    case ScaleDtype::kF32:
      return ToDouble(Dtype::kF32, bits);
    case ScaleDtype::kF16:
      return DecodeF16(static_cast<uint16_t>(bits));
    case ScaleDtype::kBf16:
      return DecodeBf16(static_cast<uint16_t>(bits));
    case ScaleDtype::kUe8m0:
      if (bits >= 255) break;
      return std::ldexp(1.0, static_cast<int>(bits) - 127);
    case ScaleDtype::kUe4m3: {
      if (bits >= 0x7f) break;
      const auto fraction = static_cast<int>(bits & 7);
      const auto exponent = static_cast<int>(bits >> 3);
      return exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::optional<uint32_t> FindScale(ScaleDtype dtype, double value) {
  switch (dtype) {
    case ScaleDtype::kF32:
    case ScaleDtype::kF16:
    case ScaleDtype::kBf16: {
      const Dtype plain = dtype == ScaleDtype::kF32   ? Dtype::kF32
                          : dtype == ScaleDtype::kF16 ? Dtype::kF16
                                                      : Dtype::kBf16;
      if (!IsRepresentable(plain, value)) return std::nullopt;
      return static_cast<uint32_t>(FromDouble(plain, value));
    }
    case ScaleDtype::kUe8m0:
    case ScaleDtype::kUe4m3:
      for (uint32_t bits = 0; bits < 255; ++bits) {
        if (ScaleValue(dtype, bits) == value) return bits;
      }
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace faultline::ir
