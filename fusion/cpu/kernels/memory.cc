// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Between storage formats and registers. Everything here is exact but for the two quantization
// kernels, and bitwise for NaN payloads, because loads and stores are also how movement is done.

#include "fusion/cpu/kernels/float_kernels.h"

namespace faultline::fusion::cpu {
namespace {

using F32 = Lanes<float>;
using U32 = Lanes<uint32_t>;
using I32 = Lanes<int32_t>;
using U16 = Lanes<uint16_t>;

FAULTLINE_INLINE U32 ChooseBits(I32 where, U32 if_true, U32 if_false) {
  return Bits<U32>(Choose<int32_t>(where, Bits<I32>(if_true), Bits<I32>(if_false)));
}

constexpr uint32_t kRebias = (127u - 15u) << 23;

struct WidenF16 {
  FAULTLINE_INLINE F32 operator()(U16 a) {
    const U32 h = __builtin_convertvector(a, U32);
    const U32 magnitude = h & 0x7fffu;
    const I32 special = Bits<I32>(magnitude) >= 0x7c00;
    const I32 subnormal = Bits<I32>(magnitude) < 0x400;
    U32 bits = (magnitude << 13) + kRebias;
    bits = ChooseBits(special, bits + kRebias, bits);
    const F32 small = __builtin_convertvector(Bits<I32>(magnitude), F32) * All<float>(0x1p-24f);
    bits = ChooseBits(subnormal, Bits<U32>(small), bits);
    return Bits<F32>(bits | ((h & 0x8000u) << 16));
  }
};

struct NarrowF16 {
  FAULTLINE_INLINE U16 operator()(F32 a) {
    const U32 all = Bits<U32>(a);
    const U32 magnitude = all & 0x7fffffffu;
    const I32 special = Bits<I32>(magnitude) >= 0x7f800000;
    const I32 subnormal = Bits<I32>(magnitude) < 0x38800000;
    U32 bits = (magnitude - kRebias) >> 13;
    bits = ChooseBits(special, ((magnitude & 0x7fffffu) >> 13) | 0x7c00u, bits);
    // Of larger values the conversion is not wanted, nor defined.
    const F32 small = Choose<float>(subnormal, Bits<F32>(magnitude), F32{});
    const I32 steps = __builtin_convertvector(small * All<float>(0x1p24f), I32);
    bits = ChooseBits(subnormal, Bits<U32>(steps), bits);
    return __builtin_convertvector(bits | ((all >> 16) & 0x8000u), U16);
  }
};

struct WidenBf16 {
  FAULTLINE_INLINE F32 operator()(U16 a) {
    return Bits<F32>(__builtin_convertvector(a, U32) << 16);
  }
};
struct NarrowBf16 {
  FAULTLINE_INLINE U16 operator()(F32 a) {
    return __builtin_convertvector(Bits<U32>(a) >> 16, U16);
  }
};

template <typename From, typename To>
struct ConvertInt {
  FAULTLINE_INLINE Lanes<To> operator()(Lanes<From> a) {
    return __builtin_convertvector(a, Lanes<To>);
  }
};

struct WidenBool {
  FAULTLINE_INLINE Lanes<uint8_t> operator()(Lanes<uint8_t> a) {
    return ToMask(Bits<Lanes<int8_t>>(a != uint8_t{0}));
  }
};
struct NarrowBool {
  FAULTLINE_INLINE Lanes<uint8_t> operator()(Lanes<uint8_t> a) { return a; }
};

void Dequantize(std::byte* dst, const Operand& a, const Operand& b, const Operand&, int64_t groups,
                uint64_t) {
  const std::byte* codes = a.data;
  const std::byte* scales = b.data;
  for (int64_t g = 0; g < groups; ++g, codes += a.step, scales += b.step, dst += sizeof(F32)) {
    const F32 value = __builtin_convertvector(Read<int8_t>(codes), F32);
    Write<float>(dst, value * Read<float>(scales));
  }
}

void Quantize(std::byte* dst, const Operand& a, const Operand& b, const Operand&, int64_t groups,
              uint64_t bounds) {
  const F32 low = All<float>(static_cast<float>(static_cast<int8_t>(bounds & 0xff)));
  const F32 high = All<float>(static_cast<float>(static_cast<int8_t>((bounds >> 8) & 0xff)));
  const std::byte* from = a.data;
  const std::byte* scales = b.data;
  for (int64_t g = 0; g < groups;
       ++g, from += a.step, scales += b.step, dst += sizeof(Lanes<int8_t>)) {
    F32 q = __builtin_elementwise_roundeven(Read<float>(from) / Read<float>(scales));
    q = Choose<float>(IsNan<float>(q), F32{}, q);
    q = Choose<float>(q < low, low, q);
    q = Choose<float>(q > high, high, q);
    Write<int8_t>(dst, __builtin_convertvector(__builtin_convertvector(q, I32), Lanes<int8_t>));
  }
}

FAULTLINE_INLINE I32 IsFinite(F32 a) { return Bits<I32>(Bits<U32>(a) & 0x7f800000u) != 0x7f800000; }

struct AbsMaxFinite {
  static constexpr float kStart = 0;
  static FAULTLINE_INLINE F32 Take(F32 a) {
    return Choose<float>(IsFinite(a), Magnitude<float>(a), F32{});
  }
  FAULTLINE_INLINE F32 operator()(F32 a, F32 b) { return Choose<float>(a > b, a, b); }
};
struct AbsSumFinite {
  static constexpr float kStart = 0;
  static FAULTLINE_INLINE F32 Take(F32 a) { return AbsMaxFinite::Take(a); }
  FAULTLINE_INLINE F32 operator()(F32 a, F32 b) { return a + b; }
};

constexpr MemoryKernels Make() {
  MemoryKernels kernels = {};
  auto widen = [&](Format format) -> OpKernel& { return kernels.widen[static_cast<int>(format)]; };
  auto narrow = [&](Format format) -> OpKernel& {
    return kernels.narrow[static_cast<int>(format)];
  };
  widen(Format::kF16) = UnaryLoop<float, uint16_t, WidenF16>;
  widen(Format::kBf16) = UnaryLoop<float, uint16_t, WidenBf16>;
  widen(Format::kI8) = UnaryLoop<int32_t, int8_t, ConvertInt<int8_t, int32_t>>;
  widen(Format::kI16) = UnaryLoop<int32_t, int16_t, ConvertInt<int16_t, int32_t>>;
  widen(Format::kU8) = UnaryLoop<uint32_t, uint8_t, ConvertInt<uint8_t, uint32_t>>;
  widen(Format::kU16) = UnaryLoop<uint32_t, uint16_t, ConvertInt<uint16_t, uint32_t>>;
  widen(Format::kBool) = UnaryLoop<uint8_t, uint8_t, WidenBool>;
  narrow(Format::kF16) = UnaryLoop<uint16_t, float, NarrowF16>;
  narrow(Format::kBf16) = UnaryLoop<uint16_t, float, NarrowBf16>;
  narrow(Format::kI8) = UnaryLoop<int8_t, int32_t, ConvertInt<int32_t, int8_t>>;
  narrow(Format::kI16) = UnaryLoop<int16_t, int32_t, ConvertInt<int32_t, int16_t>>;
  narrow(Format::kU8) = UnaryLoop<uint8_t, uint32_t, ConvertInt<uint32_t, uint8_t>>;
  narrow(Format::kU16) = UnaryLoop<uint16_t, uint32_t, ConvertInt<uint32_t, uint16_t>>;
  narrow(Format::kBool) = UnaryLoop<uint8_t, uint8_t, NarrowBool>;
  kernels.dequantize = Dequantize;
  kernels.quantize = Quantize;
  kernels.absmax_finite = AccumulateLoop<float, AbsMaxFinite>;
  kernels.absmax_fold = Fold<float, AbsMaxFinite>;
  kernels.abs_sum_finite = AccumulateLoop<float, AbsSumFinite>;
  kernels.abs_sum_fold = Fold<float, AbsSumFinite>;
  return kernels;
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const MemoryKernels kMemory = Make();
}

}  // namespace faultline::fusion::cpu
