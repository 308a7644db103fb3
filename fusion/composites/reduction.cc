// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = logsumexp(x)  ->  m = max(x); m + log(sum(exp(x - m)))
//
// and the other composites of one reduced axis: log_softmax, softmin, var, std, norm.

#include <limits>

#include "fusion/composites/composites.h"

namespace faultline::fusion {
namespace {

using ir::Opcode;
using Value = ExpansionWriter::Value;

// x - max(x), and the logarithm of the sum of its exponentials.
struct Exponentials {
  Value maximum;
  Value exponent;
  Value log;
};
Exponentials ExponentialsOf(ExpansionWriter& w) {
  const Value x = w.Widened(0);
  const Value maximum = w.Reduce(Opcode::kMaxDim, x, w.dim());
  const Value exponent = w.Binary(Opcode::kSub, x, maximum);
  const Value sum = w.Reduce(Opcode::kSumDim, w.Unary(Opcode::kExp, exponent), w.dim());
  return {maximum, exponent, w.Unary(Opcode::kLog, sum)};
}

Value Variance(ExpansionWriter& w) {
  const Value x = w.Widened(0);
  const Value centred = w.Binary(Opcode::kSub, x, w.Reduce(Opcode::kMeanDim, x, w.dim()));
  const Value sum = w.Reduce(Opcode::kSumDim, w.Binary(Opcode::kMul, centred, centred), w.dim());
  const int64_t n = x.type.shape[static_cast<int>(w.dim())];
  const int64_t ddof = w.call().attributes.Int(ir::AttributeKey::kDdof);
  // A count of nothing or less gives NaN, whatever the sum.
  const double count =
      n > ddof ? static_cast<double>(n - ddof) : std::numeric_limits<double>::quiet_NaN();
  return w.ByScalar(Opcode::kDivScalar, sum, ir::FloatScalar(sum.type.dtype(), count));
}

}  // namespace

void LogSoftmax(ExpansionWriter& w) {
  const Exponentials e = ExponentialsOf(w);
  w.Finish(w.Binary(Opcode::kSub, e.exponent, e.log));
}

void Logsumexp(ExpansionWriter& w) {
  const Exponentials e = ExponentialsOf(w);
  const Value sum = w.Binary(Opcode::kAdd, e.maximum, e.log);
  const ir::Scalar infinity =
      ir::FloatScalar(sum.type.dtype(), std::numeric_limits<double>::infinity());
  const Value infinite =
      w.ByScalar(Opcode::kEqualScalar, w.Unary(Opcode::kAbs, e.maximum), infinity);
  w.Finish(w.Where(infinite, e.maximum, sum));
}

void Norm(ExpansionWriter& w) {
  const bool along = w.call().attributes.has_dim();
  const auto reduce = [&](Opcode all, Opcode one, const Value& x) {
    return along ? w.Reduce(one, x, w.dim()) : w.ReduceAll(all, x);
  };
  const Value x = w.Widened(0);
  switch (static_cast<ir::NormOrder>(w.call().attributes.Int(ir::AttributeKey::kOrder))) {
    case ir::NormOrder::kOne:
      return w.Finish(reduce(Opcode::kSum, Opcode::kSumDim, w.Unary(Opcode::kAbs, x)));
    case ir::NormOrder::kTwo: {
      const Value square = w.Binary(Opcode::kMul, x, x);
      return w.Finish(w.Unary(Opcode::kSqrt, reduce(Opcode::kSum, Opcode::kSumDim, square)));
    }
    case ir::NormOrder::kInfinity:
      break;
  }
  // The maximum of nothing is -inf here; a norm is never below 0.
  const Value greatest = reduce(Opcode::kMax, Opcode::kMaxDim, w.Unary(Opcode::kAbs, x));
  w.Finish(w.Unary(Opcode::kRelu, greatest));
}

void Softmin(ExpansionWriter& w) {
  w.Finish(w.Softmax(w.Unary(Opcode::kNeg, w.Operand(0)), w.dim()));
}

void Var(ExpansionWriter& w) { w.Finish(Variance(w)); }

void Std(ExpansionWriter& w) { w.Finish(w.Unary(Opcode::kSqrt, Variance(w))); }

}  // namespace faultline::fusion
