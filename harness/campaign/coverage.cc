// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/backend/support.h"
#include "harness/campaign/promises.h"
#include "harness/campaign/scheme_uses.h"

namespace faultline::harness {
namespace {

// Groups names by the statistic that counts each.
class Grouping {
 public:
  Grouping(const Statistics& statistics, std::string name) : statistics_(statistics) {
    group_.name = std::move(name);
  }
  void Add(const std::string& name, uint64_t count) {
    ++group_.of;
    if (count > 0) {
      ++group_.reached;
    } else {
      group_.never.push_back(name);
    }
  }
  void Add(std::string_view prefix, const std::string& name) {
    Add(name, statistics_.Get(std::string(prefix) + name));
  }
  CoverageGroup Take() { return std::move(group_); }

 private:
  const Statistics& statistics_;
  CoverageGroup group_;
};

// Ops and rules have groups of their own, by name.
constexpr std::pair<FeatureFamily, std::string_view> kFamilies[] = {
    {FeatureFamily::kEdge, "producer x consumer x fused"},
    {FeatureFamily::kCut, "why not fused"},
    {FeatureFamily::kAlias, "buffers taken over, or why not"},
    {FeatureFamily::kCacheEvent, "plan cache"},
    {FeatureFamily::kTier, "tiers"},
    {FeatureFamily::kScheme, "scheme x kind of op"},
    {FeatureFamily::kTransaction, "transaction x size x duplicates"},
    {FeatureFamily::kRadius, "radii"},
    {FeatureFamily::kLayout, "layout x kind of op"},
};

CoverageGroup FeatureGroup(const Statistics& statistics, FeatureFamily family,
                           std::string_view name) {
  Grouping grouping(statistics, fmt::format("features: {}", name));
  const size_t begin = FeatureBlockBegin(family);
  for (size_t i = 0; i < FeatureBlockSize(family); ++i) {
    grouping.Add("feature.", FeatureName(begin + i));
  }
  CoverageGroup group = grouping.Take();
  group.all_can_be = false;
  return group;
}

}  // namespace

std::vector<CoverageGroup> CoverageOf(const Statistics& statistics, const Backend& backend) {
  std::vector<CoverageGroup> groups;
  Grouping ops(statistics, "op x dtype");
  for (const auto& [op, dtype] : SupportedOpDtypes(backend)) {
    ops.Add(fmt::format("{}/{}", ir::Mnemonic(op), ir::DtypeName(dtype)),
            statistics.OpDtype(op, dtype));
  }
  groups.push_back(ops.Take());
  Grouping rules(statistics, "fusion rules");
  for (const std::string_view rule : backend.RuleNames()) rules.Add("rule.", std::string(rule));
  groups.push_back(rules.Take());
  Grouping schemes(statistics, "scheme uses");
  for (const size_t cell : ReachableSchemeCells()) {
    schemes.Add("scheme_use.", SchemeCellName(cell));
  }
  groups.push_back(schemes.Take());
  for (const Promises& promises : GeneratorPromises()) {
    Grouping grouping(statistics, std::string(promises.group));
    for (const std::string& name : promises.names) grouping.Add("", name);
    groups.push_back(grouping.Take());
  }
  for (const auto& [family, name] : kFamilies) {
    groups.push_back(FeatureGroup(statistics, family, name));
  }
  return groups;
}

void AddFeatures(std::span<const uint8_t> counters, Statistics& statistics) {
  // In the order of names, which statistics keep: each is added behind the one before.
  static const auto kByName = [] {
    std::vector<std::pair<std::string, size_t>> names;
    for (size_t i = 0; i < FeatureCount(); ++i) names.emplace_back("feature." + FeatureName(i), i);
    std::ranges::sort(names);
    return names;
  }();
  for (const auto& [name, index] : kByName) {
    if (counters[index] > 0) statistics.Add(name);
  }
}

}  // namespace faultline::harness
