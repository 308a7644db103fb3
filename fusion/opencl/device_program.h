// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A block as a program of the interpreter kernel: steps with registers assigned. Depends on the
// block and on the device's dtypes alone.

#ifndef FUSION_OPENCL_DEVICE_PROGRAM_H_
#define FUSION_OPENCL_DEVICE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fusion/block/block.h"

namespace faultline::fusion::opencl {

struct DeviceProgram {
  std::vector<int64_t> code;
  int spilled = 0;       // element values that wait in the row buffer
  bool indexed = false;  // an index may be out of range
};

// What a launch is called in the trace if the block cannot run on the device; empty if it can. The
// texts are literals.
std::string_view WhyOnHost(const Block& block, bool f64);

// Null if there are more values alive at a time than the kernel has registers. Requires a verified
// block for which WhyOnHost is empty.
std::unique_ptr<const DeviceProgram> EncodeBlock(const Block& block);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_DEVICE_PROGRAM_H_
