// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sort: stable in both directions, NaN last ascending and first descending, bits moved. A row of
// points is a row of points; otherwise rule R6 of the oracle.

#include <algorithm>
#include <limits>
#include <vector>

#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// -0 ties with +0, NaNs tie with each other beyond every number.
bool FloatBefore(Cell a, Cell b) {
  const double x = AsFloat(a);
  const double y = AsFloat(b);
  return std::isnan(y) ? !std::isnan(x) : x < y;
}

void SortRow(const Call<Exact>& call, const Row& row, bool descending) {
  const Points& x = call.operand(0);
  const ir::Dtype dtype = call.algebra.operand();
  const auto before = [&](int64_t a, int64_t b) {
    const Cell left = x.cells[static_cast<size_t>(row[a])];
    const Cell right = x.cells[static_cast<size_t>(row[b])];
    return ir::IsFloat(dtype) ? FloatBefore(left, right)
                              : IntLess(dtype, AsInt(left), AsInt(right));
  };
  std::vector<int64_t> order;
  for (int64_t k = 0; k < row.count; ++k) order.push_back(k);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    const bool first = descending ? before(b, a) : before(a, b);
    const bool second = descending ? before(a, b) : before(b, a);
    return first || (!second && a < b);
  });
  for (int64_t k = 0; k < row.count; ++k) {
    call.result().cells[static_cast<size_t>(row[k])] =
        x.cells[static_cast<size_t>(row[order[static_cast<size_t>(k)]])];
  }
}

bool PutSortedPoints(const Call<Sets>& call, const Row& row) {
  for (int64_t k = 0; k < row.count; ++k) {
    if (!call.operand(0).IsPoint(row[k])) return false;
  }
  for (int64_t k = 0; k < row.count; ++k) {
    call.result().PutCell(row[k], call.naive->cells[static_cast<size_t>(row[k])]);
  }
  return true;
}

// The number at position k of the ascending order lies between the k-th smallest lower end of all
// that may be numbers and the k-th smallest upper end of all that must be; an element that may be
// NaN can be missing. Where fewer than k + 1 must be, the greatest upper end bounds it.
void SortFloatSets(const Call<Sets>& call, const Row& row, bool descending) {
  std::vector<double> lows;
  std::vector<double> highs;
  double greatest = -kInfinity;
  bool integral = true;
  for (int64_t k = 0; k < row.count; ++k) {
    const FloatSet set = call.operand(0).FloatAt(row[k]);
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
  for (int64_t k = 0; k < row.count; ++k) {
    FloatSet set;
    if (k < numbers) {
      const double lo = lows[static_cast<size_t>(k)];
      const double hi = k < must ? highs[static_cast<size_t>(k)] : greatest;
      // Zeros tie, so either may stand here.
      set.AddRounded(call.algebra.result(), lo == 0 ? -0.0 : lo, hi == 0 ? 0.0 : hi);
    }
    set.nan = k >= must;
    set.integral = integral;
    call.result().Put(row[descending ? row.count - 1 - k : k], set);
  }
}

void SortIntSets(const Call<Sets>& call, const Row& row, bool descending) {
  const ir::Dtype dtype = call.algebra.operand();
  std::vector<int64_t> lows;
  std::vector<int64_t> highs;
  for (int64_t k = 0; k < row.count; ++k) {
    const IntSet set = call.operand(0).IntAt(row[k]);
    lows.push_back(set.lo);
    highs.push_back(set.hi);
  }
  const auto less = [dtype](int64_t a, int64_t b) { return IntLess(dtype, a, b); };
  std::ranges::sort(lows, less);
  std::ranges::sort(highs, less);
  for (int64_t k = 0; k < row.count; ++k) {
    call.result().Put(
        row[descending ? row.count - 1 - k : k],
        IntSet::Between(dtype, lows[static_cast<size_t>(k)], highs[static_cast<size_t>(k)]));
  }
}

void SortRow(const Call<Sets>& call, const Row& row, bool descending) {
  if (PutSortedPoints(call, row)) return;
  if (ir::IsFloat(call.algebra.operand())) {
    SortFloatSets(call, row, descending);
  } else {
    SortIntSets(call, row, descending);
  }
}

}  // namespace

FAULTLINE_KERNEL(Sort) {
  const bool descending = call.attributes.Int(ir::AttributeKey::kDescending) != 0;
  ForEachRow(call, [&](int64_t, const Row& row) { SortRow(call, row, descending); });
}

}  // namespace faultline::reference
