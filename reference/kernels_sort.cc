// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sorts and what is taken from them: stable in both directions, NaN last ascending and first
// descending, bits moved. Top k is the prefix of the descending sort. Rows of points give points;
// otherwise rule R6 of the oracle.

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "reference/order.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

size_t At(int64_t i) { return static_cast<size_t>(i); }

// The sorted axis of an operand, and where its first elements go in the result.
struct SortedRow {
  Row from;
  Row to;  // as many elements as are kept
};

template <class A, class F>
void ForEachSorted(const Call<A>& call, const F& f) {
  const ir::Shape& from = TypeOf(call.operand(0)).shape;
  const ir::Shape& to = TypeOf(call.result()).shape;
  const int64_t dim = call.attributes.dim();
  std::vector<Row> targets;
  ForEachRowAlong(to, dim, [&](int64_t, const Row& row) { targets.push_back(row); });
  ForEachRowAlong(from, dim, [&](int64_t i, const Row& row) { f(SortedRow{row, targets[At(i)]}); });
}

// Positions along the row, in the order of the sort.
std::vector<int64_t> OrderOf(const Call<Exact>& call, const Row& row) {
  const Direction direction = DirectionOf(call.op, call.attributes);
  const ir::Dtype dtype = call.algebra.operand();
  std::vector<SortKey> keys;
  for (int64_t k = 0; k < row.count; ++k) {
    keys.push_back(KeyOf(dtype, call.operand(0).cells[At(row[k])], direction));
  }
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return keys[At(a)] != keys[At(b)] ? keys[At(a)] < keys[At(b)] : a < b;
  });
  return order;
}

void PutSorted(const Call<Exact>& call) {
  ForEachSorted(call, [&](const SortedRow& row) {
    const std::vector<int64_t> order = OrderOf(call, row.from);
    for (int64_t k = 0; k < row.to.count; ++k) {
      call.result().cells[At(row.to[k])] = call.operand(0).cells[At(row.from[order[At(k)]])];
    }
  });
}

void PutOrder(const Call<Exact>& call) {
  ForEachSorted(call, [&](const SortedRow& row) {
    const std::vector<int64_t> order = OrderOf(call, row.from);
    for (int64_t k = 0; k < row.to.count; ++k) PutAt(call.result(), row.to[k], order[At(k)]);
  });
}

bool PutPoints(const Call<Sets>& call, const SortedRow& row) {
  for (int64_t k = 0; k < row.from.count; ++k) {
    if (!call.operand(0).IsPoint(row.from[k])) return false;
  }
  for (int64_t k = 0; k < row.to.count; ++k) {
    call.result().PutCell(row.to[k], call.naive->cells[At(row.to[k])]);
  }
  return true;
}

// The number at position k of the ascending order lies between the k-th smallest lower end of all
// that may be numbers and the k-th smallest upper end of all that must be; an element that may be
// NaN can be missing. Where fewer than k + 1 must be, the greatest upper end bounds it.
void SortFloatSets(const Call<Sets>& call, const SortedRow& row, bool descending) {
  std::vector<double> lows;
  std::vector<double> highs;
  double greatest = -kInfinity;
  bool integral = true;
  for (int64_t k = 0; k < row.from.count; ++k) {
    const FloatSet set = call.operand(0).FloatAt(row.from[k]);
    integral = integral && (set.integral || set.count == 0);
    if (set.count == 0 && !set.positive_infinity && !set.negative_infinity) continue;
    lows.push_back(set.Lowest());
    greatest = std::max(greatest, set.Highest());
    if (!set.nan) highs.push_back(set.Highest());
  }
  std::ranges::sort(lows);
  std::ranges::sort(highs);
  const auto numbers = static_cast<int64_t>(lows.size());
  const auto must = static_cast<int64_t>(highs.size());
  for (int64_t at = 0; at < row.to.count; ++at) {
    const int64_t k = descending ? row.from.count - 1 - at : at;
    FloatSet set;
    if (k < numbers) {
      const double lo = lows[At(k)];
      const double hi = k < must ? highs[At(k)] : greatest;
      // Zeros tie, so either may stand here.
      set.AddRounded(call.algebra.result(), lo == 0 ? -0.0 : lo, hi == 0 ? 0.0 : hi);
    }
    set.nan = k >= must;
    set.integral = integral;
    call.result().Put(row.to[at], set);
  }
}

