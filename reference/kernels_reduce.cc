// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions of rows. f16 and bf16 accumulate in f32 and are rounded once; the sets of float sums
// and products are those of any order (bounds.h). Integers wrap, so their order is of no matter.

#include "reference/bounds.h"
#include "reference/intermediate.h"
#include "reference/nature.h"
#include "reference/put_sum.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

std::vector<double> FloatsOf(const Points& x, const Row& row) {
  std::vector<double> floats;
  for (int64_t k = 0; k < row.count; ++k) floats.push_back(x.Float(row[k]));
  return floats;
}

double SumOf(const Exact& exact, const Points& x, const Row& row) {
  const ir::Dtype compute = ComputeDtype(exact.result());
  if (Nature* nature = exact.nature()) return nature->Sum(compute, FloatsOf(x, row));
  double sum = 0;
  for (int64_t k = 0; k < row.count; ++k) sum = Round(compute, sum + x.Float(row[k]));
  return sum;
}

template <class Bound>
void AddRow(Bound& bound, const Enclosure& x, const Row& row) {
  if (x.AllPoints()) {
    const std::vector<Cell>& cells = x.points()->cells;
    for (int64_t k = 0; k < row.count; ++k) bound.Add(AsFloat(cells[static_cast<size_t>(row[k])]));
  } else {
    for (int64_t k = 0; k < row.count; ++k) {
      if (x.IsBox(row[k])) {
        bound.Add(x.BoxAt(row[k]), x.integral());
      } else {
        bound.Add(x.FloatAt(row[k]));
      }
    }
  }
}

FloatSet SumOf(const Sets& sets, const Enclosure& x, const Row& row) {
  return SumSet(ComputeDtype(sets.result()), sets.contract(),
                [&](auto& bound) { AddRow(bound, x, row); });
}

void PutFloatSum(const Call<Exact>& call, int64_t i, const Row& row) {
  PutAt(call.result(), i, call.algebra.CastToFloat(SumOf(call.algebra, call.operand(0), row)));
}
void PutFloatSum(const Call<Sets>& call, int64_t i, const Row& row) {
  PutSumOf(call, i, [&](auto& bound) { AddRow(bound, call.operand(0), row); });
}

double ProdOf(const Exact& exact, const Points& x, const Row& row) {
  const ir::Dtype compute = ComputeDtype(exact.result());
  if (Nature* nature = exact.nature()) return nature->Product(compute, FloatsOf(x, row));
  double product = 1;
  for (int64_t k = 0; k < row.count; ++k) product = Round(compute, product * x.Float(row[k]));
  return product;
}

FloatSet ProdOf(const Sets& sets, const Enclosure& x, const Row& row) {
  ProductBound bound(ComputeDtype(sets.result()), sets.contract());
  for (int64_t k = 0; k < row.count; ++k) {
    if (x.IsPoint(row[k])) {
      bound.Multiply(AsFloat(x.PointAt(row[k])));
    } else {
      bound.Multiply(x.FloatAt(row[k]));
    }
  }
  return bound.Result(sets.contract().wider_intermediates);
}

// f over all integers of a row, from `start`.
template <class A, class F>
typename A::Int Fold(const A& algebra, const typename A::Tensor& x, const Row& row, int64_t start,
                     const F& f) {
  typename A::Int result = algebra.IntOf(ToCell(start));
  for (int64_t k = 0; k < row.count; ++k) result = f(result, IntAt(x, row[k]));
  return result;
}

template <class A>
void SumRows(const Call<A>& call) {
  const A& algebra = call.algebra;
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (ir::IsFloat(algebra.operand())) {
      PutFloatSum(call, i, row);
    } else if (!PutNaive(call, i, row)) {
      PutAt(call.result(), i,
            Fold(algebra, call.operand(0), row, 0,
                 [&](const auto& a, const auto& b) { return algebra.Add(a, b); }));
    }
  });
}

