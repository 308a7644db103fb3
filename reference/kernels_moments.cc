// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Variances, deviations and norms of rows. f16 and bf16 compute in f32 and round once.

#include <cmath>

#include "reference/intermediate.h"
#include "reference/moments.h"
#include "reference/put_sum.h"

namespace faultline::reference {
namespace {

template <class A>
typename A::Float VarianceOfRow(const Call<A>& call, const Row& row) {
  const auto x = RowOf<A>(call.operand(0), row);
  const auto mean = MeanOf(call.algebra, x);
  return VarianceOf(call.algebra, x, mean, call.attributes.Int(ir::AttributeKey::kDdof));
}

template <class A>
typename A::Float RootOf(const A& algebra, const typename A::Float& x) {
  return Intermediate(algebra, ComputeDtype(algebra.result()),
                      [&](const A& inner) { return inner.Sqrt(x); });
}

double SumOf(const Exact& algebra, std::vector<double> terms) {
  const ir::Dtype compute = ComputeDtype(algebra.result());
  if (Nature* nature = algebra.nature()) return nature->Sum(compute, std::move(terms));
  double sum = 0;
  for (const double term : terms) sum = Round(compute, sum + term);
  return sum;
}
FloatSet SumOf(const Sets& algebra, const std::vector<FloatSet>& terms) {
  return SumSet(ComputeDtype(algebra.result()), algebra.contract(), [&](auto& bound) {
    for (const FloatSet& term : terms) bound.Add(term);
  });
}

template <class A>
typename A::Float NormOfRow(const Call<A>& call, const Row& row) {
  auto x = RowOf<A>(call.operand(0), row);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const A inner = call.algebra.On(compute, compute);
  for (auto& value : x) value = inner.Abs(value);
  switch (static_cast<ir::NormOrder>(call.attributes.Int(ir::AttributeKey::kOrder))) {
    case ir::NormOrder::kOne:
      return SumOf(call.algebra, x);
    case ir::NormOrder::kTwo:
      return RootOf(call.algebra, SquaresOf(call.algebra, x));
    case ir::NormOrder::kInfinity:
      break;
  }
  auto greatest = call.algebra.FloatOf(ToCell(0.0));
  for (const auto& value : x) greatest = inner.Max(greatest, value);
  return greatest;
}

}  // namespace

FAULTLINE_KERNEL(Var) {
  ForEachRow(call, [&](int64_t i, const Row& row) {
    PutAt(call.result(), i, call.algebra.CastToFloat(VarianceOfRow(call, row)));
  });
}

FAULTLINE_KERNEL(Std) {
  ForEachRow(call, [&](int64_t i, const Row& row) {
    const auto deviation = RootOf(call.algebra, VarianceOfRow(call, row));
    PutAt(call.result(), i, call.algebra.CastToFloat(deviation));
  });
}

FAULTLINE_KERNEL(Norm) {
  ForEachRow(call, [&](int64_t i, const Row& row) {
    PutAt(call.result(), i, call.algebra.CastToFloat(NormOfRow(call, row)));
  });
}

}  // namespace faultline::reference
