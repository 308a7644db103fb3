// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/int_kernels.h"

namespace faultline::fusion::cpu::FAULTLINE_ISA {

constinit const RegKernels kI32 = IntKernels<int32_t>();

}  // namespace faultline::fusion::cpu::FAULTLINE_ISA
