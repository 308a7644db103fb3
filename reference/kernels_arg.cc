// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Argmax and argmin: the lowest index of an extreme, the first NaN if there is one.

#include <limits>
#include <utility>

#include "reference/arg.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T, class Less>
int64_t ArgmaxOf(const std::vector<T>& keys, const Less& less) {
  int64_t best = 0;
  for (size_t k = 1; k < keys.size(); ++k) {
    if (less(keys[static_cast<size_t>(best)], keys[k])) best = static_cast<int64_t>(k);
  }
  return best;
}

// A NaN is greater than every number, and the first of several wins.
bool NumberLess(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// What one element may be: the hull of its numbers, and whether it may, or must, be NaN.
template <class T>
struct Key {
  T lo;
  T hi;
  bool nan;
  bool must_nan;
};

// Rule R6: i is admissible iff no j < i is certainly NaN and either i may be NaN, or nothing is
// certainly NaN and hi_i > lo_j for all j < i and hi_i >= lo_j for all j > i.
template <class T, class Less>
IntSet ArgmaxSet(ir::Dtype index, const std::vector<Key<T>>& keys, const Less& less) {
  const size_t n = keys.size();
  bool some_nan = false;
  for (const Key<T>& key : keys) some_nan = some_nan || key.must_nan;
  // Greatest lower end behind each element.
  std::vector<size_t> behind(n, n);
  for (size_t i = n - 1; i-- > 0;) {
    const size_t next = behind[i + 1];
    behind[i] = next == n || less(keys[next].lo, keys[i + 1].lo) ? i + 1 : next;
  }
  IntSet set;
  bool empty = true;
  size_t before = n;
  for (size_t i = 0; i < n; ++i) {
    const Key<T>& key = keys[i];
    const bool beats = !key.must_nan && !some_nan &&
                       (before == n || less(keys[before].lo, key.hi)) &&
                       (behind[i] == n || !less(key.hi, keys[behind[i]].lo));
    if (key.nan || beats) {
      const auto place = static_cast<int64_t>(i);
      if (empty) set = IntSet::Of(place);
      set.AddValue(index, place);
      empty = false;
    }
    if (key.must_nan) break;
    if (before == n || less(keys[before].lo, key.lo)) before = i;
  }
  return set;
}

Key<double> KeyOf(const Enclosure& x, int64_t i, bool negate) {
  if (x.IsBox(i)) {
    const auto [lo, hi] = x.BoxAt(i);
    return {negate ? -hi : lo, negate ? -lo : hi, false, false};
  }
  const FloatSet set = x.FloatAt(i);
  const bool number = set.count > 0 || set.positive_infinity || set.negative_infinity;
  if (!number) return {-kInfinity, -kInfinity, true, true};
  const double lo = set.Lowest();
  const double hi = set.Highest();
  return {negate ? -hi : lo, negate ? -lo : hi, set.nan, false};
}

}  // namespace

void PutArgmax(const Call<Exact>& call, bool negate) {
  const Points& x = call.operand(0);
  const ir::Dtype dtype = call.algebra.operand();
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (ir::IsFloat(dtype)) {
      std::vector<double> keys;
      for (int64_t k = 0; k < row.count; ++k) {
        keys.push_back(negate ? -x.Float(row[k]) : x.Float(row[k]));
      }
      PutAt(call.result(), i, ArgmaxOf(keys, NumberLess));
    } else {
      std::vector<int64_t> keys;
      for (int64_t k = 0; k < row.count; ++k) keys.push_back(x.Int(row[k]));
      PutAt(call.result(), i, ArgmaxOf(keys, [&](int64_t a, int64_t b) {
              return negate ? IntLess(dtype, b, a) : IntLess(dtype, a, b);
            }));
    }
  });
}

void PutArgmax(const Call<Sets>& call, bool negate) {
  const Enclosure& x = call.operand(0);
  const ir::Dtype dtype = call.algebra.operand();
  const ir::Dtype index = call.algebra.result();
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row)) return;
    if (ir::IsFloat(dtype)) {
      std::vector<Key<double>> keys;
      for (int64_t k = 0; k < row.count; ++k) keys.push_back(KeyOf(x, row[k], negate));
      PutAt(call.result(), i, ArgmaxSet(index, keys, [](double a, double b) { return a < b; }));
    } else {
      std::vector<Key<int64_t>> keys;
      for (int64_t k = 0; k < row.count; ++k) {
        const IntSet set = x.IntAt(row[k]);
        keys.push_back({negate ? set.hi : set.lo, negate ? set.lo : set.hi, false, false});
      }
      PutAt(call.result(), i, ArgmaxSet(index, keys, [&](int64_t a, int64_t b) {
              return negate ? IntLess(dtype, b, a) : IntLess(dtype, a, b);
            }));
    }
  });
}

FAULTLINE_KERNEL(Argmax) { PutArgmax(call, false); }
FAULTLINE_KERNEL(Argmin) { PutArgmax(call, true); }

}  // namespace faultline::reference
