// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/pool.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "ir/base/check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FAULTLINE_ASAN 1
#endif
#endif

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kZone = 64;
constexpr int64_t kLargest = int64_t{1} << 46;
constexpr int64_t kCacheLimit = int64_t{1} << 29;
constexpr unsigned char kReleased = 0xdb;
// Of the released blocks of a size class, how many a fence looks at, and up to which size.
constexpr int kCheckedAtFence = 4;
constexpr int64_t kCheckedBytesMax = 1 << 14;

void Poison([[maybe_unused]] const std::byte* from, [[maybe_unused]] int64_t bytes) {
#ifdef FAULTLINE_ASAN
  __asan_poison_memory_region(from, static_cast<size_t>(bytes));
#endif
}
void Unpoison([[maybe_unused]] const std::byte* from, [[maybe_unused]] int64_t bytes) {
#ifdef FAULTLINE_ASAN
  __asan_unpoison_memory_region(from, static_cast<size_t>(bytes));
#endif
}

// Classes: four a power of two, from 256 bytes.
int64_t BytesOfClass(int size_class) {
  return (4 + size_class % 4) * (int64_t{64} << (size_class / 4));
}

int ClassOf(int64_t bytes) {
  const uint64_t units = static_cast<uint64_t>(bytes < 256 ? 256 : bytes) / 64;  // >= 4
  const int power = static_cast<int>(std::bit_width(units)) - 3;
  int size_class = 4 * power + static_cast<int>(units >> power) - 4;
  while (BytesOfClass(size_class) < bytes) ++size_class;
  return size_class;
}

// What a zone holds, by word: no two words alike, so that moved words do not pass for it.
constexpr int64_t kZoneWords = kZone / 8;
uint64_t PatternWord(uint64_t pattern, int64_t word) {
  return pattern + static_cast<uint64_t>(word) * 0x0908070605040302u;
}

ir::Status OutOfMemory(std::string message) {
  return ir::Status(ir::StatusCode::kOutOfMemory, std::move(message));
}

}  // namespace

Pool::~Pool() { Trim(); }

