// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The generated tier: a device program as a kernel of its own. It has the interpreter's cases with
// every number a constant, and its loops instead of a program counter, so that each instruction has
// one meaning for both tiers; a compiler leaves of it what the block does.

#ifndef FUSION_OPENCL_GENERATE_H_
#define FUSION_OPENCL_GENERATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/opencl/device_program.h"
#include "fusion/target.h"

namespace faultline::fusion::opencl {

// What is known of an access when a kernel is generated.
enum class AccessForm : int64_t {
  kAny,
  kDense,  // element i of the space, or of the row's space, lies at offset + i
  kSame,   // every element is the one at the offset
};

std::vector<AccessForm> FormsOf(const Block& block, const BlockBinding& binding);

// The kernel `run_block`, to be compiled after the preamble, arithmetic.cl and lanes.cl. Depends on
// its arguments alone.
std::string GenerateKernel(const Block& block, const DeviceProgram& program,
                           const std::vector<AccessForm>& forms);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_GENERATE_H_
