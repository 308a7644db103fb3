// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/thread_pool.h"

namespace faultline::fusion::cpu {
namespace {

int64_t Bound(int64_t parts, int thread, int threads) { return parts * thread / threads; }

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int number = 1; number < threads; ++number) {
    workers_.emplace_back([this, number] { Work(number); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Start(int64_t parts, Function function, const void* context) {
  if (parts <= 0) return;
  if (workers_.empty() || parts == 1 || running_.exchange(true, std::memory_order_acquire)) {
    function(context, 0, parts);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ++generation_;
    unfinished_ = static_cast<int>(workers_.size());
    parts_ = parts;
    function_ = function;
    context_ = context;
  }
  started_.notify_all();
  const int64_t end = Bound(parts, 1, threads());
  if (end > 0) function(context, 0, end);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return unfinished_ == 0; });
  running_.store(false, std::memory_order_release);
}

void ThreadPool::Work(int number) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    started_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    const Function function = function_;
    const void* context = context_;
    const int count = static_cast<int>(workers_.size()) + 1;
    const int64_t begin = Bound(parts_, number, count);
    const int64_t end = Bound(parts_, number + 1, count);
    lock.unlock();
    if (begin < end) function(context, begin, end);
    lock.lock();
    if (--unfinished_ == 0) finished_.notify_all();
  }
}

}  // namespace faultline::fusion::cpu