uint64_t Pool::NextRandom() {
  random_ += 0x9e3779b97f4a7c15u;
  uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

CpuBuffer* Pool::NewBlock(int size_class) {
  const int64_t bytes = BytesOfClass(size_class);
  auto* block = source_ != nullptr
                    ? source_->Take(bytes)
                    : static_cast<std::byte*>(::operator new(
                          static_cast<size_t>(bytes), std::align_val_t{kAlignment}, std::nothrow));
  if (block == nullptr) return nullptr;
  auto* buffer = new (std::nothrow) CpuBuffer;
  if (buffer == nullptr) {
    GiveBlock(block, bytes);
    return nullptr;
  }
  buffer->block_ = block;
  buffer->block_bytes_ = bytes;
  buffer->size_class_ = size_class;
  return buffer;
}

void Pool::GiveBlock(std::byte* block, int64_t bytes) {
  if (source_ != nullptr) {
    source_->Give(block, bytes);
  } else {
    ::operator delete(block, std::align_val_t{kAlignment});
  }
}

void Pool::Delete(CpuBuffer* buffer) {
  Unpoison(buffer->block_, buffer->block_bytes_);
  GiveBlock(buffer->block_, buffer->block_bytes_);
  delete buffer;
}

ir::Result<CpuBuffer*> Pool::Allocate(MemoryAccount* account, int64_t bytes) {
  FAULTLINE_CHECK(bytes >= 0, "a buffer has no negative size");
  ++account->allocations;
  if (account->fail_allocation == account->allocations) {
    return std::unexpected(OutOfMemory(
        fmt::format("allocation {} of {} bytes was made to fail", account->allocations, bytes)));
  }
  if (bytes > kLargest) {
    return std::unexpected(
        OutOfMemory(fmt::format("{} bytes are more than any device has", bytes)));
  }
  if (account->limit > 0 && account->live_bytes + bytes > account->limit) {
    return std::unexpected(
        OutOfMemory(fmt::format("{} bytes beside the {} alive are more than the limit of {}", bytes,
                                account->live_bytes, account->limit)));
  }
  const int64_t zones = mode_ == PoolMode::kGuard ? 2 * kZone : kZone;
  const int size_class = ClassOf(bytes + zones);
  const std::lock_guard lock(mutex_);
  CpuBuffer* buffer = free_[static_cast<size_t>(size_class)];
  if (buffer != nullptr) {
    free_[static_cast<size_t>(size_class)] = buffer->next_;
    cached_bytes_ -= buffer->block_bytes_;
    Unpoison(buffer->block_, buffer->block_bytes_);
    if (mode_ == PoolMode::kGuard) CheckReleased(buffer);
  } else {
    buffer = NewBlock(size_class);
    if (buffer == nullptr) {
      return std::unexpected(OutOfMemory(fmt::format("the system has no {} bytes", bytes)));
    }
  }
  buffer->bytes_ = bytes;
  buffer->account_ = account;
  buffer->data_ = buffer->block_ + (mode_ == PoolMode::kGuard ? kZone : 0);
  if (mode_ == PoolMode::kGuard) PaintZones(buffer);
  Poison(buffer->block_, buffer->data_ - buffer->block_);
  Poison(buffer->data_ + bytes, buffer->block_ + buffer->block_bytes_ - buffer->data_ - bytes);
  account->live_bytes += bytes;
  ++account->live_buffers;
  if (account->live_bytes > account->peak_bytes) account->peak_bytes = account->live_bytes;
  return buffer;
}

ir::Result<TensorMemory> Pool::AllocateTensor(MemoryAccount* account, int element_bytes,
                                              const ir::Shape& shape) {
  TensorMemory tensor;
  int64_t elements = 1;
  int64_t offset = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    tensor.place.strides[static_cast<size_t>(axis)] = elements;
    if (__builtin_mul_overflow(elements, shape[axis], &elements) || elements > kLargest) {
      return std::unexpected(OutOfMemory(
          fmt::format("a tensor of shape {} is more than any device has", ir::PrintShape(shape))));
    }
    if (mode_ == PoolMode::kPitch && axis == shape.rank() - 1) {
      const std::lock_guard lock(mutex_);
      const uint64_t draw = NextRandom();
      elements += static_cast<int64_t>(draw % 8);
      offset = static_cast<int64_t>((draw >> 8) % 24);
    }
  }
  FAULTLINE_ASSIGN_OR_RETURN(tensor.buffer, Allocate(account, (offset + elements) * element_bytes));
  tensor.place.offset = offset;
  return tensor;
}

void Pool::PaintZones(CpuBuffer* buffer) {
  buffer->pattern_ = NextRandom();
  std::byte* end = buffer->data_ + buffer->bytes_;
  for (int64_t word = 0; word < kZoneWords; ++word) {
    const uint64_t before = PatternWord(buffer->pattern_, word);
    const uint64_t after = PatternWord(~buffer->pattern_, word);
    std::memcpy(buffer->data_ - kZone + 8 * word, &before, 8);
    std::memcpy(end + 8 * word, &after, 8);
  }
  std::memset(buffer->data_, static_cast<int>(buffer->pattern_ >> 56) | 1,
              static_cast<size_t>(buffer->bytes_));
  buffer->previous_ = nullptr;
  buffer->next_ = live_;
  if (live_ != nullptr) live_->previous_ = buffer;
  live_ = buffer;
}

