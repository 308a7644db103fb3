// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What float and int registers have in common: comparisons, selects, reductions, scans. For kernel
// units alone.

#ifndef FUSION_CPU_KERNELS_NUMBER_KERNELS_H_
#define FUSION_CPU_KERNELS_NUMBER_KERNELS_H_

#include "fusion/cpu/kernels/lanes.h"

namespace faultline::fusion::cpu {
namespace {

template <typename T>
struct IsFloatType {
  static constexpr bool kValue = false;
};
template <>
struct IsFloatType<float> {
  static constexpr bool kValue = true;
};
template <>
struct IsFloatType<double> {
  static constexpr bool kValue = true;
};
template <typename T>
inline constexpr bool kIsFloat = IsFloatType<T>::kValue;

// Least and greatest element: infinities for floats.
template <typename T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float kLeast = -__builtin_inff();
  static constexpr float kGreatest = __builtin_inff();
};
template <>
struct Limits<double> {
  static constexpr double kLeast = -__builtin_inf();
  static constexpr double kGreatest = __builtin_inf();
};
template <>
struct Limits<int32_t> {
  static constexpr int32_t kLeast = INT32_MIN;
  static constexpr int32_t kGreatest = INT32_MAX;
};
template <>
struct Limits<int64_t> {
  static constexpr int64_t kLeast = INT64_MIN;
  static constexpr int64_t kGreatest = INT64_MAX;
};
template <>
struct Limits<uint32_t> {
  static constexpr uint32_t kLeast = 0;
  static constexpr uint32_t kGreatest = UINT32_MAX;
};
template <>
struct Limits<uint64_t> {
  static constexpr uint64_t kLeast = 0;
  static constexpr uint64_t kGreatest = UINT64_MAX;
};

// Ints wrap: their arithmetic is done unsigned.
template <typename T>
struct Arithmetic {
  using Type = UnsignedOf<T>;
};
template <>
struct Arithmetic<float> {
  using Type = float;
};
template <>
struct Arithmetic<double> {
  using Type = double;
};

#define FAULTLINE_ARITHMETIC(Name, sign, start)                        \
  template <typename T>                                                \
  struct Name {                                                        \
    using W = typename Arithmetic<T>::Type;                            \
    static constexpr T kStart = start;                                 \
    static FAULTLINE_INLINE Lanes<T> Take(Lanes<T> a) { return a; }    \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {     \
      return Bits<Lanes<T>>(Bits<Lanes<W>>(a) sign Bits<Lanes<W>>(b)); \
    }                                                                  \
  };
FAULTLINE_ARITHMETIC(AddOp, +, 0)
FAULTLINE_ARITHMETIC(SubOp, -, 0)
FAULTLINE_ARITHMETIC(MulOp, *, 1)
#undef FAULTLINE_ARITHMETIC

template <typename T>
FAULTLINE_INLINE Truth<T> IsNan(Lanes<T> a) {
  return a != a;
}

// The first operand where it is lower or NaN; else the second, which may be NaN.
template <typename T>
struct MinOp {
  static constexpr T kStart = Limits<T>::kGreatest;
  static FAULTLINE_INLINE Lanes<T> Take(Lanes<T> a) { return a; }
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    Truth<T> first = a < b;
    if constexpr (kIsFloat<T>) first |= IsNan<T>(a);
    return Choose<T>(first, a, b);
  }
};

template <typename T>
struct MaxOp {
  static constexpr T kStart = Limits<T>::kLeast;
  static FAULTLINE_INLINE Lanes<T> Take(Lanes<T> a) { return a; }
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    Truth<T> first = a > b;
    if constexpr (kIsFloat<T>) first |= IsNan<T>(a);
    return Choose<T>(first, a, b);
  }
};

#define FAULTLINE_COMPARISON(Name, sign)                                 \
  template <typename T>                                                  \
  struct Name {                                                          \
    FAULTLINE_INLINE Lanes<uint8_t> operator()(Lanes<T> a, Lanes<T> b) { \
      return ToMask(a sign b);                                           \
    }                                                                    \
  };
FAULTLINE_COMPARISON(EqualOp, ==)
FAULTLINE_COMPARISON(NotEqualOp, !=)
FAULTLINE_COMPARISON(LowerOp, <)
FAULTLINE_COMPARISON(LowerEqualOp, <=)
#undef FAULTLINE_COMPARISON

