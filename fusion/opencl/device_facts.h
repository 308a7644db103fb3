// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What an OpenCL device says about itself, as plain data that knows nothing of OpenCL: for whoever
// lists devices or writes a contract from their words.

#ifndef FUSION_OPENCL_DEVICE_FACTS_H_
#define FUSION_OPENCL_DEVICE_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"

namespace faultline::fusion::opencl {

struct DeviceFacts {
  std::string platform;
  std::string name;
  std::string version;  // "OpenCL 3.0 PoCL ..."
  std::string driver;
  std::string kind;  // "cpu", "gpu", "accelerator", "other"
  int compute_units = 0;
  int64_t memory_bytes = 0;
  int64_t allocation_bytes = 0;  // of one buffer, at most
  bool f64 = false;              // arithmetic in f64
  bool f32_subnormals = false;
  bool f64_subnormals = false;
  bool f32_divides_correctly = false;  // and takes roots so, when asked to
  bool unified_memory = false;         // the host's memory is the device's
  bool operator==(const DeviceFacts&) const = default;
};

// Of every device that the target can run on. kUnsupported where there is no OpenCL runtime. Opens
// the drivers in this process.
ir::Result<std::vector<DeviceFacts>> ListDevices();
// Whether this process has opened the drivers: it can then no longer fork into processes that use
// them.
bool DriversAreOpen();
// Builds the kernel for the device, unless the driver has it on disk from an earlier run. Takes up
// to half a minute where a first launch would otherwise, and where nobody waits for a time limit.
ir::Status PrepareDevice(std::string_view selector);
// Of the device that `selector` names (FindDevice of fusion/opencl/device.h).
ir::Result<DeviceFacts> DescribeDevice(std::string_view selector);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_DEVICE_FACTS_H_
