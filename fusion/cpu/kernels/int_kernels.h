// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of the int registers. Everything wraps; division and remainder have the pinned results
// for 0 and INT_MIN / -1. For kernel units alone.

#ifndef FUSION_CPU_KERNELS_INT_KERNELS_H_
#define FUSION_CPU_KERNELS_INT_KERNELS_H_

#include "fusion/cpu/kernels/number_kernels.h"

namespace faultline::fusion::cpu {
namespace {

template <typename T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < T{0};

// Quotients of pairs whose divisor is neither 0 nor such that the quotient overflows. 32-bit
// quotients are exact in f64 once truncated.
template <typename T>
FAULTLINE_INLINE Lanes<T> Quotient(Lanes<T> a, Lanes<T> b) {
  if constexpr (sizeof(T) == 4) {
    const Lanes<double> exact =
        __builtin_convertvector(a, Lanes<double>) / __builtin_convertvector(b, Lanes<double>);
    return __builtin_convertvector(exact, Lanes<T>);
  } else {
    Lanes<T> result;
    for (int i = 0; i < 16; ++i) result[i] = a[i] / b[i];
    return result;
  }
}

// The divisor with 1 where division is not defined.
template <typename T>
FAULTLINE_INLINE Lanes<T> SafeDivisor(Lanes<T> a, Lanes<T> b) {
  Truth<T> unsafe = b == T{0};
  if constexpr (kIsSigned<T>) unsafe |= (b == T{-1}) & (a == Limits<T>::kLeast);
  return Choose<T>(unsafe, Lanes<T>{} + T{1}, b);
}

template <typename T>
struct IntDivOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    const Lanes<T> quotient = Quotient<T>(a, SafeDivisor<T>(a, b));
    return Choose<T>(b == T{0}, ~Lanes<T>{}, quotient);
  }
};

template <typename T>
struct IntRemOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    using U = UnsignedOf<T>;
    const Lanes<T> divisor = SafeDivisor<T>(a, b);
    const Lanes<U> product = Bits<Lanes<U>>(Quotient<T>(a, divisor)) * Bits<Lanes<U>>(divisor);
    Lanes<T> rest = Bits<Lanes<T>>(Bits<Lanes<U>>(a) - product);
    if constexpr (kIsSigned<T>) {
      const Truth<T> other_side = (rest != T{0}) & ((rest ^ divisor) < T{0});
      const Lanes<T> moved = Bits<Lanes<T>>(Bits<Lanes<U>>(rest) + Bits<Lanes<U>>(divisor));
      rest = Choose<T>(other_side, moved, rest);
    }
    return Choose<T>(b == T{0}, a, rest);
  }
};

template <typename T>
struct IntNegOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    return Bits<Lanes<T>>(Lanes<UnsignedOf<T>>{} - Bits<Lanes<UnsignedOf<T>>>(a));
  }
};
template <typename T>
struct IntAbsOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    if constexpr (!kIsSigned<T>) return a;
    return Choose<T>(a < T{0}, IntNegOp<T>{}(a), a);
  }
};

#define FAULTLINE_BITWISE(Name, sign)                                                 \
  template <typename T>                                                               \
  struct Name {                                                                       \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) { return a sign b; } \
  };
FAULTLINE_BITWISE(AndOp, &)
FAULTLINE_BITWISE(OrOp, |)
FAULTLINE_BITWISE(XorOp, ^)
#undef FAULTLINE_BITWISE

template <typename T>
struct NotOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) { return ~a; }
};

// To an integer; below 0 only 1 and -1 have powers other than 0.
template <typename T>
FAULTLINE_INLINE T IntPower(T base, int64_t n) {
  if (n < 0) {
    if (base == T{1}) return T{1};
    if (!kIsSigned<T> || base != static_cast<T>(-1)) return T{0};
    return n % 2 == 0 ? T{1} : static_cast<T>(-1);
  }
  UnsignedOf<T> power = 1;
  auto square = static_cast<UnsignedOf<T>>(base);
  for (; n != 0; n >>= 1, square *= square) {
    if ((n & 1) != 0) power *= square;
  }
  return static_cast<T>(power);
}

template <typename T>
struct IntPowiOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<int64_t> n) {
    Lanes<T> result;
    for (int i = 0; i < 16; ++i) result[i] = IntPower<T>(a[i], n[i]);
    return result;
  }
};

