// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/statistics.h"

#include <algorithm>
#include <charconv>

#include "harness/campaign/statistic_tables.h"

namespace faultline::harness {

Statistics::Statistics() : counters_(StatisticCount(), 0) {}

void Statistics::Count(StatisticFamily family, size_t index, uint64_t amount) {
  counters_[StatisticBlockBegin(family) + index] += amount;
}

void Statistics::Add(std::string_view name, uint64_t amount) {
  const auto at = std::ranges::lower_bound(named_, name, {}, &decltype(named_)::value_type::first);
  if (at != named_.end() && at->first == name) {
    at->second += amount;
  } else {
    named_.insert(at, {std::string(name), amount});
  }
}

uint64_t Statistics::Get(std::string_view name) const {
  if (const auto index = FindStatistic(name)) return counters_[*index];
  const auto at = std::ranges::lower_bound(named_, name, {}, &decltype(named_)::value_type::first);
  return at != named_.end() && at->first == name ? at->second : 0;
}

uint64_t Statistics::SumOf(std::string_view prefix) const {
  uint64_t sum = 0;
  const auto& names = StatisticNames();
  for (size_t i = 0; i < names.size(); ++i) {
    if (counters_[i] > 0 && names[i].starts_with(prefix)) sum += counters_[i];
  }
  for (const auto& [name, value] : named_) {
    if (name.starts_with(prefix)) sum += value;
  }
  return sum;
}

uint64_t Statistics::OpDtype(ir::Opcode op, ir::Dtype dtype) const {
  constexpr size_t kDtypes = ir::kPlainDtypeCount + 1;
  return counters_[StatisticBlockBegin(StatisticFamily::kOp) + static_cast<size_t>(op) * kDtypes +
                   static_cast<size_t>(dtype)];
}

std::vector<std::pair<std::string, uint64_t>> Statistics::NonZero() const {
  std::vector<std::pair<std::string, uint64_t>> result;
  const auto& names = StatisticNames();
  for (size_t i = 0; i < names.size(); ++i) {
    if (counters_[i] > 0) result.emplace_back(names[i], counters_[i]);
  }
  for (const auto& entry : named_) {
    if (entry.second > 0) result.push_back(entry);
  }
  return result;
}

void Statistics::Merge(const Statistics& other) {
  for (size_t i = 0; i < counters_.size(); ++i) counters_[i] += other.counters_[i];
  for (const auto& [name, value] : other.named_) Add(name, value);
}

std::string Statistics::Serialize() const {
  std::string text;
  for (const auto& [name, value] : NonZero()) {
    text += name;
    text += ' ';
    text += std::to_string(value);
    text += '\n';
  }
  return text;
}

ir::Result<Statistics> Statistics::Parse(std::string_view text) {
  Statistics statistics;
  int line = 0;
  while (!text.empty()) {
    ++line;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t space = entry.rfind(' ');
    uint64_t value = 0;
    const char* const last = entry.data() + entry.size();
    if (space != std::string_view::npos && space > 0) {
      const auto [rest, error] = std::from_chars(entry.data() + space + 1, last, value);
      if (error == std::errc() && rest == last && space + 1 < entry.size()) {
        const std::string_view name = entry.substr(0, space);
        if (const auto index = FindStatistic(name)) {
          statistics.counters_[*index] += value;
        } else {
          statistics.Add(name, value);
        }
        continue;
      }
    }
    return ir::Error(ir::StatusCode::kSyntax,
                     "statistics line is not \"name value\": " + std::string(entry), {line, 1});
  }
  return statistics;
}

}  // namespace faultline::harness
