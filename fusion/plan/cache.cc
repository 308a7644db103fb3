// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/cache.h"

#include <algorithm>
#include <utility>

#include "fusion/fault.h"

namespace faultline::fusion {

PlanCache::Order::iterator PlanCache::Locate(std::span<const uint32_t> words, uint64_t hash) {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const std::vector<uint32_t>& have = it->second->words;
    if (std::ranges::equal(have, words)) return it->second;
    if (FAULT(hash_taken_for_key) && have.size() == words.size()) return it->second;
  }
  return order_.end();
}

std::shared_ptr<const Plan> PlanCache::Find(std::span<const uint32_t> words, uint64_t hash) {
  const std::lock_guard lock(mutex_);
  const auto at = Locate(words, hash);
  if (at == order_.end() || FAULT(plan_cache_never_hits)) {
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  order_.splice(order_.begin(), order_, at);
  return at->plan;
}

bool PlanCache::Insert(std::span<const uint32_t> words, uint64_t hash,
                       std::shared_ptr<const Plan> plan) {
  const std::lock_guard lock(mutex_);
  if (const auto at = Locate(words, hash); at != order_.end()) {
    at->plan = std::move(plan);
    return false;
  }
  order_.push_front({hash, {words.begin(), words.end()}, std::move(plan)});
  by_hash_.emplace(hash, order_.begin());
  if (order_.size() <= capacity_) return false;
  const auto last = std::prev(order_.end());
  const auto [begin, end] = by_hash_.equal_range(last->hash);
  by_hash_.erase(std::find_if(begin, end, [&](const auto& item) { return item.second == last; }));
  order_.pop_back();
  ++counts_.evictions;
  return true;
}

PlanCache::Counts PlanCache::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.entries = order_.size();
  return counts;
}

}  // namespace faultline::fusion
