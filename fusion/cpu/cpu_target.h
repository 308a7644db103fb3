// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The CPU target: blocks by the tile interpreter, matmul by OpenBLAS or kernels of our own, and the
// launches that are no blocks.

#ifndef FUSION_CPU_CPU_TARGET_H_
#define FUSION_CPU_CPU_TARGET_H_

#include <memory>

#include "fusion/host_memory.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion::cpu {

// kUnsupported if options.isa, or FAULTLINE_ISA where that is empty, names an instruction set that
// is unknown or that this CPU lacks. Its buffers are HostBuffers; their memory comes from `memory`,
// which outlives the target, or from the system if that is null.
ir::Result<std::unique_ptr<Target>> MakeCpuTarget(const TargetOptions& options,
                                                  MemorySource* memory = nullptr);

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_CPU_TARGET_H_
