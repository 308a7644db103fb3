// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/lanes.h"

namespace faultline::fusion::cpu {
namespace {

using Mask = Lanes<uint8_t>;

struct AndMask {
  static constexpr uint8_t kStart = 1;
  static FAULTLINE_INLINE Mask Take(Mask a) { return a; }
  FAULTLINE_INLINE Mask operator()(Mask a, Mask b) { return a & b; }
};
struct OrMask {
  static constexpr uint8_t kStart = 0;
  static FAULTLINE_INLINE Mask Take(Mask a) { return a; }
  FAULTLINE_INLINE Mask operator()(Mask a, Mask b) { return a | b; }
};
struct XorMask {
  FAULTLINE_INLINE Mask operator()(Mask a, Mask b) { return a ^ b; }
};
struct EqualMask {
  FAULTLINE_INLINE Mask operator()(Mask a, Mask b) {
    return (a ^ b) ^ uint8_t { 1 };
  }
};
struct NotMask {
  FAULTLINE_INLINE Mask operator()(Mask a) {
    return a ^ uint8_t { 1 };
  }
};
template <typename T>
struct FromMaskOp {
  FAULTLINE_INLINE Lanes<T> operator()(Mask a) { return __builtin_convertvector(a, Lanes<T>); }
};

constexpr RegKernels Make() {
  RegKernels kernels = {};
  auto op = [&](Op name) -> OpKernel& { return kernels.ops[static_cast<int>(name)]; };
  op(Op::kAnd) = BinaryLoop<uint8_t, uint8_t, AndMask>;
  op(Op::kOr) = BinaryLoop<uint8_t, uint8_t, OrMask>;
  op(Op::kXor) = BinaryLoop<uint8_t, uint8_t, XorMask>;
  op(Op::kNotEqual) = BinaryLoop<uint8_t, uint8_t, XorMask>;
  op(Op::kEqual) = BinaryLoop<uint8_t, uint8_t, EqualMask>;
  op(Op::kNot) = UnaryLoop<uint8_t, uint8_t, NotMask>;
  op(Op::kSelect) = SelectLoop<uint8_t>;
  auto convert = [&](Reg to) -> OpKernel& { return kernels.convert[static_cast<int>(to)]; };
  convert(Reg::kF32) = UnaryLoop<float, uint8_t, FromMaskOp<float>>;
  convert(Reg::kF64) = UnaryLoop<double, uint8_t, FromMaskOp<double>>;
  convert(Reg::kI32) = UnaryLoop<int32_t, uint8_t, FromMaskOp<int32_t>>;
  convert(Reg::kU32) = UnaryLoop<uint32_t, uint8_t, FromMaskOp<uint32_t>>;
  convert(Reg::kI64) = UnaryLoop<int64_t, uint8_t, FromMaskOp<int64_t>>;
  convert(Reg::kU64) = UnaryLoop<uint64_t, uint8_t, FromMaskOp<uint64_t>>;
  const int any = static_cast<int>(Op::kReduceAny);
  kernels.accumulate[any] = AccumulateLoop<uint8_t, OrMask>;
  kernels.fold[any] = Fold<uint8_t, OrMask>;
  kernels.start[any] = 0;
  const int all = static_cast<int>(Op::kReduceAll);
  kernels.accumulate[all] = AccumulateLoop<uint8_t, AndMask>;
  kernels.fold[all] = Fold<uint8_t, AndMask>;
  kernels.start[all] = 1;
  return kernels;
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const RegKernels kMask = Make();
}

}  // namespace faultline::fusion::cpu
