// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Logarithms of sums of exponentials along a dim, with m the maximum of the row and s the sum of
// exp(x - m). log_softmax: (x - m) - log s; a row with NaN or +inf, or of -inf alone, is all NaN.
// logsumexp: m + log s, or m where that is infinite. f16 and bf16 compute in f32 and round once.
//
// Sets: s is enclosed as for softmax, log grows with it and is off by its own ulp, and each
// difference or sum is rounded once. s >= 1, so its logarithm is not negative.

#include <cmath>
#include <limits>
#include <vector>

#include "reference/exponentials.h"
#include "reference/intermediate.h"
#include "reference/nature.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// m and log s of a row.
struct ExactRow {
  double m = -kInfinity;
  double log = 0;
};
ExactRow ReadRow(const Call<Exact>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const Exact inner = call.algebra.On(compute, compute);
  ExactRow read;
  for (int64_t k = 0; k < row.count; ++k) {
    read.m = inner.Max(read.m, call.operand(0).Float(row[k]));
  }
  std::vector<double> terms;
  double sum = 0;
  for (int64_t k = 0; k < row.count; ++k) {
    const double exponent = inner.Sub(call.operand(0).Float(row[k]), read.m);
    terms.push_back(inner.Call(Function::kExp, exponent));
    sum = inner.Add(sum, terms.back());
  }
  if (Nature* nature = call.algebra.nature()) sum = nature->Sum(compute, terms);
  read.log = inner.Call(Function::kLog, sum);
  return read;
}

// The same as sets, of the executions in which m is finite.
struct SetsRow {
  std::vector<FloatSet> x;
  RowFacts facts;
  FloatSet log;
};
SetsRow ReadRow(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  SetsRow read;
  for (int64_t k = 0; k < row.count; ++k) read.x.push_back(call.operand(0).FloatAt(row[k]));
  read.facts = FactsOf(read.x);
  if (!read.facts.finite) return read;
  std::vector<Interval> terms;
  for (const FloatSet& element : read.x) {
    terms.push_back(TermOf(call.algebra, compute, element, read.facts.maximum));
  }
  const ExponentialSum sum(call.contract(), compute, read.facts, terms);
  // The sign of a maximum that is zero is free, which differences and sums show.
  FloatSet& m = read.facts.maximum;
  m = FloatSet::Between(m.lo() == 0 ? -0.0 : m.lo(), m.hi() == 0 ? 0.0 : m.hi());
  read.log = Intermediate(call.algebra, compute,
                          [&](const Sets& sets) { return sets.Call(Function::kLog, sum.set()); });
  return read;
}

void PutLogSoftmax(const Call<Exact>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const Exact inner = call.algebra.On(compute, compute);
  const ExactRow read = ReadRow(call, row);
  for (int64_t k = 0; k < row.count; ++k) {
    const double exponent = inner.Sub(call.operand(0).Float(row[k]), read.m);
    PutAt(call.result(), row[k], call.algebra.CastToFloat(inner.Sub(exponent, read.log)));
  }
}

void PutLogSoftmax(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const SetsRow read = ReadRow(call, row);
  const RowFacts& facts = read.facts;
  for (int64_t k = 0; k < row.count; ++k) {
    if (!facts.finite) {
      call.result().Put(row[k], FloatSet::AnyNan());
      continue;
    }
    const FloatSet exponent =
        ExponentOf(call.algebra, compute, read.x[static_cast<size_t>(k)], facts.maximum);
    FloatSet value = Intermediate(call.algebra, compute,
                                  [&](const Sets& sets) { return sets.Sub(exponent, read.log); });
    value = call.algebra.CastToFloat(value);
    value.nan = facts.nan || facts.positive || facts.vanishes;
    call.result().Put(row[k], value);
  }
}

double LogsumexpOf(const Call<Exact>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const ExactRow read = ReadRow(call, row);
  if (std::isinf(read.m)) return read.m;
  return call.algebra.CastToFloat(call.algebra.On(compute, compute).Add(read.m, read.log));
}

FloatSet LogsumexpOf(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const SetsRow read = ReadRow(call, row);
  const RowFacts& facts = read.facts;
  // A maximum that may lose a NaN can be +inf beside it.
  const bool propagates = call.contract().nan_rule == NanRule::kPropagate;
  if (facts.must_nan && (propagates || !facts.positive)) return FloatSet::AnyNan();
  FloatSet value;
  if (facts.finite) {
    value = Intermediate(call.algebra, compute,
                         [&](const Sets& sets) { return sets.Add(facts.maximum, read.log); });
    value = call.algebra.CastToFloat(value);
  }
  value.nan = facts.nan;
  value.positive_infinity = value.positive_infinity || facts.positive;
  value.negative_infinity = value.negative_infinity || facts.vanishes;
  return value;
}

}  // namespace

FAULTLINE_KERNEL(LogSoftmax) {
  ForEachRow(call, [&](int64_t, const Row& row) { PutLogSoftmax(call, row); });
}

FAULTLINE_KERNEL(Logsumexp) {
  ForEachRow(call,
             [&](int64_t i, const Row& row) { PutAt(call.result(), i, LogsumexpOf(call, row)); });
}

}  // namespace faultline::reference
