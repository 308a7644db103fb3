// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/thread_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace faultline::fusion::cpu {
namespace {

TEST_CASE("a pool starts and stops without work") {
  for (int threads = 1; threads <= 5; ++threads) {
    const ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
  }
}

TEST_CASE("every part runs once, on plain memory") {
  for (int threads = 1; threads <= 4; ++threads) {
    ThreadPool pool(threads);
    for (const int64_t parts : {0, 1, 2, 3, 4, 5, 7, 100}) {
      for (int round = 0; round < 50; ++round) {
        // No atomics: the pool alone orders these writes before the reads below.
        std::vector<int> runs(static_cast<size_t>(parts), 0);
        pool.Run(parts, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++runs[static_cast<size_t>(i)];
        });
        REQUIRE(runs == std::vector<int>(static_cast<size_t>(parts), 1));
      }
    }
  }
}

TEST_CASE("the ranges depend on the number of parts alone") {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::set<std::pair<int64_t, int64_t>> ranges;
    pool.Run(10, [&](int64_t begin, int64_t end) {
      const std::lock_guard lock(mutex);
      ranges.insert({begin, end});
    });
    CHECK(ranges == std::set<std::pair<int64_t, int64_t>>{{0, 3}, {3, 6}, {6, 10}});
  }
}

TEST_CASE("runs from several threads at once, and from inside of a run") {
  ThreadPool pool(3);
  std::atomic<int64_t> total = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 30; ++round) {
        pool.Run(8, [&](int64_t begin, int64_t end) {
          pool.Run(end - begin, [&](int64_t from, int64_t to) { total += to - from; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(total == 3 * 30 * 8);
}

}  // namespace
}  // namespace faultline::fusion::cpu
