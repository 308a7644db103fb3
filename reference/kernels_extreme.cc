// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The greatest and the lowest element of rows, their magnitudes, and where they stand. NaN
// propagates; the sign of a zero is free.

#include "reference/arg.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

// Where every element of a row is one finite interval, so is its maximum or minimum, and the ends
// are those of the ends.
bool PutExtremeBox(const Call<Exact>&, int64_t, const Row&, bool) { return false; }
bool PutExtremeBox(const Call<Sets>& call, int64_t i, const Row& row, bool max) {
  const Enclosure& x = call.operand(0);
  if (!x.is_float() || x.integral()) return false;
  Interval extreme = {max ? -HUGE_VAL : HUGE_VAL, max ? -HUGE_VAL : HUGE_VAL};
  for (int64_t k = 0; k < row.count; ++k) {
    if (!x.IsBox(row[k])) return false;
    const Interval box = x.BoxAt(row[k]);
    extreme.lo = max ? std::max(extreme.lo, box.lo) : std::min(extreme.lo, box.lo);
    extreme.hi = max ? std::max(extreme.hi, box.hi) : std::min(extreme.hi, box.hi);
  }
  // The sign of a zero is free.
  call.result().PutBox(i,
                       {extreme.lo == 0 ? -0.0 : extreme.lo, extreme.hi == 0 ? 0.0 : extreme.hi});
  return true;
}

// f over all elements of a row that has some; min and max, which free the sign of a zero.
template <class A, class F>
void ExtremeRows(const Call<A>& call, bool max, const F& f) {
  const typename A::Tensor& x = call.operand(0);
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row) || PutExtremeBox(call, i, row, max)) return;
    if (ir::IsFloat(call.algebra.operand())) {
      auto extreme = f(FloatAt(x, row[0]), FloatAt(x, row[0]));
      for (int64_t k = 1; k < row.count; ++k) extreme = f(extreme, FloatAt(x, row[k]));
      PutAt(call.result(), i, extreme);
    } else {
      auto extreme = IntAt(x, row[0]);
      for (int64_t k = 1; k < row.count; ++k) extreme = f(extreme, IntAt(x, row[k]));
      PutAt(call.result(), i, extreme);
    }
  });
}
template <class A>
void MaxRows(const Call<A>& call) {
  ExtremeRows(call, true, [&](const auto& a, const auto& b) { return call.algebra.Max(a, b); });
}
template <class A>
void MinRows(const Call<A>& call) {
  ExtremeRows(call, false, [&](const auto& a, const auto& b) { return call.algebra.Min(a, b); });
}

// The magnitude of each element first; that of INT_MIN wraps to itself.
template <class A>
void MaxAbsRows(const Call<A>& call) {
  const A& algebra = call.algebra;
  const auto greatest = [&](const Row& row, const auto& at) {
    auto result = algebra.Max(algebra.Abs(at(row[0])), algebra.Abs(at(row[0])));
    for (int64_t k = 1; k < row.count; ++k) {
      result = algebra.Max(result, algebra.Abs(at(row[k])));
    }
    return result;
  };
  const typename A::Tensor& x = call.operand(0);
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row)) return;
    if (ir::IsFloat(algebra.operand())) {
      PutAt(call.result(), i, greatest(row, [&](int64_t k) { return FloatAt(x, k); }));
    } else {
      PutAt(call.result(), i, greatest(row, [&](int64_t k) { return IntAt(x, k); }));
    }
  });
}

}  // namespace

FAULTLINE_KERNEL(Max) { MaxRows(call); }
FAULTLINE_KERNEL(MaxDim) { MaxRows(call); }
FAULTLINE_KERNEL(Min) { MinRows(call); }
FAULTLINE_KERNEL(MinDim) { MinRows(call); }
FAULTLINE_KERNEL(MaxAbs) { MaxAbsRows(call); }
FAULTLINE_KERNEL(MaxAbsDim) { MaxAbsRows(call); }

FAULTLINE_KERNEL(MaxDimWithIndices) {
  call.ForResult(0, [](const Call<A>& values) { MaxRows(values); });
  call.ForResult(1, [](const Call<A>& indices) { PutArgmax(indices, false); });
}

FAULTLINE_KERNEL(MinDimWithIndices) {
  call.ForResult(0, [](const Call<A>& values) { MinRows(values); });
  call.ForResult(1, [](const Call<A>& indices) { PutArgmax(indices, true); });
}

}  // namespace faultline::reference
