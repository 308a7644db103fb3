// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Tensor and scratch memory of the CPU target: size classes, 64-byte alignment, released blocks
// kept for reuse. Contents are never cleared. Every allocation is made on an account, which carries
// the limits; what a mode adds is in fusion/pool_mode.h.

#ifndef FUSION_CPU_POOL_H_
#define FUSION_CPU_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "fusion/fault.h"
#include "fusion/host_memory.h"
#include "fusion/pool_mode.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion::cpu {

class CpuBuffer final : public HostBuffer {
  friend class Pool;

  std::byte* block_ = nullptr;  // 64-byte aligned: zone | data | zone
  int64_t block_bytes_ = 0;
  int size_class_ = 0;
  uint64_t pattern_ = 0;  // of the zones while alive
  MemoryAccount* account_ = nullptr;
  CpuBuffer* next_ = nullptr;  // of the free list, or of the live list
  CpuBuffer* previous_ = nullptr;
};

class Pool {
 public:
  // Blocks come from `source`, which outlives the pool; null: from the system.
  Pool(PoolMode mode, uint64_t seed, MemorySource* source = nullptr)
      : mode_(mode), source_(source), random_(seed) {}
  // Every buffer must have been released.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ir::Result<CpuBuffer*> Allocate(MemoryAccount* account, int64_t bytes);
  // Rows padded in mode kPitch, else dense.
  ir::Result<TensorMemory> AllocateTensor(MemoryAccount* account, int element_bytes,
                                          const ir::Shape& shape);
  void Release(CpuBuffer* buffer);
  void Trim();
  // Mode kGuard: whether every zone and every released block still holds what was put there.
  ir::Status Check();

 private:
  static constexpr int kClassCount = 168;

  CpuBuffer* NewBlock(int size_class);
  void GiveBlock(std::byte* block, int64_t bytes);
  void Delete(CpuBuffer* buffer);
  void PaintZones(CpuBuffer* buffer);
  void CheckZones(const CpuBuffer* buffer);
  void CheckReleased(const CpuBuffer* buffer);
  uint64_t NextRandom();

  const PoolMode mode_;
  MemorySource* const source_;
  std::mutex mutex_;
  uint64_t random_;
  std::array<CpuBuffer*, kClassCount> free_ = {};
  CpuBuffer* live_ = nullptr;  // mode kGuard alone
  int64_t cached_bytes_ = 0;
  ir::Status damage_;  // the first one found
};

// Scratch memory that goes back when the scope ends.
class Scratch {
 public:
  explicit Scratch(Pool* pool) : pool_(pool) {}
  ~Scratch() {
    if (FAULT(scratch_never_released)) return;
    for (CpuBuffer* buffer : buffers_) pool_->Release(buffer);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ir::Result<CpuBuffer*> GetBuffer(MemoryAccount* account, int64_t bytes) {
    FAULTLINE_ASSIGN_OR_RETURN(CpuBuffer * buffer, pool_->Allocate(account, bytes));
    buffers_.push_back(buffer);
    return buffer;
  }
  ir::Result<std::byte*> Get(MemoryAccount* account, int64_t bytes) {
    FAULTLINE_ASSIGN_OR_RETURN(CpuBuffer * buffer, GetBuffer(account, bytes));
    return buffer->data();
  }

 private:
  Pool* pool_;
  std::vector<CpuBuffer*> buffers_;
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_POOL_H_
