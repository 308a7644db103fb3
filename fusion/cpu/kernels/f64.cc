// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/float_kernels.h"
#include "fusion/cpu/kernels/functions.h"

namespace faultline::fusion::cpu {
namespace {

constexpr RegKernels Make() {
  RegKernels kernels = FloatKernels<double>();
  SetFunctions<double>(kernels);
  kernels.convert[static_cast<int>(Reg::kF32)] =
      UnaryLoop<float, double, PlainConvert<double, float>>;
  return kernels;
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const RegKernels kF64 = Make();
}

}  // namespace faultline::fusion::cpu
