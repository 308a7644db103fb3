// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The OpenCL devices of this machine, and what each says about itself.

#ifndef FUSION_OPENCL_DEVICE_H_
#define FUSION_OPENCL_DEVICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/opencl/api.h"
#include "fusion/opencl/device_facts.h"
#include "ir/base/status.h"

namespace faultline::fusion::opencl {

struct Device {
  cl_device_id id = nullptr;
  cl_platform_id platform = nullptr;
  DeviceFacts facts;
};

// Every device that can run the target: OpenCL 1.2, a compiler, little-endian.
ir::Result<std::vector<Device>> FindDevices();

// The one that `selector` names: its number in the list, or a part of "platform: name" in any case.
// Empty: PoCL's where there is one, else the first. kUnsupported if there is none.
ir::Result<Device> FindDevice(std::string_view selector);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_DEVICE_H_