template <class A>
void ProdRows(const Call<A>& call) {
  const A& algebra = call.algebra;
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (ir::IsFloat(algebra.operand())) {
      PutAt(call.result(), i, algebra.CastToFloat(ProdOf(algebra, call.operand(0), row)));
    } else if (!PutNaive(call, i, row)) {
      PutAt(call.result(), i,
            Fold(algebra, call.operand(0), row, 1,
                 [&](const auto& a, const auto& b) { return algebra.Mul(a, b); }));
    }
  });
}

// The sum, then one true division by the number of elements. Ints: the sum wraps in 64 bits, the
// division truncates, the quotient wraps to the dtype.
template <class A>
void MeanRows(const Call<A>& call) {
  const A& algebra = call.algebra;
  const ir::Dtype dtype = algebra.operand();
  const Contract& contract = algebra.contract();
  if (ir::IsFloat(dtype)) {
    ForEachRow(call, [&](int64_t i, const Row& row) {
      const auto sum = SumOf(algebra, call.operand(0), row);
      const auto count = algebra.FloatOf(ToCell(static_cast<double>(row.count)));
      const auto mean = Intermediate(algebra, ComputeDtype(dtype),
                                     [&](const A& inner) { return inner.Div(sum, count); });
      PutAt(call.result(), i, algebra.CastToFloat(mean));
    });
    return;
  }
  const ir::Dtype wide = ir::IsSigned(dtype) ? ir::Dtype::kI64 : ir::Dtype::kU64;
  const A inner(contract, wide, wide);
  const A cast(contract, wide, dtype);
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row)) return;
    const auto sum = Fold(inner, call.operand(0), row, 0,
                          [&](const auto& a, const auto& b) { return inner.Add(a, b); });
    PutAt(call.result(), i, cast.CastToInt(inner.Div(sum, inner.IntOf(ToCell(row.count)))));
  });
}

// Whether an element is not 0, as a cast to bool says (NaN is not 0).
template <class A>
typename A::Int TruthOf(const A& to_bool, const typename A::Tensor& x, int64_t i) {
  if (ir::IsFloat(to_bool.operand())) return to_bool.CastToInt(FloatAt(x, i));
  return to_bool.CastToInt(IntAt(x, i));
}
template <class A>
void AnyRows(const Call<A>& call) {
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row)) return;
    typename A::Int any = call.algebra.IntOf(ToCell(int64_t{0}));
    for (int64_t k = 0; k < row.count; ++k) {
      any = call.algebra.Or(any, TruthOf(call.algebra, call.operand(0), row[k]));
    }
    PutAt(call.result(), i, any);
  });
}
template <class A>
void AllRows(const Call<A>& call) {
  ForEachRow(call, [&](int64_t i, const Row& row) {
    if (PutNaive(call, i, row)) return;
    typename A::Int all = call.algebra.IntOf(ToCell(int64_t{1}));
    for (int64_t k = 0; k < row.count; ++k) {
      all = call.algebra.And(all, TruthOf(call.algebra, call.operand(0), row[k]));
    }
    PutAt(call.result(), i, all);
  });
}

}  // namespace

FAULTLINE_KERNEL(Any) { AnyRows(call); }
FAULTLINE_KERNEL(All) { AllRows(call); }
FAULTLINE_KERNEL(AnyDim) { AnyRows(call); }
FAULTLINE_KERNEL(AllDim) { AllRows(call); }
FAULTLINE_KERNEL(Sum) { SumRows(call); }
FAULTLINE_KERNEL(SumDim) { SumRows(call); }
FAULTLINE_KERNEL(Mean) { MeanRows(call); }
FAULTLINE_KERNEL(MeanDim) { MeanRows(call); }
FAULTLINE_KERNEL(Prod) { ProdRows(call); }
FAULTLINE_KERNEL(ProdDim) { ProdRows(call); }

}  // namespace faultline::reference
