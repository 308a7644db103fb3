// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/int_kernels.h"

namespace faultline::fusion::cpu::FAULTLINE_ISA {

constinit const RegKernels kI64 = IntKernels<int64_t>();

}  // namespace faultline::fusion::cpu::FAULTLINE_ISA