void SortIntSets(const Call<Sets>& call, const SortedRow& row, bool descending) {
  const ir::Dtype dtype = call.algebra.operand();
  std::vector<int64_t> lows;
  std::vector<int64_t> highs;
  for (int64_t k = 0; k < row.from.count; ++k) {
    const IntSet set = call.operand(0).IntAt(row.from[k]);
    lows.push_back(set.lo);
    highs.push_back(set.hi);
  }
  const auto less = [dtype](int64_t a, int64_t b) { return IntLess(dtype, a, b); };
  std::ranges::sort(lows, less);
  std::ranges::sort(highs, less);
  for (int64_t at = 0; at < row.to.count; ++at) {
    const int64_t k = descending ? row.from.count - 1 - at : at;
    call.result().Put(row.to[at], IntSet::Between(dtype, lows[At(k)], highs[At(k)]));
  }
}

void PutSorted(const Call<Sets>& call) {
  const bool descending = DirectionOf(call.op, call.attributes).descending;
  ForEachSorted(call, [&](const SortedRow& row) {
    if (PutPoints(call, row)) return;
    if (ir::IsFloat(call.algebra.operand())) {
      SortFloatSets(call, row, descending);
    } else {
      SortIntSets(call, row, descending);
    }
  });
}

// Elements that may have one of more ranks than this, all together, are taken to have any: the
// certificate of the whole permutation says the rest.
constexpr int64_t kRanksMax = int64_t{1} << 20;

// Which element may stand at each position.
void PutOrder(const Call<Sets>& call) {
  const ir::Dtype index = call.algebra.result();
  const Direction direction = DirectionOf(call.op, call.attributes);
  ForEachSorted(call, [&](const SortedRow& row) {
    if (PutPoints(call, row)) return;
    std::vector<KeyRange> ranges;
    for (int64_t k = 0; k < row.from.count; ++k) {
      ranges.push_back(KeyRangeOf(call.operand(0), row.from[k], direction));
    }
    const std::vector<RankRange> ranks = RanksOf(ranges);
    int64_t all = 0;
    for (const RankRange& rank : ranks) all += rank.last - rank.first + 1;
    std::vector<IntSet> sets(At(row.to.count),
                             IntSet::Between(index, 0, std::max<int64_t>(row.from.count - 1, 0)));
    std::vector<bool> named(sets.size(), all > kRanksMax);
    for (int64_t i = 0; i < row.from.count && all <= kRanksMax; ++i) {
      const int64_t last = std::min(ranks[At(i)].last, row.to.count - 1);
      for (int64_t k = ranks[At(i)].first; k <= last; ++k) {
        if (named[At(k)]) sets[At(k)].AddValue(index, i);
        if (!named[At(k)]) sets[At(k)] = IntSet::Of(i);
        named[At(k)] = true;
      }
    }
    for (int64_t k = 0; k < row.to.count; ++k) call.result().Put(row.to[k], sets[At(k)]);
  });
}

template <class A>
void PutBoth(const Call<A>& call) {
  call.ForResult(0, [](const Call<A>& values) { PutSorted(values); });
  call.ForResult(1, [](const Call<A>& indices) { PutOrder(indices); });
}

}  // namespace

FAULTLINE_KERNEL(Sort) { PutSorted(call); }
FAULTLINE_KERNEL(Argsort) { PutOrder(call); }
FAULTLINE_KERNEL(SortWithIndices) { PutBoth(call); }
FAULTLINE_KERNEL(Topk) { PutSorted(call); }
FAULTLINE_KERNEL(Argtopk) { PutOrder(call); }
FAULTLINE_KERNEL(TopkWithIndices) { PutBoth(call); }

}  // namespace faultline::reference
