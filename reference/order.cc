// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace faultline::reference {
namespace {

// The bits of a float, read as sign and magnitude, are in the order of the numbers.
int64_t NumberOf(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? INT64_MIN - bits : bits;
}
int64_t NumberOf(ir::Dtype dtype, int64_t value) {
  return dtype == ir::Dtype::kU64 ? value ^ INT64_MIN : value;
}

// Mirrored where what came last comes first. Complements never overflow.
SortKey KeyOfNumber(int64_t number, Direction direction) {
  return {direction.nan_first, direction.descending ? ~number : number};
}
SortKey KeyOfNan(Direction direction) { return {!direction.nan_first, 0}; }

}  // namespace

Direction DirectionOf(ir::Opcode op, const ir::Attributes& attributes) {
  if (!ir::HasTrait(op, ir::kSorting)) {
    const bool lowest = op == ir::Opcode::kArgmin || op == ir::Opcode::kMinDimWithIndices;
    return {.descending = !lowest, .nan_first = true};
  }
  const bool descending = ir::InfoOf(op).Takes(ir::AttributeKey::kK) ||
                          attributes.Int(ir::AttributeKey::kDescending) != 0;
  return {descending, descending};
}

SortKey KeyOf(ir::Dtype dtype, Cell cell, Direction direction) {
  if (!ir::IsFloat(dtype)) return KeyOfNumber(NumberOf(dtype, AsInt(cell)), direction);
  const double value = AsFloat(cell);
  return std::isnan(value) ? KeyOfNan(direction) : KeyOfNumber(NumberOf(value), direction);
}

KeyRange KeyRangeOf(const Enclosure& x, int64_t i, Direction direction) {
  if (x.IsPoint(i)) {
    const SortKey key = KeyOf(x.dtype(), x.PointAt(i), direction);
    return {key, key};
  }
  KeyRange range;
  bool nan = false;
  if (x.is_float()) {
    const FloatSet set = x.FloatAt(i);
    if (set.count == 0 && !set.positive_infinity && !set.negative_infinity) {
      return {KeyOfNan(direction), KeyOfNan(direction)};
    }
    nan = set.nan;
    range = {KeyOfNumber(NumberOf(set.Lowest()), direction),
             KeyOfNumber(NumberOf(set.Highest()), direction)};
  } else {
    const IntSet set = x.IntAt(i);
    range = {KeyOfNumber(NumberOf(x.dtype(), set.lo), direction),
             KeyOfNumber(NumberOf(x.dtype(), set.hi), direction)};
  }
  if (direction.descending) std::swap(range.lo, range.hi);
  if (nan) (direction.nan_first ? range.lo : range.hi) = KeyOfNan(direction);
  return range;
}

// j comes before i whatever they are if hi_j < lo_i, or they can at best tie there and j has the
// lower index; that is the order of the pairs (hi_j, j) and (lo_i, i). Behind likewise.
std::vector<RankRange> RanksOf(const std::vector<KeyRange>& ranges) {
  using Entry = std::pair<SortKey, int64_t>;
  const auto n = static_cast<int64_t>(ranges.size());
  std::vector<Entry> lows;
  std::vector<Entry> highs;
  for (int64_t i = 0; i < n; ++i) {
    lows.emplace_back(ranges[static_cast<size_t>(i)].lo, i);
    highs.emplace_back(ranges[static_cast<size_t>(i)].hi, i);
  }
  std::ranges::sort(lows);
  std::ranges::sort(highs);
  std::vector<RankRange> ranks;
  for (int64_t i = 0; i < n; ++i) {
    const Entry low = {ranges[static_cast<size_t>(i)].lo, i};
    const Entry high = {ranges[static_cast<size_t>(i)].hi, i};
    const auto before = std::ranges::lower_bound(highs, low) - highs.begin();
    const auto behind = lows.end() - std::ranges::upper_bound(lows, high);
    ranks.push_back({before, n - 1 - behind});
  }
  return ranks;
}

}  // namespace faultline::reference
