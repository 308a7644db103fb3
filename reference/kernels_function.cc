// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of functions, in the order of the op table. Their accuracy is the contract's; special
// cases are in the primitives.

#include "reference/kernel.h"

namespace faultline::reference {
namespace {

// x to an integer: the exponent keeps its dtype, or its parity would be lost.
template <class Read, class A>
void MapPowi(const Call<A>& call) {
  Map<Read, AsIntOperand>(call,
                          [&](const auto& x, const auto& n) { return call.algebra.Powi(x, n); });
}

}  // namespace

FAULTLINE_KERNEL(Powi) {
  if (ir::IsFloat(call.algebra.result())) {
    MapPowi<AsFloatOperand>(call);
  } else {
    MapPowi<AsIntOperand>(call);
  }
}

FAULTLINE_KERNEL(PowiScalar) {
  const auto n = call.algebra.IntOf(call.scalar(0));
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Powi(x, n); });
}

FAULTLINE_KERNEL(Exp) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kExp, x); });
}

FAULTLINE_KERNEL(Log) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kLog, x); });
}

FAULTLINE_KERNEL(Log1p) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kLog1p, x); });
}

FAULTLINE_KERNEL(Tanh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kTanh, x); });
}

FAULTLINE_KERNEL(Erf) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kErf, x); });
}

FAULTLINE_KERNEL(Sin) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kSin, x); });
}

FAULTLINE_KERNEL(Cos) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kCos, x); });
}

FAULTLINE_KERNEL(Tan) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kTan, x); });
}

FAULTLINE_KERNEL(Sinh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kSinh, x); });
}

FAULTLINE_KERNEL(Cosh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kCosh, x); });
}

FAULTLINE_KERNEL(Asin) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAsin, x); });
}

FAULTLINE_KERNEL(Acos) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAcos, x); });
}

FAULTLINE_KERNEL(Atan) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAtan, x); });
}

FAULTLINE_KERNEL(Asinh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAsinh, x); });
}

FAULTLINE_KERNEL(Acosh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAcosh, x); });
}

FAULTLINE_KERNEL(Atanh) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Call(Function::kAtanh, x); });
}

FAULTLINE_KERNEL(Atan2) {
  MapFloat<2>(call, [&](const auto& y, const auto& x) { return call.algebra.Atan2(y, x); });
}

FAULTLINE_KERNEL(Hypot) {
  MapFloat<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Hypot(x, y); });
}

FAULTLINE_KERNEL(Powf) {
  MapFloat<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Pow(x, y); });
}

FAULTLINE_KERNEL(PowfScalar) {
  MapFloat<1>(call, [&](const auto& x) {
    return call.algebra.Pow(x, call.algebra.FloatOf(call.scalar(0)));
  });
}

}  // namespace faultline::reference