#ifdef FAULTLINE_ASAN
__attribute__((no_sanitize("address")))
#endif
void Pool::CheckZones(const CpuBuffer* buffer) {
  const std::byte* end = buffer->data_ + buffer->bytes_;
  for (int64_t word = 0; word < kZoneWords; ++word) {
    uint64_t before = 0;
    uint64_t after = 0;
    std::memcpy(&before, buffer->data_ - kZone + 8 * word, 8);
    std::memcpy(&after, end + 8 * word, 8);
    before ^= PatternWord(buffer->pattern_, word);
    after ^= PatternWord(~buffer->pattern_, word);
    if ((before | after) == 0 || !damage_.ok()) continue;
    const int64_t i = 8 * word + std::countr_zero(before != 0 ? before : after) / 8;
    damage_ = ir::Status(
        ir::StatusCode::kInternal,
        before == 0
            ? fmt::format("something wrote {} bytes behind a buffer of {}", i, buffer->bytes_)
            : fmt::format("something wrote {} bytes before a buffer of {}", kZone - i,
                          buffer->bytes_));
  }
}

#ifdef FAULTLINE_ASAN
__attribute__((no_sanitize("address")))
#endif
void Pool::CheckReleased(const CpuBuffer* buffer) {
  // Whole blocks first: fences look at many, and damage is rare.
  uint8_t differs = 0;
  for (int64_t i = 0; i < buffer->block_bytes_; ++i) {
    differs |= static_cast<uint8_t>(static_cast<uint8_t>(buffer->block_[i]) ^ kReleased);
  }
  if (differs == 0 || !damage_.ok()) return;
  int64_t at = 0;
  while (buffer->block_[at] == std::byte{kReleased}) ++at;
  damage_ = ir::Status(ir::StatusCode::kInternal,
                       fmt::format("something wrote into a released buffer of {} bytes, at {}",
                                   buffer->bytes_, at - (buffer->data_ - buffer->block_)));
}

void Pool::Release(CpuBuffer* buffer) {
  const std::lock_guard lock(mutex_);
  FAULTLINE_CHECK(buffer->account_ != nullptr, "a buffer is released once");
  buffer->account_->live_bytes -= buffer->bytes_;
  --buffer->account_->live_buffers;
  buffer->account_ = nullptr;
  if (mode_ == PoolMode::kGuard) {
    CheckZones(buffer);
    if (buffer->previous_ != nullptr) buffer->previous_->next_ = buffer->next_;
    if (buffer->next_ != nullptr) buffer->next_->previous_ = buffer->previous_;
    if (live_ == buffer) live_ = buffer->next_;
    Unpoison(buffer->block_, buffer->block_bytes_);
    std::memset(buffer->block_, kReleased, static_cast<size_t>(buffer->block_bytes_));
  }
  if (cached_bytes_ + buffer->block_bytes_ > kCacheLimit) {
    Delete(buffer);
    return;
  }
  Poison(buffer->block_, buffer->block_bytes_);
  cached_bytes_ += buffer->block_bytes_;
  CpuBuffer*& head = free_[static_cast<size_t>(buffer->size_class_)];
  buffer->next_ = head;
  head = buffer;
}

void Pool::Trim() {
  const std::lock_guard lock(mutex_);
  for (CpuBuffer*& head : free_) {
    while (head != nullptr) {
      CpuBuffer* next = head->next_;
      if (mode_ == PoolMode::kGuard) CheckReleased(head);
      Delete(head);
      head = next;
    }
  }
  cached_bytes_ = 0;
}

ir::Status Pool::Check() {
  if (mode_ != PoolMode::kGuard) return {};
  const std::lock_guard lock(mutex_);
  for (const CpuBuffer* buffer = live_; buffer != nullptr; buffer = buffer->next_) {
    CheckZones(buffer);
  }
  // The ones released last; the others are looked at when they are used again or given back.
  for (const CpuBuffer* head : free_) {
    for (int i = 0; i < kCheckedAtFence && head != nullptr; ++i, head = head->next_) {
      if (head->block_bytes_ > kCheckedBytesMax) break;
      CheckReleased(head);
    }
  }
  return std::exchange(damage_, ir::Status());
}

}  // namespace faultline::fusion::cpu
