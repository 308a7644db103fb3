// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Cross products along an axis of extent 3: element k is x[k+1]*y[k+2] - x[k+2]*y[k+1], counted
// modulo 3. f16 and bf16 compute in f32 and round once; ints wrap.

#include "reference/intermediate.h"
#include "reference/movement.h"

namespace faultline::reference {

FAULTLINE_KERNEL(Cross) {
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const BroadcastMap x(TypeOf(call.operand(0)).shape, shape);
  const BroadcastMap y(TypeOf(call.operand(1)).shape, shape);
  const auto dim = static_cast<size_t>(call.attributes.dim());
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const auto& algebra = call.algebra;
  int64_t i = 0;
  ForEachIndex(shape, [&](const MultiIndex& to) {
    // Elements of the result's shape, one and two places on.
    MultiIndex at = to;
    at[dim] = (to[dim] + 1) % 3;
    const int64_t one = NumberOf(shape, at);
    at[dim] = (to[dim] + 2) % 3;
    const int64_t two = NumberOf(shape, at);
    if (ir::IsFloat(algebra.operand())) {
      const auto left = ProductIntoSum(algebra, compute, FloatAt(call.operand(0), x(one)),
                                       FloatAt(call.operand(1), y(two)));
      const auto right = ProductIntoSum(algebra, compute, FloatAt(call.operand(0), x(two)),
                                        FloatAt(call.operand(1), y(one)));
      const auto difference =
          Intermediate(algebra, compute, [&](const auto& inner) { return inner.Sub(left, right); });
      PutAt(call.result(), i, algebra.CastToFloat(difference));
    } else {
      const auto left = algebra.Mul(IntAt(call.operand(0), x(one)), IntAt(call.operand(1), y(two)));
      const auto right =
          algebra.Mul(IntAt(call.operand(0), x(two)), IntAt(call.operand(1), y(one)));
      PutAt(call.result(), i, algebra.Sub(left, right));
    }
    ++i;
  });
}

}  // namespace faultline::reference
