// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Matmul: [.., m, k] x [.., k, n] with broadcast batch axes. Each element is one dot: f16 and bf16
// in f32, rounded once; ints wrap. K = 0 gives 0. Linear: rows of x by one matrix, a bias being one
// more term of each dot, as a product with 1.

#include "reference/movement.h"
#include "reference/nature.h"
#include "reference/put_sum.h"

namespace faultline::reference {
namespace {

// Elements first, first + step, ... of each operand.
struct Dot {
  int64_t a;
  int64_t a_step;
  int64_t b;
  int64_t b_step;
  int64_t count;
  int64_t bias = -1;  // element of operand 2, if it has one
};

void PutDot(const Call<Exact>& call, int64_t i, const Dot& dot) {
  const Points& a = call.operand(0);
  const Points& b = call.operand(1);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  if (Nature* nature = call.algebra.nature()) {
    std::vector<double> left;
    std::vector<double> right;
    for (int64_t k = 0; k < dot.count; ++k) {
      left.push_back(a.Float(dot.a + k * dot.a_step));
      right.push_back(b.Float(dot.b + k * dot.b_step));
    }
    if (dot.bias >= 0) {
      left.push_back(call.operand(2).Float(dot.bias));
      right.push_back(1);
    }
    return PutAt(call.result(), i, call.algebra.CastToFloat(nature->Dot(compute, left, right)));
  }
  double sum = 0;
  for (int64_t k = 0; k < dot.count; ++k) {
    const double product =
        Round(compute, a.Float(dot.a + k * dot.a_step) * b.Float(dot.b + k * dot.b_step));
    sum = Round(compute, sum + product);
  }
  if (dot.bias >= 0) sum = Round(compute, sum + call.operand(2).Float(dot.bias));
  PutAt(call.result(), i, call.algebra.CastToFloat(sum));
}

void PutDot(const Call<Sets>& call, int64_t i, const Dot& dot) {
  const Enclosure& a = call.operand(0);
  const Enclosure& b = call.operand(1);
  const bool points = a.AllPoints() && b.AllPoints();
  const bool sets = a.integral() || b.integral() || call.contract().may_flush;
  PutSumOf(call, i, [&](auto& bound) {
    for (int64_t k = 0; k < dot.count; ++k) {
      const int64_t left = dot.a + k * dot.a_step;
      const int64_t right = dot.b + k * dot.b_step;
      if (points) {
        bound.AddProduct(a.points()->Float(left), b.points()->Float(right));
      } else if (!sets && a.IsBox(left) && b.IsBox(right)) {
        bound.AddProduct(a.BoxAt(left), b.BoxAt(right), false);
      } else {
        bound.AddProduct(a.FloatAt(left), b.FloatAt(right));
      }
    }
    if (dot.bias >= 0) bound.Add(call.operand(2).FloatAt(dot.bias));
  });
}

template <class A>
typename A::Int IntDotOf(const Call<A>& call, const Dot& dot) {
  typename A::Int sum = call.algebra.IntOf(ToCell(int64_t{0}));
  for (int64_t k = 0; k < dot.count; ++k) {
    const auto a = IntAt(call.operand(0), dot.a + k * dot.a_step);
    const auto b = IntAt(call.operand(1), dot.b + k * dot.b_step);
    sum = call.algebra.Add(sum, call.algebra.Mul(a, b));
  }
  if (dot.bias >= 0) sum = call.algebra.Add(sum, IntAt(call.operand(2), dot.bias));
  return sum;
}

template <class A>
void PutDotOf(const Call<A>& call, int64_t i, const Dot& dot) {
  if (ir::IsFloat(call.algebra.operand())) {
    PutDot(call, i, dot);
  } else {
    PutAt(call.result(), i, IntDotOf(call, dot));
  }
}

// First element of the matrix of a batch that is broadcast to index `to` of the result.
int64_t MatrixAt(const ir::Shape& shape, const ir::Shape& result, const MultiIndex& to) {
  int64_t number = 0;
  for (int axis = 0; axis < shape.rank() - 2; ++axis) {
    const auto place = static_cast<size_t>(axis + result.rank() - shape.rank());
    number = number * shape[axis] + (shape[axis] == 1 ? 0 : to[place]);
  }
  return number * shape[shape.rank() - 2] * shape[shape.rank() - 1];
}

}  // namespace

FAULTLINE_KERNEL(Matmul) {
  const ir::Shape& a = TypeOf(call.operand(0)).shape;
  const ir::Shape& b = TypeOf(call.operand(1)).shape;
  const ir::Shape result = TypeOf(call.result()).shape;
  const int64_t extent = a[a.rank() - 1];
  const int64_t columns = b[b.rank() - 1];
  const auto last = static_cast<size_t>(result.rank() - 1);
  int64_t i = 0;
  ForEachIndex(result, [&](const MultiIndex& to) {
    PutDotOf(call, i,
             {MatrixAt(a, result, to) + to[last - 1] * extent, 1,
              MatrixAt(b, result, to) + to[last], columns, extent});
    ++i;
  });
}

FAULTLINE_KERNEL(Linear) {
  const ir::Shape& weight = TypeOf(call.operand(1)).shape;
  const int64_t extent = weight[0];
  const int64_t columns = weight[1];
  const bool biased = call.operands.size() > 2;
  const int64_t n = TypeOf(call.result()).NumElements();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t column = i % columns;
    PutDotOf(call, i, {i / columns * extent, 1, column, columns, extent, biased ? column : -1});
  }
}

}  // namespace faultline::reference
