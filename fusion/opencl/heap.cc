// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/heap.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "fusion/fault.h"

namespace faultline::fusion::opencl {
namespace {

// What the host maps at a time, so that a growing heap is not mapped anew for every block.
constexpr int64_t kMapStep = int64_t{1} << 20;
// Ranges from this size on are given back to the system.
constexpr int64_t kReturned = int64_t{1} << 20;

int64_t RoundUp(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

}  // namespace

ir::Result<std::unique_ptr<Heap>> Heap::Make(const Api& api, cl_context context,
                                             cl_command_queue queue, int64_t bytes) {
  bytes = bytes / kMapStep * kMapStep;
  void* base = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return ir::Error(ir::StatusCode::kOutOfMemory,
                     fmt::format("the system has no {} bytes of address space", bytes));
  }
  std::unique_ptr<Heap> heap(new Heap(api, queue, static_cast<std::byte*>(base), bytes));
  cl_int error = CL_SUCCESS;
  heap->object_ = api.CreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   static_cast<size_t>(bytes), base, &error);
  if (error != CL_SUCCESS) return std::unexpected(CallError("clCreateBuffer", error));
  return heap;
}

Heap::~Heap() {
  if (object_ != nullptr) {
    api_.Finish(queue_);
    api_.ReleaseMemObject(object_);
    api_.Finish(queue_);
  }
  munmap(base_, static_cast<size_t>(bytes_));
}

int64_t Heap::End() const {
  if (free_.empty()) return bytes_;
  const auto& [offset, size] = *free_.rbegin();
  const int64_t end = offset + size == bytes_ ? offset : bytes_;
  return std::clamp(RoundUp(end, kMapStep), kMapStep, bytes_);
}

std::byte* Heap::Take(int64_t bytes) {
  const auto it =
      std::ranges::find_if(free_, [&](const auto& range) { return range.second >= bytes; });
  if (it == free_.end()) return nullptr;
  const auto [offset, size] = *it;
  free_.erase(it);
  if (FAULT(opencl_blocks_overlap)) bytes -= 64;
  if (size > bytes) free_.emplace(offset + bytes, size - bytes);
  // A host that has the heap has all of it that is in use.
  if (mapped_ > 0 && mapped_ < End()) failure_ = ToHost();
  return base_ + offset;
}

void Heap::Give(std::byte* block, int64_t bytes) {
  int64_t offset = block - base_;
  if (bytes >= kReturned) {
    // Launches that use the block may still be pending.
    api_.Finish(queue_);
    const int64_t begin = RoundUp(offset, 4096);
    const int64_t end = (offset + bytes) / 4096 * 4096;
    madvise(base_ + begin, static_cast<size_t>(end - begin), MADV_DONTNEED);
  }
  auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      free_.erase(before);
    }
  }
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  free_.emplace(offset, bytes);
}

ir::Status Heap::ToHost() {
  if (!failure_.ok()) return std::exchange(failure_, ir::Status());
  const int64_t wanted = End();
  if (mapped_ >= wanted) return {};
  FAULTLINE_RETURN_IF_ERROR(ToDevice());
  cl_int error = CL_SUCCESS;
  const cl_bool wait = FAULT(opencl_read_before_wait) ? CL_FALSE : CL_TRUE;
  api_.EnqueueMapBuffer(queue_, object_, wait, CL_MAP_READ | CL_MAP_WRITE, 0,
                        static_cast<size_t>(wanted), 0, nullptr, nullptr, &error);
  if (error != CL_SUCCESS) return CallError("clEnqueueMapBuffer", error);
  mapped_ = wanted;
  return {};
}

ir::Status Heap::ToDevice() {
  if (mapped_ == 0) return {};
  const cl_int error = api_.EnqueueUnmapMemObject(queue_, object_, base_, 0, nullptr, nullptr);
  if (error != CL_SUCCESS) return CallError("clEnqueueUnmapMemObject", error);
  mapped_ = 0;
  return {};
}

}  // namespace faultline::fusion::opencl
