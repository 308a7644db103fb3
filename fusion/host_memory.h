// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Memory that the host can address, and where a pool takes it from. What a target that computes on
// the host shares with one that only lends the host its memory.

#ifndef FUSION_HOST_MEMORY_H_
#define FUSION_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "fusion/target.h"

namespace faultline::fusion {

class HostBuffer : public Buffer {
 public:
  std::byte* data() const { return data_; }

 protected:
  HostBuffer() = default;
  ~HostBuffer() = default;
  std::byte* data_ = nullptr;
};

// Called under the lock of the pool that takes from it.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // 64-byte aligned; null if there is no more.
  virtual std::byte* Take(int64_t bytes) = 0;
  virtual void Give(std::byte* block, int64_t bytes) = 0;
};

}  // namespace faultline::fusion

#endif  // FUSION_HOST_MEMORY_H_
