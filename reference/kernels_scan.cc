// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Scans: element k is the sum, product, maximum or minimum of elements 0 to k of its row. Sums and
// products of f16 and bf16 round each output from the f32 running value. Prefixes by subtraction or
// division are not licensed, so each is a sum or product of its own terms.

#include "reference/bounds.h"
#include "reference/nature.h"
#include "reference/put_sum.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

void SumFloats(const Call<Exact>& call, const Row& row) {
  const Points& x = call.operand(0);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  double sum = 0;
  std::vector<double> terms;
  for (int64_t k = 0; k < row.count; ++k) {
    sum = Round(compute, sum + x.Float(row[k]));
    if (Nature* nature = call.algebra.nature()) {
      terms.push_back(x.Float(row[k]));
      sum = nature->Sum(compute, terms);
    }
    PutAt(call.result(), row[k], call.algebra.CastToFloat(sum));
  }
}

template <typename Wide>
void SumFloats(const Call<Sets>& call, const Row& row, SumBound<Wide> sum) {
  const Enclosure& x = call.operand(0);
  for (int64_t k = 0; k < row.count; ++k) {
    if (x.AllPoints()) {
      sum.Add(x.points()->Float(row[k]));
    } else {
      sum.Add(x.FloatAt(row[k]));
    }
    PutSum(call, row[k], sum);
  }
}

void SumFloats(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  if (compute == ir::Dtype::kF64) {
    SumFloats(call, row, SumBound<long double>(compute, call.contract()));
  } else {
    SumFloats(call, row, SumBound<double>(compute, call.contract()));
  }
}

void MultiplyFloats(const Call<Exact>& call, const Row& row) {
  const Points& x = call.operand(0);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  double product = 1;
  std::vector<double> factors;
  for (int64_t k = 0; k < row.count; ++k) {
    product = Round(compute, product * x.Float(row[k]));
    if (Nature* nature = call.algebra.nature()) {
      factors.push_back(x.Float(row[k]));
      product = nature->Product(compute, factors);
    }
    PutAt(call.result(), row[k], call.algebra.CastToFloat(product));
  }
}

void MultiplyFloats(const Call<Sets>& call, const Row& row) {
  const Enclosure& x = call.operand(0);
  const bool wider = call.contract().wider_intermediates;
  ProductBound product(ComputeDtype(call.algebra.result()), call.contract());
  for (int64_t k = 0; k < row.count; ++k) {
    if (x.IsPoint(row[k])) {
      product.Multiply(AsFloat(x.PointAt(row[k])));
    } else {
      product.Multiply(x.FloatAt(row[k]));
    }
    PutAt(call.result(), row[k], call.algebra.CastToFloat(product.Result(wider)));
  }
}

// f over the integers of a row, each running value an element of the result.
template <class A, class F>
void ScanInts(const Call<A>& call, const Row& row, int64_t start, const F& f) {
  typename A::Int running = call.algebra.IntOf(ToCell(start));
  for (int64_t k = 0; k < row.count; ++k) {
    running = f(running, IntAt(call.operand(0), row[k]));
    PutAt(call.result(), row[k], running);
  }
}

bool PutNaiveElement(const Call<Exact>&, int64_t) { return false; }
bool PutNaiveElement(const Call<Sets>& call, int64_t i) {
  if (call.contract().nan_rule != NanRule::kPropagate) return false;
  PutFreeZero(call.result(), i, call.naive->cells[static_cast<size_t>(i)]);
  return true;
}

template <class A>
bool IsPointAt(const Call<A>& call, int64_t i) {
  if constexpr (A::kSets) return call.operand(0).IsPoint(i);
  return true;
}

// Maxima and minima are exact, but for the sign of a zero: prefixes of points take the naive value.
template <class A, class F>
void ScanExtremes(const Call<A>& call, const F& f) {
  const typename A::Tensor& x = call.operand(0);
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (!ir::IsFloat(call.algebra.operand())) {
      typename A::Int running = call.algebra.IntOf(ToCell(int64_t{0}));
      for (int64_t k = 0; k < row.count; ++k) {
        const auto element = IntAt(x, row[k]);
        running = f(k == 0 ? element : running, element);
        PutAt(call.result(), row[k], running);
      }
      return;
    }
    typename A::Float running = call.algebra.FloatOf(ToCell(0.0));
    bool points = true;
    for (int64_t k = 0; k < row.count; ++k) {
      const auto element = FloatAt(x, row[k]);
      running = f(k == 0 ? element : running, element);
      points = points && IsPointAt(call, row[k]);
      if (!points || !PutNaiveElement(call, row[k])) PutAt(call.result(), row[k], running);
    }
  });
}

}  // namespace

FAULTLINE_KERNEL(Cumsum) {
  const A& algebra = call.algebra;
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (ir::IsFloat(algebra.operand())) return SumFloats(call, row);
    ScanInts(call, row, 0, [&](const auto& a, const auto& b) { return algebra.Add(a, b); });
  });
}

FAULTLINE_KERNEL(Cumprod) {
  const A& algebra = call.algebra;
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (ir::IsFloat(algebra.operand())) return MultiplyFloats(call, row);
    ScanInts(call, row, 1, [&](const auto& a, const auto& b) { return algebra.Mul(a, b); });
  });
}

FAULTLINE_KERNEL(Cummax) {
  ScanExtremes(call, [&](const auto& a, const auto& b) { return call.algebra.Max(a, b); });
}

FAULTLINE_KERNEL(Cummin) {
  ScanExtremes(call, [&](const auto& a, const auto& b) { return call.algebra.Min(a, b); });
}

}  // namespace faultline::reference
