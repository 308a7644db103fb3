// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Single elements as raw storage bits (zero-extended to 64), and their exact text. Rounding here
// serves text and data forms; kernels round in their own code.

#ifndef IR_ELEMENT_H_
#define IR_ELEMENT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.h"

namespace faultline::ir {

// A scalar operand or a datum: bits of its dtype.
struct Scalar {
  Dtype dtype = Dtype::kF32;
  uint64_t bits = 0;
  bool operator==(const Scalar&) const = default;
};

// Exact value of a float element. NaN stays NaN.
double ToDouble(Dtype float_dtype, uint64_t bits);
// Nearest element, ties to even, overflow to infinity.
uint64_t FromDouble(Dtype float_dtype, double value);
// Whether some element of the dtype has exactly this value (NaN and infinities: yes for floats).
bool IsRepresentable(Dtype dtype, double value);
// Value of an int or bool element; u64 values above INT64_MAX come back as their two's complement.
int64_t ToInt(Dtype int_dtype, uint64_t bits);
// Keeps the low bits.
uint64_t FromInt(Dtype int_dtype, int64_t value);

Scalar FloatScalar(Dtype dtype, double value);
Scalar IntScalar(Dtype dtype, int64_t value);

// Inline, with copies of constant size: each is one instruction, of another size it would be a
// call.
inline uint64_t LoadElement(Dtype dtype, const std::byte* from) {
  static_assert(std::endian::native == std::endian::little);
  const auto load = [from](auto bits) {
    std::memcpy(&bits, from, sizeof(bits));
    return uint64_t{bits};
  };
  switch (ByteSize(dtype)) {
    case 1:
      return load(uint8_t{});
    case 2:
      return load(uint16_t{});
    case 4:
      return load(uint32_t{});
    case 8:
      return load(uint64_t{});
    default:
      return 0;
  }
}
inline void StoreElement(Dtype dtype, uint64_t bits, std::byte* to) {
  switch (ByteSize(dtype)) {
    case 1:
      std::memcpy(to, &bits, 1);
      break;
    case 2:
      std::memcpy(to, &bits, 2);
      break;
    case 4:
      std::memcpy(to, &bits, 4);
      break;
    case 8:
      std::memcpy(to, &bits, 8);
      break;
    default:
      break;
  }
}

bool IsNan(Dtype float_dtype, uint64_t bits);

// Canonical text of an element: hexfloat (`0x1.8p+1`, `-0x0p+0`), inf, -inf, nan, nan(0x7fc00001)
// for a NaN other than the canonical quiet one, decimal ints, true/false.
std::string PrintElement(Dtype dtype, uint64_t bits);
// Reads what PrintElement writes, and decimal ints and decimal fractions for floats that are
// exactly representable. Nothing if the text is no such literal or the value is not representable
// in the dtype.
std::optional<uint64_t> ParseElement(Dtype dtype, std::string_view text);
// As ParseElement, but a float literal is rounded once to the dtype (positional scalars).
std::optional<uint64_t> ParseScalar(Dtype dtype, std::string_view text);

}  // namespace faultline::ir

#endif  // IR_ELEMENT_H_