// `width` is the dtype's, a power of two.
template <typename T, bool kLeft>
void ShiftLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand&, int64_t groups,
               uint64_t width) {
  using U = UnsignedOf<T>;
  const Lanes<U> mask = Lanes<U>{} + static_cast<U>(width - 1);
  const std::byte* left = a.data;
  const std::byte* right = b.data;
  for (int64_t g = 0; g < groups; ++g, left += a.step, right += b.step, dst += sizeof(Lanes<T>)) {
    const Lanes<U> amount = Read<U>(right) & mask;
    if constexpr (kLeft) {
      Write<U>(dst, Read<U>(left) << amount);
    } else {
      Write<T>(dst, Read<T>(left) >> Bits<Lanes<T>>(amount));
    }
  }
}

template <typename T, int kBits>
struct WrapOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    constexpr int kShift = 8 * static_cast<int>(sizeof(T)) - kBits;
    return Bits<Lanes<T>>(Bits<Lanes<UnsignedOf<T>>>(a) << kShift) >> kShift;
  }
};

// To f64 with the last bit set where something was lost: 42 bits and more are left, enough for a
// second rounding to 24 bits or fewer to be the only one that counts.
template <typename T>
struct ConvertOddOp {
  FAULTLINE_INLINE Lanes<double> operator()(Lanes<T> a) {
    using U = UnsignedOf<T>;
    const Lanes<double> plain = __builtin_convertvector(a, Lanes<double>);
    const Lanes<U> magnitude = Bits<Lanes<U>>(IntAbsOp<T>{}(a));
    if constexpr (sizeof(T) == 4) {
      return plain;
    } else {
      const Lanes<U> low = magnitude & U{0x7ff};
      const Lanes<U> sticky = (magnitude >> 11) | (Bits<Lanes<U>>(low != U{0}) & U{1});
      Lanes<double> odd = __builtin_convertvector(sticky, Lanes<double>) * All<double>(2048);
      if constexpr (kIsSigned<T>) odd = Choose<double>(a < T{0}, -odd, odd);
      const Truth<T> large = Bits<Lanes<int64_t>>((magnitude >> 53) != U{0});
      return Choose<double>(large, odd, plain);
    }
  }
};

template <typename T>
constexpr RegKernels IntKernels() {
  RegKernels kernels = NumberKernels<T>();
  SetBinary<T, IntDivOp<T>>(kernels, Op::kDiv);
  SetBinary<T, IntRemOp<T>>(kernels, Op::kRem);
  kernels.ops[static_cast<int>(Op::kPowi)] = PowerLoop<T, IntPowiOp<T>>;
  SetUnary<T, IntNegOp<T>>(kernels, Op::kNeg);
  SetUnary<T, IntAbsOp<T>>(kernels, Op::kAbs);
  SetBinary<T, AndOp<T>>(kernels, Op::kAnd);
  SetBinary<T, OrOp<T>>(kernels, Op::kOr);
  SetBinary<T, XorOp<T>>(kernels, Op::kXor);
  SetUnary<T, NotOp<T>>(kernels, Op::kNot);
  kernels.ops[static_cast<int>(Op::kShiftLeft)] = ShiftLoop<T, true>;
  kernels.ops[static_cast<int>(Op::kShiftRight)] = ShiftLoop<T, false>;
  SetUnary<T, WrapOp<T, 8>>(kernels, Op::kWrap8);
  SetUnary<T, WrapOp<T, 16>>(kernels, Op::kWrap16);
  kernels.ops[static_cast<int>(Op::kConvertOdd)] = UnaryLoop<double, T, ConvertOddOp<T>>;
  auto convert = [&](Reg to) -> OpKernel& { return kernels.convert[static_cast<int>(to)]; };
  convert(Reg::kF32) = UnaryLoop<float, T, PlainConvert<T, float>>;
  convert(Reg::kF64) = UnaryLoop<double, T, PlainConvert<T, double>>;
  convert(Reg::kI32) = UnaryLoop<int32_t, T, PlainConvert<T, int32_t>>;
  convert(Reg::kU32) = UnaryLoop<uint32_t, T, PlainConvert<T, uint32_t>>;
  convert(Reg::kI64) = UnaryLoop<int64_t, T, PlainConvert<T, int64_t>>;
  convert(Reg::kU64) = UnaryLoop<uint64_t, T, PlainConvert<T, uint64_t>>;
  convert(Reg::kMask) = UnaryLoop<uint8_t, T, ToMaskOp<T>>;
  return kernels;
}

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_INT_KERNELS_H_
