// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/pool.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <vector>

namespace faultline::fusion::cpu {
namespace {

CpuBuffer* Get(Pool* pool, MemoryAccount* account, int64_t bytes) {
  auto buffer = pool->Allocate(account, bytes);
  REQUIRE(buffer.has_value());
  return *buffer;
}

// Writes that AddressSanitizer would stop, were it asked.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAULTLINE_ASAN 1
#endif
#endif

#ifndef FAULTLINE_ASAN
TEST_CASE("guard mode finds writes outside of a buffer") {
  for (const int64_t bytes : {0, 1, 63, 64, 65, 1000, 100000}) {
    for (const int64_t at : {int64_t{-1}, int64_t{-64}, bytes, bytes + 63}) {
      Pool pool(PoolMode::kGuard, 7);
      MemoryAccount account;
      CpuBuffer* buffer = Get(&pool, &account, bytes);
      if (bytes > 0) std::memset(buffer->data(), 0x55, static_cast<size_t>(bytes));
      CHECK(pool.Check().ok());
      std::byte& victim = buffer->data()[at];
      const std::byte old = victim;
      victim ^= std::byte{1};
      const ir::Status found = pool.Check();
      CHECK(found.code() == ir::StatusCode::kInternal);
      CHECK(found.message().find(at < 0 ? "before a buffer" : "behind a buffer") !=
            std::string::npos);
      victim = old;
      CHECK(pool.Check().ok());
      victim ^= std::byte{0x80};
      pool.Release(buffer);
      CHECK_FALSE(pool.Check().ok());
      CHECK(pool.Check().ok());  // told once
    }
  }
}

TEST_CASE("guard mode finds writes into a released buffer") {
  Pool pool(PoolMode::kGuard, 7);
  MemoryAccount account;
  CpuBuffer* buffer = Get(&pool, &account, 300);
  std::byte* data = buffer->data();
  pool.Release(buffer);
  CHECK(pool.Check().ok());
  data[100] = std::byte{0};
  CHECK(pool.Check().message() == "something wrote into a released buffer of 300 bytes, at 100");
  // Also when the block is used again before anyone looked.
  data[100] = std::byte{0};
  CpuBuffer* again = Get(&pool, &account, 300);
  CHECK(again->data() == data);
  CHECK_FALSE(pool.Check().ok());
  pool.Release(again);
}
#endif

TEST_CASE("guard mode never hands out zeroes") {
  Pool pool(PoolMode::kGuard, 7);
  MemoryAccount account;
  CpuBuffer* buffer = Get(&pool, &account, 64);
  for (int i = 0; i < 64; ++i) CHECK(buffer->data()[i] != std::byte{0});
  pool.Release(buffer);
}

TEST_CASE("buffers are aligned, apart from each other, and reused") {
  for (const PoolMode mode : {PoolMode::kPlain, PoolMode::kGuard, PoolMode::kPitch}) {
    Pool pool(mode, 1);
    MemoryAccount account;
    std::vector<CpuBuffer*> buffers;
    for (int64_t bytes = 0; bytes < 5000; bytes += 97) {
      CpuBuffer* buffer = Get(&pool, &account, bytes);
      CHECK(reinterpret_cast<uintptr_t>(buffer->data()) % 64 == 0);
      CHECK(buffer->bytes() == bytes);
      std::memset(buffer->data(), static_cast<int>(buffers.size()), static_cast<size_t>(bytes));
      buffers.push_back(buffer);
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (int64_t k = 0; k < buffers[i]->bytes(); ++k) {
        REQUIRE(buffers[i]->data()[k] == static_cast<std::byte>(i));
      }
    }
    std::byte* last = buffers.back()->data();
    for (CpuBuffer* buffer : buffers) pool.Release(buffer);
    CHECK(account.live_bytes == 0);
    CHECK(account.live_buffers == 0);
    CpuBuffer* again = Get(&pool, &account, 97 * 51);
    CHECK(again->data() == last);
    pool.Release(again);
    CHECK(pool.Check().ok());
  }
}

TEST_CASE("limits and injected failures are statuses, and leave the counters right") {
  Pool pool(PoolMode::kPlain, 0);
  MemoryAccount account;
  account.limit = 1000;
  CpuBuffer* first = Get(&pool, &account, 600);
  const auto refused = pool.Allocate(&account, 401);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == ir::StatusCode::kOutOfMemory);
  CHECK(refused.error().message() ==
        "401 bytes beside the 600 alive are more than the limit of 1000");
  CpuBuffer* second = Get(&pool, &account, 400);
  CHECK(account.peak_bytes == 1000);
  pool.Release(first);
  account.fail_allocation = account.allocations + 2;
  first = Get(&pool, &account, 10);
  CHECK(pool.Allocate(&account, 10).error().message() ==
        "allocation 5 of 10 bytes was made to fail");
  CHECK(account.live_bytes == 410);
  CHECK(account.live_buffers == 2);
  pool.Release(first);
  pool.Release(second);
  CHECK_FALSE(pool.Allocate(&account, int64_t{1} << 60).has_value());
}

TEST_CASE("shapes beyond any device are refused") {
  Pool pool(PoolMode::kPlain, 0);
  MemoryAccount account;
  const int64_t huge = int64_t{1} << 40;
  const auto tensor = pool.AllocateTensor(&account, 8, {huge, huge, huge});
  REQUIRE_FALSE(tensor.has_value());
  CHECK(tensor.error().code() == ir::StatusCode::kOutOfMemory);
  const auto empty = pool.AllocateTensor(&account, 8, {huge, 0, 5});
  REQUIRE(empty.has_value());
  pool.Release(static_cast<CpuBuffer*>(empty->buffer));
}

TEST_CASE("pitch mode pads rows and shifts the first element, inside of the buffer") {
  Pool pool(PoolMode::kPitch, 42);
  MemoryAccount account;
  std::set<int64_t> pitches;
  std::set<int64_t> offsets;
  for (int i = 0; i < 60; ++i) {
    const auto tensor = pool.AllocateTensor(&account, 4, {3, 4, 5});
    REQUIRE(tensor.has_value());
    const auto& strides = tensor->place.strides;
    CHECK(strides[2] == 1);
    CHECK(strides[0] == 4 * strides[1]);
    pitches.insert(strides[1]);
    offsets.insert(tensor->place.offset);
    const int64_t last = tensor->place.offset + 2 * strides[0] + 3 * strides[1] + 4;
    CHECK((last + 1) * 4 <= tensor->buffer->bytes());
    pool.Release(static_cast<CpuBuffer*>(tensor->buffer));
  }
  CHECK(pitches.size() > 3);
  CHECK(*pitches.begin() == 5);
  CHECK(offsets.size() > 5);
}

}  // namespace
}  // namespace faultline::fusion::cpu
