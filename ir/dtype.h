// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The element types of tensors and facts about them. A quantized tensor has dtype kQuantized and a
// Scheme (ir/scheme.h) that is part of its type.

#ifndef IR_DTYPE_H_
#define IR_DTYPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace faultline::ir {

enum class Dtype : uint8_t {
  kF64,
  kF32,
  kF16,
  kBf16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool,
  kQuantized,
};

inline constexpr int kPlainDtypeCount = 13;  // all but kQuantized
inline constexpr std::array<Dtype, kPlainDtypeCount> kPlainDtypes = {
    Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI64, Dtype::kI32, Dtype::kI16,
    Dtype::kI8,  Dtype::kU64, Dtype::kU32, Dtype::kU16,  Dtype::kU8,  Dtype::kBool};

// Sets of dtypes, as one bit each.
using DtypeMask = uint16_t;
constexpr DtypeMask MaskOf(Dtype dtype) {
  return static_cast<DtypeMask>(1u << static_cast<unsigned>(dtype));
}
inline constexpr DtypeMask kFloatMask = 0x000f;
inline constexpr DtypeMask kQuantizableMask = 0x000e;  // floats without f64
inline constexpr DtypeMask kSignedMask = 0x00f0;
inline constexpr DtypeMask kUnsignedMask = 0x0f00;
inline constexpr DtypeMask kIntMask = kSignedMask | kUnsignedMask;
inline constexpr DtypeMask kNumericMask = kFloatMask | kIntMask;
inline constexpr DtypeMask kBoolMask = 0x1000;
inline constexpr DtypeMask kPlainMask = kNumericMask | kBoolMask;
inline constexpr DtypeMask kQuantizedMask = 0x2000;
inline constexpr DtypeMask kAnyMask = kPlainMask | kQuantizedMask;

constexpr bool IsIn(Dtype dtype, DtypeMask mask) { return (MaskOf(dtype) & mask) != 0; }
constexpr bool IsFloat(Dtype dtype) { return IsIn(dtype, kFloatMask); }
constexpr bool IsSigned(Dtype dtype) { return IsIn(dtype, kSignedMask); }
constexpr bool IsUnsigned(Dtype dtype) { return IsIn(dtype, kUnsignedMask); }
constexpr bool IsInt(Dtype dtype) { return IsIn(dtype, kIntMask); }
constexpr bool IsIndex(Dtype dtype) { return dtype == Dtype::kI32 || dtype == Dtype::kI64; }

// Bytes of one element of a plain dtype; 0 for kQuantized.
constexpr int ByteSize(Dtype dtype) {
  constexpr std::array<int8_t, 14> kSizes = {8, 4, 2, 2, 8, 4, 2, 1, 8, 4, 2, 1, 1, 0};
  return kSizes[static_cast<size_t>(dtype)];
}
constexpr int BitWidth(Dtype dtype) { return 8 * ByteSize(dtype); }

// Inclusive range of an integer dtype or bool, as it fits: the minimum as i64, the maximum as u64.
constexpr int64_t IntMin(Dtype dtype) {
  return IsSigned(dtype) ? INT64_MIN >> (64 - BitWidth(dtype)) : 0;
}
constexpr uint64_t IntMax(Dtype dtype) {
  if (dtype == Dtype::kBool) return 1;
  return UINT64_MAX >> (64 - BitWidth(dtype) + (IsSigned(dtype) ? 1 : 0));
}

// "f32", "bool"; "quantized" for kQuantized (a type prints its scheme instead).
std::string_view DtypeName(Dtype dtype);
// Plain dtypes only.
std::optional<Dtype> FindDtype(std::string_view name);

}  // namespace faultline::ir

#endif  // IR_DTYPE_H_
