// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/float_kernels.h"
#include "fusion/cpu/kernels/functions.h"

namespace faultline::fusion::cpu {
namespace {

constexpr RegKernels Make() {
  RegKernels kernels = FloatKernels<float>();
  SetFunctions<float>(kernels);
  kernels.convert[static_cast<int>(Reg::kF64)] =
      UnaryLoop<double, float, PlainConvert<float, double>>;
  return kernels;
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const RegKernels kF32 = Make();
}

}  // namespace faultline::fusion::cpu
