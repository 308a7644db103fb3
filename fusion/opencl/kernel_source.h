// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The text of the files in fusion/opencl/kernels, which is part of the program.

#ifndef FUSION_OPENCL_KERNEL_SOURCE_H_
#define FUSION_OPENCL_KERNEL_SOURCE_H_

namespace faultline::fusion::opencl {

extern const char kArithmeticSource[];
extern const char kLanesSource[];
extern const char kInterpreterSource[];
extern const char kStepsSource[];

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_KERNEL_SOURCE_H_
