// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/statistic_tables.h"

#include <array>
#include <unordered_map>

#include "harness/campaign/classify.h"
#include "harness/campaign/scheme_uses.h"

namespace faultline::harness {
namespace {

constexpr size_t kOps = ir::kOpcodeCount;
constexpr size_t kDtypes = ir::kPlainDtypeCount + 1;
constexpr size_t kForms = 9;
constexpr size_t kOctaves = 26;
constexpr size_t kRanks = ir::kRankMax + 1;

constexpr std::array<size_t, kStatisticFamilyCount> kBlockSizes = {
    kOps * kDtypes,
    kOps* kDtypeClassCount* kLayoutClassCount,
    size_t{kSchemeClassCount} * kOps,
    kSchemeCellCount,
    kOps * 3 * kSlotFeedCount,
    kRanks,
    kExactExtents + kOctaves,
    kRanks* kRanks,
    kForms,
    kSpecialValueCount,
    64,
    kLifetimeCount,
    kPlanReuseCount,
    size_t{kTransactionMixCount} * kSizeClassCount + kTransactionTraitCount,
    size_t{kStructureCount} * kSizeClassCount,
    kOctaves,
    kIndexErrorCount};

constexpr std::array<size_t, kStatisticFamilyCount + 1> kBegins = [] {
  std::array<size_t, kStatisticFamilyCount + 1> begins = {};
  for (size_t i = 0; i < kBlockSizes.size(); ++i) begins[i + 1] = begins[i] + kBlockSizes[i];
  return begins;
}();

constexpr std::array<std::string_view, kSlotFeedCount> kFeedNames = {
    "input",  "pending",  "materialized", "permuted", "stepped", "reversed",
    "prefix", "expanded", "reshaped",     "view",     "clone",   "created",
    "cast",   "foreign",  "same_twice",   "own_view"};
constexpr std::array<std::string_view, kSpecialValueCount> kSpecialNames = {
    "nan",      "nan_payload",  "inf",  "minus_inf", "minus_zero", "zero",     "subnormal",
    "greatest", "beyond_exact", "half", "int_min",   "int_max",    "minus_one"};
constexpr std::array<std::string_view, kLifetimeCount> kLifetimeNames = {
    "dropped_before_read", "alive_at_read",
    "drop_early",          "drop_late",
    "drop_foreign",        "drop_unused",
    "drop_after_read",     "clone",
    "read_with_clone",     "read_last_handle",
    "read_intermediate",   "read_pending",
    "read_foreign",        "sync",
    "stream_change",       "never_dropped"};
constexpr std::array<std::string_view, kPlanReuseCount> kReuseNames = {
    "again",  "extents",   "scalars",           "slices",     "dtypes", "attribute",
    "prefix", "extension", "small_large_small", "alternating"};
constexpr std::array<std::string_view, kTransactionTraitCount> kTraitNames = {
    "duplicates",  "both_forms",       "quantized_view", "moved_codes",
    "requantized", "several_in_a_row", "foreign"};
constexpr std::array<std::string_view, kStructureCount> kStructureNames = {
    "operations", "inputs", "reads", "chain", "operands", "live"};
constexpr std::array<std::string_view, kIndexErrorCount> kErrorNames = {"negative", "too_large",
                                                                        "healthy_after"};
constexpr std::array<std::string_view, kForms> kFormNames = {
    "list", "constant", "iota", "cycle", "uniform", "normal", "ints", "logscale", "quantized"};

std::string OpName(size_t op) { return std::string(ir::Mnemonic(static_cast<ir::Opcode>(op))); }

std::string SizeName(size_t size_class) {
  return std::to_string(LargestOfSizeClass(static_cast<int>(size_class)));
}

std::string NameOf(StatisticFamily family, size_t i) {
  switch (family) {
    case StatisticFamily::kOp:
      return "op." + OpName(i / kDtypes) + "/" +
             std::string(ir::DtypeName(static_cast<ir::Dtype>(i % kDtypes)));
    case StatisticFamily::kOpLayout:
      return "op_layout." + OpName(i / kLayoutClassCount / kDtypeClassCount) + "/" +
             std::string(DtypeClassName(
                 static_cast<DtypeClass>(i / kLayoutClassCount % kDtypeClassCount))) +
             "/" + std::string(LayoutClassName(static_cast<LayoutClass>(i % kLayoutClassCount)));
    case StatisticFamily::kSchemeOp:
      return "scheme." + SchemeClassName(static_cast<int>(i / kOps)) + "/" + OpName(i % kOps);
    case StatisticFamily::kSchemeUse:
      return "scheme_use." + SchemeCellName(i);
    case StatisticFamily::kSlotFeed:
      return "feed." + OpName(i / 3 / kSlotFeedCount) + "/" +
             std::to_string(i / kSlotFeedCount % 3) + "/" +
             std::string(kFeedNames[i % kSlotFeedCount]);
    case StatisticFamily::kRank:
      return "rank." + std::to_string(i);
    case StatisticFamily::kExtent:
      if (i < kExactExtents) return "extent." + std::to_string(i);
      return "extent.upto_" + std::to_string(uint64_t{1} << (i - kExactExtents));
    case StatisticFamily::kOnesAt:
      return "ones." + std::to_string(i / kRanks) + "/" + std::to_string(i % kRanks);
    case StatisticFamily::kForm:
      return "form." + std::string(kFormNames[i]);
    case StatisticFamily::kSpecial:
      return "special." + std::string(kSpecialNames[i]);
    case StatisticFamily::kLane:
      return "lane." + std::to_string(i);
    case StatisticFamily::kLifetime:
      return "lifetime." + std::string(kLifetimeNames[i]);
    case StatisticFamily::kPlanReuse:
      return "reuse." + std::string(kReuseNames[i]);
    case StatisticFamily::kTransaction: {
      const size_t mixes = size_t{kTransactionMixCount} * kSizeClassCount;
      if (i >= mixes) return "transaction." + std::string(kTraitNames[i - mixes]);
      return "transaction." +
             std::string(TransactionMixName(static_cast<TransactionMix>(i / kSizeClassCount))) +
             "/" + SizeName(i % kSizeClassCount);
    }
    case StatisticFamily::kStructure:
      return "structure." + std::string(kStructureNames[i / kSizeClassCount]) + "/" +
             SizeName(i % kSizeClassCount);
    case StatisticFamily::kWork:
      return "work." + std::to_string(uint64_t{1} << i);
    case StatisticFamily::kError:
      return "error." + std::string(kErrorNames[i]);
  }
  return {};
}

struct Table {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, size_t> by_name;
};

const Table& TheTable() {
  static const Table* const kTable = [] {
    auto* table = new Table;
    table->names.reserve(kBegins.back());
    for (size_t f = 0; f < kBlockSizes.size(); ++f) {
      for (size_t i = 0; i < kBlockSizes[f]; ++i) {
        table->names.push_back(NameOf(static_cast<StatisticFamily>(f), i));
      }
    }
    for (size_t i = 0; i < table->names.size(); ++i) table->by_name.emplace(table->names[i], i);
    return table;
  }();
  return *kTable;
}

}  // namespace

size_t StatisticBlockBegin(StatisticFamily family) { return kBegins[static_cast<size_t>(family)]; }
size_t StatisticCount() { return kBegins.back(); }
const std::vector<std::string>& StatisticNames() { return TheTable().names; }

std::optional<size_t> FindStatistic(std::string_view name) {
  const auto& by_name = TheTable().by_name;
  const auto it = by_name.find(name);
  if (it == by_name.end()) return std::nullopt;
  return it->second;
}

}  // namespace faultline::harness
