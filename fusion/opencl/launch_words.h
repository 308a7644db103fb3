// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One launch of a device program as the words that the interpreter kernel reads: extents, maps,
// parameters, and which work item does what.

#ifndef FUSION_OPENCL_LAUNCH_WORDS_H_
#define FUSION_OPENCL_LAUNCH_WORDS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/opencl/device_program.h"
#include "fusion/target.h"

namespace faultline::fusion::opencl {

// How far a launch is spread.
struct Spread {
  int lanes = 1;          // elements of a tile
  int64_t items_max = 1;  // work items worth starting
};

struct LaunchShape {
  int64_t items = 0;  // 0: there is nothing to do
  int64_t units = 0;
  int64_t chunk = 0;
  int64_t row = 0;
  int64_t scratch_stride = 0;  // bytes of row buffer of an item
};

// Largest space of a launch on the device: linear indices have 32 bits there.
inline constexpr int64_t kSpaceMax = INT32_MAX;
// Row buffers of all items together, unless one needs more.
inline constexpr int64_t kScratchMax = int64_t{1} << 28;

// False if the space is larger than kSpaceMax.
bool ShapeOf(const Block& block, const DeviceProgram& program, const BlockBinding& binding,
             const Spread& spread, LaunchShape* shape);

// `offset_of`: place of a buffer in the heap, in bytes; `scratch`: that of the row buffers.
std::vector<int64_t> WriteLaunch(const Block& block, const DeviceProgram& program,
                                 const BlockBinding& binding, const LaunchShape& shape,
                                 const std::function<int64_t(Buffer*)>& offset_of, int64_t scratch);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_LAUNCH_WORDS_H_
