// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A pool of threads for loops whose parts do not depend on each other. Which thread runs a part is
// fixed by its number; what a part is, is up to the caller, who makes it a function of extents
// alone, so that results do not depend on how many threads there are.

#ifndef FUSION_CPU_THREAD_POOL_H_
#define FUSION_CPU_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace faultline::fusion::cpu {

class ThreadPool {
 public:
  // `threads` counts the caller of Run: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // body(begin, end) for consecutive ranges that cover [0, parts), one a thread; returns when all
  // are done. Runs everything on the caller if another Run is under way. `body` throws nothing.
  template <typename Body>
  void Run(int64_t parts, const Body& body) {
    Start(
        parts,
        [](const void* context, int64_t begin, int64_t end) {
          (*static_cast<const Body*>(context))(begin, end);
        },
        &body);
  }

 private:
  using Function = void (*)(const void* context, int64_t begin, int64_t end);

  void Start(int64_t parts, Function function, const void* context);
  void Work(int number);

  std::atomic<bool> running_ = false;  // a Run is under way

  std::mutex mutex_;  // guards what follows
  std::condition_variable started_;
  std::condition_variable finished_;
  uint64_t generation_ = 0;
  bool stopping_ = false;
  int unfinished_ = 0;
  int64_t parts_ = 0;
  Function function_ = nullptr;
  const void* context_ = nullptr;

  std::vector<std::thread> workers_;
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_THREAD_POOL_H_
