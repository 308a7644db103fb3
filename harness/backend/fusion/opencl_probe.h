// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Asks an OpenCL device about itself in a child process. A driver starts threads, and a process
// with threads cannot fork into others that run programs; commands make a backend to know its
// contract long before they fork its workers.

#ifndef HARNESS_BACKEND_FUSION_OPENCL_PROBE_H_
#define HARNESS_BACKEND_FUSION_OPENCL_PROBE_H_

#include <string_view>

#include "fusion/opencl/device_facts.h"
#include "ir/base/status.h"

namespace faultline::harness {

// What fusion::opencl::DescribeDevice says, remembered for the process and those forked from it.
// kDeviceLost if a driver ends the process that asks it.
ir::Result<fusion::opencl::DeviceFacts> ProbeDevice(std::string_view selector);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FUSION_OPENCL_PROBE_H_
