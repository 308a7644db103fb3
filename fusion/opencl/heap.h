// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// All device memory of one target: a single buffer object over host memory, from which the host
// target's pool takes its blocks. Kernels get one pointer and find tensors by offset; the host
// reaches the same bytes while the buffer is mapped. On a device that shares the host's memory
// nothing is copied either way.

#ifndef FUSION_OPENCL_HEAP_H_
#define FUSION_OPENCL_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "fusion/host_memory.h"
#include "fusion/opencl/api.h"
#include "ir/base/status.h"

namespace faultline::fusion::opencl {

class Heap final : public MemorySource {
 public:
  // `bytes` of address space; memory is used as it is touched. `queue` outlives the heap.
  static ir::Result<std::unique_ptr<Heap>> Make(const Api& api, cl_context context,
                                                cl_command_queue queue, int64_t bytes);
  ~Heap() override;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  std::byte* Take(int64_t bytes) override;
  void Give(std::byte* block, int64_t bytes) override;

  // Lets the host read and write what was taken; waits for the launches before.
  ir::Status ToHost();
  // Lets launches read and write it.
  ir::Status ToDevice();

  cl_mem object() const { return object_; }
  int64_t OffsetOf(const std::byte* at) const { return at - base_; }

 private:
  Heap(const Api& api, cl_command_queue queue, std::byte* base, int64_t bytes)
      : api_(api), queue_(queue), base_(base), bytes_(bytes), free_{{0, bytes}} {}
  // End of the last block in use, rounded up.
  int64_t End() const;

  const Api& api_;
  cl_command_queue queue_;
  cl_mem object_ = nullptr;
  std::byte* base_;
  int64_t bytes_;
  int64_t mapped_ = 0;  // bytes from the start that the host has; 0: the device has all
  std::map<int64_t, int64_t> free_;  // bytes by offset, neighbours joined
  ir::Status failure_;               // of a map inside Take, reported by the next ToHost
};

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_HEAP_H_