// Whether `a` replaces `best`: strictly beyond it, or the first NaN.
template <typename T, bool kMin>
FAULTLINE_INLINE Truth<T> Beats(Lanes<T> a, Lanes<T> best) {
  Truth<T> beats = kMin ? a < best : a > best;
  if constexpr (kIsFloat<T>) beats |= IsNan<T>(a) & ~IsNan<T>(best);
  return beats;
}

template <typename T, bool kMin>
FAULTLINE_INLINE void ArgStep(std::byte* best, int64_t* index, Lanes<T> a, Lanes<int64_t> at,
                              Truth<T> valid) {
  const Lanes<T> old = Read<T>(best);
  const Lanes<int64_t> old_at = Read<int64_t>(reinterpret_cast<const std::byte*>(index));
  const Truth<T> none = __builtin_convertvector(old_at < int64_t{0}, Truth<T>);
  const Truth<T> take = (Beats<T, kMin>(a, old) | none) & valid;
  Write<T>(best, Choose<T>(take, a, old));
  const Lanes<int64_t> wide = __builtin_convertvector(take, Lanes<int64_t>);
  Write<int64_t>(reinterpret_cast<std::byte*>(index), Choose<int64_t>(wide, at, old_at));
}

template <typename T, bool kMin>
void ArgRow(std::byte* best, int64_t* index, const Operand& a, int64_t count, int64_t first) {
  using Int = SignedOf<T>;
  const std::byte* from = a.data;
  for (int64_t done = 0; done < count; done += kGroup, from += a.step) {
    const int64_t left = count - done < kGroup ? count - done : kGroup;
    const Truth<T> valid = Count<Int>(0) < static_cast<Int>(left);
    ArgStep<T, kMin>(best, index, Read<T>(from), Count<int64_t>(first + done), valid);
  }
}

template <typename T, bool kMin>
void ArgLanes(std::byte* best, int64_t* index, const Operand& a, int64_t groups, int64_t at) {
  const std::byte* from = a.data;
  for (int64_t g = 0; g < groups; ++g, from += a.step) {
    ArgStep<T, kMin>(best + g * static_cast<int64_t>(sizeof(Lanes<T>)), index + g * kGroup,
                     Read<T>(from), All<int64_t>(at), ~Truth<T>{});
  }
}

template <typename T, bool kMin>
int64_t ArgFold(const std::byte* best, const int64_t* index) {
  T value{};
  int64_t at = -1;
  for (int i = 0; i < 16; ++i) {
    if (index[i] < 0) continue;
    T a;
    __builtin_memcpy(&a, best + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    bool beats = kMin ? a < value : a > value;
    bool equal = a == value;
    if constexpr (kIsFloat<T>) {
      beats = value == value && (a != a || beats);
      equal = equal || (a != a && value != value);
    }
    if (at < 0 || beats || (equal && index[i] < at)) {
      value = a;
      at = index[i];
    }
  }
  return at < 0 ? 0 : at;
}

// One step of a scan, in the unsigned type for ints that wrap.
struct ScanSumStep {
  template <typename T>
  static T Next(T running, T x) {
    using W = typename Arithmetic<T>::Type;
    return static_cast<T>(static_cast<W>(running) + static_cast<W>(x));
  }
};
struct ScanProdStep {
  template <typename T>
  static T Next(T running, T x) {
    using W = typename Arithmetic<T>::Type;
    return static_cast<T>(static_cast<W>(running) * static_cast<W>(x));
  }
};
// A NaN compares with nothing: it is taken where it comes, and never given up.
struct ScanMaxStep {
  template <typename T>
  static T Next(T running, T x) {
    return x > running || x != x ? x : running;
  }
};
struct ScanMinStep {
  template <typename T>
  static T Next(T running, T x) {
    return x < running || x != x ? x : running;
  }
};

template <typename T, typename Step>
void ScanLoop(std::byte* dst, const Operand& a, std::byte* carry, int64_t count) {
  T running;
  __builtin_memcpy(&running, carry, sizeof(T));
  const std::byte* from = a.data;
  for (int64_t i = 0; i < count; ++i) {
    // A broadcast has one group; any of its lanes will do.
    const std::byte* at = a.step == 0 ? from : from + i * static_cast<int64_t>(sizeof(T));
    T x;
    __builtin_memcpy(&x, at, sizeof(T));
    running = Step::Next(running, x);
    __builtin_memcpy(dst + i * static_cast<int64_t>(sizeof(T)), &running, sizeof(T));
  }
  __builtin_memcpy(carry, &running, sizeof(T));
}

template <typename T>
constexpr uint64_t StartBits(T value) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(uint64_t, value);
  } else {
    return __builtin_bit_cast(uint32_t, value);
  }
}

