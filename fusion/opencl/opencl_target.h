// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The OpenCL target: blocks run on the device by the interpreter kernel; every other launch, and
// blocks that the device cannot run, run on the host over the same memory.

#ifndef FUSION_OPENCL_OPENCL_TARGET_H_
#define FUSION_OPENCL_OPENCL_TARGET_H_

#include <functional>
#include <memory>
#include <string_view>

#include "fusion/host_memory.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion::opencl {

// Makes the target that does what the device does not, with buffers that are HostBuffers in the
// memory of `source`.
using HostTargetMaker = std::function<ir::Result<std::unique_ptr<Target>>(MemorySource* source)>;

// kUnsupported without a runtime or a device that `selector` names (fusion/opencl/device.h),
// kDeviceLost if the device does not build the kernel.
ir::Result<std::unique_ptr<Target>> MakeOpenClTarget(std::string_view selector,
                                                     const TargetOptions& options,
                                                     const HostTargetMaker& make_host);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_OPENCL_TARGET_H_
