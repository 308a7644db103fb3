// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Cumsum: element k is the sum of elements 0 to k of its row. f16 and bf16 round each output from
// the f32 running value. Prefixes by subtraction are not licensed, so each is a sum of its own
// terms.

#include "reference/nature.h"
#include "reference/put_sum.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

void ScanFloats(const Call<Exact>& call, const Row& row) {
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
void ScanFloats(const Call<Sets>& call, const Row& row, SumBound<Wide> sum) {
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

void ScanFloats(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  if (compute == ir::Dtype::kF64) {
    ScanFloats(call, row, SumBound<long double>(compute, call.contract()));
  } else {
    ScanFloats(call, row, SumBound<double>(compute, call.contract()));
  }
}

template <class A>
void ScanInts(const Call<A>& call, const Row& row) {
  typename A::Int sum = call.algebra.IntOf(ToCell(int64_t{0}));
  for (int64_t k = 0; k < row.count; ++k) {
    sum = call.algebra.Add(sum, IntAt(call.operand(0), row[k]));
    PutAt(call.result(), row[k], sum);
  }
}

}  // namespace

FAULTLINE_KERNEL(Cumsum) {
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (ir::IsFloat(call.algebra.operand())) {
      ScanFloats(call, row);
    } else {
      ScanInts(call, row);
    }
  });
}

}  // namespace faultline::reference
