// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The OpenCL devices that fusion-opencl can run on, as a command lists them.

#ifndef HARNESS_BACKEND_FUSION_OPENCL_DEVICES_H_
#define HARNESS_BACKEND_FUSION_OPENCL_DEVICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/base/status.h"

namespace faultline::harness {

// Its number, as `--device` takes it, is its place in the list.
struct OpenClDevice {
  std::string platform;
  std::string name;
  std::string version;
  std::string driver;
  std::string kind;
  int compute_units = 0;
  int64_t memory_bytes = 0;
  bool f64 = false;
  std::string contract;  // as text
};

// kUnsupported, with the reason, where there is no OpenCL runtime or no device.
ir::Result<std::vector<OpenClDevice>> ListOpenClDevices();

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FUSION_OPENCL_DEVICES_H_
