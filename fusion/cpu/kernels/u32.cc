// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/kernels/int_kernels.h"

namespace faultline::fusion::cpu::FAULTLINE_ISA {

constinit const RegKernels kU32 = IntKernels<uint32_t>();

}  // namespace faultline::fusion::cpu::FAULTLINE_ISA