template <typename T, typename F>
constexpr void SetReduce(RegKernels& kernels, Op op) {
  kernels.accumulate[static_cast<int>(op)] = AccumulateLoop<T, F>;
  kernels.fold[static_cast<int>(op)] = Fold<T, F>;
  kernels.start[static_cast<int>(op)] = StartBits<T>(F::kStart);
}

// F: the reduction that the scan gives the prefixes of.
template <typename T, typename F, typename Step>
constexpr void SetScan(RegKernels& kernels, Op op) {
  kernels.scan[static_cast<int>(op)] = ScanLoop<T, Step>;
  kernels.start[static_cast<int>(op)] = StartBits<T>(F::kStart);
}

template <typename T, typename F>
constexpr void SetUnary(RegKernels& kernels, Op op) {
  kernels.ops[static_cast<int>(op)] = UnaryLoop<T, T, F>;
}
template <typename T, typename F>
constexpr void SetBinary(RegKernels& kernels, Op op) {
  kernels.ops[static_cast<int>(op)] = BinaryLoop<T, T, F>;
}
template <typename T, typename F>
constexpr void SetCompare(RegKernels& kernels, Op op) {
  kernels.ops[static_cast<int>(op)] = BinaryLoop<uint8_t, T, F>;
}

template <typename T>
constexpr RegKernels NumberKernels() {
  RegKernels kernels = {};
  SetBinary<T, AddOp<T>>(kernels, Op::kAdd);
  SetBinary<T, SubOp<T>>(kernels, Op::kSub);
  SetBinary<T, MulOp<T>>(kernels, Op::kMul);
  SetBinary<T, MinOp<T>>(kernels, Op::kMin);
  SetBinary<T, MaxOp<T>>(kernels, Op::kMax);
  SetCompare<T, EqualOp<T>>(kernels, Op::kEqual);
  SetCompare<T, NotEqualOp<T>>(kernels, Op::kNotEqual);
  SetCompare<T, LowerOp<T>>(kernels, Op::kLower);
  SetCompare<T, LowerEqualOp<T>>(kernels, Op::kLowerEqual);
  kernels.ops[static_cast<int>(Op::kSelect)] = SelectLoop<T>;
  SetReduce<T, AddOp<T>>(kernels, Op::kReduceSum);
  SetReduce<T, MulOp<T>>(kernels, Op::kReduceProd);
  SetReduce<T, MaxOp<T>>(kernels, Op::kReduceMax);
  SetReduce<T, MinOp<T>>(kernels, Op::kReduceMin);
  kernels.arg_row[0] = ArgRow<T, false>;
  kernels.arg_row[1] = ArgRow<T, true>;
  kernels.arg_lanes[0] = ArgLanes<T, false>;
  kernels.arg_lanes[1] = ArgLanes<T, true>;
  kernels.arg_fold[0] = ArgFold<T, false>;
  kernels.arg_fold[1] = ArgFold<T, true>;
  SetScan<T, AddOp<T>, ScanSumStep>(kernels, Op::kScanSum);
  SetScan<T, MulOp<T>, ScanProdStep>(kernels, Op::kScanProd);
  SetScan<T, MaxOp<T>, ScanMaxStep>(kernels, Op::kScanMax);
  SetScan<T, MinOp<T>, ScanMinStep>(kernels, Op::kScanMin);
  return kernels;
}

// To mask: != 0, NaN included.
template <typename T>
struct ToMaskOp {
  FAULTLINE_INLINE Lanes<uint8_t> operator()(Lanes<T> a) { return ToMask(a != T{0}); }
};

// A conversion that is defined for every value: to a float, or modulo between ints.
template <typename From, typename To>
struct PlainConvert {
  FAULTLINE_INLINE Lanes<To> operator()(Lanes<From> a) {
    if constexpr (kIsFloat<To>) {
      return __builtin_convertvector(a, Lanes<To>);
    } else {
      // Through unsigned, so that narrowing wraps; widening follows the source's sign.
      return Bits<Lanes<To>>(__builtin_convertvector(a, Lanes<UnsignedOf<To>>));
    }
  }
};

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_NUMBER_KERNELS_H_
