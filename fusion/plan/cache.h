// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Plans by relative form: bounded, least recently used goes first, thread-safe. A hit has compared
// the whole form, never the hash alone.

#ifndef FUSION_PLAN_CACHE_H_
#define FUSION_PLAN_CACHE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "fusion/plan/plan.h"

namespace faultline::fusion {

class PlanCache {
 public:
  // Requires capacity >= 1.
  explicit PlanCache(size_t capacity) : capacity_(capacity) {}

  // Null if there is none.
  std::shared_ptr<const Plan> Find(std::span<const uint32_t> words, uint64_t hash);
  // Returns whether another plan had to go. A form that is already there is replaced.
  bool Insert(std::span<const uint32_t> words, uint64_t hash, std::shared_ptr<const Plan> plan);

  struct Counts {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    uint64_t entries = 0;
  };
  Counts counts() const;

 private:
  struct Entry {
    uint64_t hash;
    std::vector<uint32_t> words;
    std::shared_ptr<const Plan> plan;
  };
  using Order = std::list<Entry>;  // most recently used first

  Order::iterator Locate(std::span<const uint32_t> words, uint64_t hash);

  mutable std::mutex mutex_;
  size_t capacity_;
  Order order_;
  std::unordered_multimap<uint64_t, Order::iterator> by_hash_;
  Counts counts_;
};

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_CACHE_H_
