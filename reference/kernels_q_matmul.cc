// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Matmul of quantized operands. Integer path: sums of products of codes, exact, scaled once. Else
// the operands are decoded to f32 and multiplied as matmul does. A quantized result is quantized
// from that, min-max.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ir/infer.h"
#include "reference/intermediate.h"
#include "reference/movement.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// Where the terms of a dot lie: element k of the left one is at first_left + k, of the right one at
// first_right + k * columns. All share the scale of their first element.
struct Dot {
  int64_t left;
  int64_t right;
  int64_t columns;
  int64_t count;
};

template <class F>
void ForEachDot(const ir::Shape& a, const ir::Shape& b, const ir::Shape& result, const F& f) {
  const int64_t count = a[a.rank() - 1];
  const int64_t columns = b[b.rank() - 1];
  const auto matrix = [&](const ir::Shape& shape, const MultiIndex& to) {
    int64_t number = 0;
    for (int axis = 0; axis < shape.rank() - 2; ++axis) {
      const auto place = At(axis + result.rank() - shape.rank());
      number = number * shape[axis] + (shape[axis] == 1 ? 0 : to[place]);
    }
    return number * shape[shape.rank() - 2] * shape[shape.rank() - 1];
  };
  int64_t i = 0;
  ForEachIndex(result, [&](const MultiIndex& to) {
    const auto last = At(result.rank() - 1);
    f(i++, Dot{matrix(a, to) + to[last - 1] * count, matrix(b, to) + to[last], columns, count});
  });
}

// The block of an element; K = 0 leaves no element, and any scale gives 0.
int64_t BlockAt(const std::vector<int64_t>& scale_of, int64_t element) {
  return element < static_cast<int64_t>(scale_of.size()) ? scale_of[At(element)] : -1;
}

void MultiplyCodes(const Call<Exact>& call, Points& result) {
  const Points& a = call.operand(0);
  const Points& b = call.operand(1);
  const std::vector<int64_t> a_scale = ScaleIndices(a.type.scheme(), a.type.shape);
  const std::vector<int64_t> b_scale = ScaleIndices(b.type.scheme(), b.type.shape);
  const std::vector<float> a_scales = ScaleValues(a);
  const std::vector<float> b_scales = ScaleValues(b);
  const auto zero = [](const Points& q, size_t block) {
    return q.zeros.empty() ? 0 : q.zeros[block];
  };
  ForEachDot(a.type.shape, b.type.shape, result.type.shape, [&](int64_t i, const Dot& dot) {
    if (dot.count == 0) return PutAt(result, i, 0.0);
    const auto left = At(BlockAt(a_scale, dot.left));
    const auto right = At(BlockAt(b_scale, dot.right));
    int64_t sum = 0;
    for (int64_t k = 0; k < dot.count; ++k) {
      sum += (a.Int(dot.left + k) - zero(a, left)) *
             (b.Int(dot.right + k * dot.columns) - zero(b, right));
    }
    const float y = static_cast<float>(sum) * (a_scales[left] * b_scales[right]);
    PutAt(result, i, Round(result.type.dtype(), double{y}));
  });
}

struct IntInterval {
  int64_t lo = 0;
  int64_t hi = 0;
};

IntInterval Product(const IntInterval& a, const IntInterval& b) {
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {lo, hi};
}

// A contract whose intermediates may stay wider may also scale in another order: 4u|v| + 2 eta.
FloatSet Scaled(const Contract& contract, const IntInterval& sum, const FloatSet& left,
                const FloatSet& right) {
  const Sets f32(contract, ir::Dtype::kF32, ir::Dtype::kF32);
  const FloatSet acc = FloatSet::Between(static_cast<double>(static_cast<float>(sum.lo)),
                                         static_cast<double>(static_cast<float>(sum.hi)));
  FloatSet y = f32.Mul(acc, f32.Mul(left, right));
  if (!contract.wider_intermediates || y.count == 0) return y;
  constexpr double kUnit = 0x1p-24;
  constexpr double kEta = 0x1p-150;
  const auto reach = [](double end) {
    return (4 * std::fabs(end) * kUnit + 2 * kEta) * (1 + 0x1p-20);
  };
  FloatSet wide = y;
  for (int k = 0; k < y.count; ++k) {
    const Interval& piece = y.intervals[At(k)];
    wide.AddRounded(ir::Dtype::kF32, piece.lo - reach(piece.lo), piece.hi + reach(piece.hi));
  }
  return wide;
}

void MultiplyCodes(const Call<Sets>& call, Enclosure& result) {
  const Enclosure& a = call.operand(0);
  const Enclosure& b = call.operand(1);
  const std::vector<int64_t> a_scale = ScaleIndices(a.type().scheme(), a.type().shape);
  const std::vector<int64_t> b_scale = ScaleIndices(b.type().scheme(), b.type().shape);
  const std::vector<FloatSet> a_scales = ScaleSets(a);
  const std::vector<FloatSet> b_scales = ScaleSets(b);
  const std::vector<IntSet> a_zeros = ZeroSets(a);
  const std::vector<IntSet> b_zeros = ZeroSets(b);
  const auto term = [](const Enclosure& q, int64_t i, const IntSet& zero) {
    const IntSet code = q.IntAt(i);
    return IntInterval{code.lo - zero.hi, code.hi - zero.lo};
  };
  const Sets cast(call.contract(), ir::Dtype::kF32, result.dtype(), call.algebra.wide());
  ForEachDot(a.type().shape, b.type().shape, result.type().shape, [&](int64_t i, const Dot& dot) {
    if (dot.count == 0) return result.PutCell(i, ToCell(0.0));
    const auto left = At(BlockAt(a_scale, dot.left));
    const auto right = At(BlockAt(b_scale, dot.right));
    IntInterval sum;
    for (int64_t k = 0; k < dot.count; ++k) {
      const IntInterval product = Product(term(a, dot.left + k, a_zeros[left]),
                                          term(b, dot.right + k * dot.columns, b_zeros[right]));
      sum = {sum.lo + product.lo, sum.hi + product.hi};
    }
    result.Put(i, cast.CastToFloat(Scaled(call.contract(), sum, a_scales[left], b_scales[right])));
  });
}

Points AsFloats(const Call<Exact>&, const Points& operand) {
  return operand.type.quantized() ? Decoded(operand, ir::Dtype::kF32) : operand;
}

Enclosure AsFloats(const Call<Sets>& call, const Enclosure& operand) {
  if (!operand.type().quantized()) return operand;
  // Elements that are points keep their own bits: only where all are does it need naive ones.
  auto naive = std::make_shared<Points>();
  naive->type = {ir::Dtype::kF32, operand.type().shape};
  naive->cells.resize(At(operand.size()));
  if (operand.AllPoints()) Dequantize(*operand.points(), *naive);
  return Decoded(call.contract(), operand, naive);
}

double Magnitude(const FloatSet& set) {
  if (!set.finite_only() || set.count == 0) return std::numeric_limits<double>::infinity();
  return std::max(std::fabs(set.lo()), std::fabs(set.hi()));
}

// Where intermediates may stay wider, an engine may also multiply codes a block at a time and scale
// the exact sum of each block. With u = 2^-24 and S the sum of the magnitudes of K products, that
// is within (K + 4)u S + 2K eta of the true dot (quantization.md), the dot of the decoded operands,
// each rounded once, within 2u S, and what matmul gave has a value within u S of that.
void AllowBlockByBlock(const Enclosure& left, const Enclosure& right, Enclosure& result) {
  constexpr double kUnit = 0x1p-24;
  constexpr double kEta = 0x1p-150;
  const ir::Dtype dtype = result.dtype();
  Enclosure wide = Enclosure::ToFill(result.type());
  ForEachDot(left.type().shape, right.type().shape, result.type().shape,
             [&](int64_t i, const Dot& dot) {
               FloatSet set = result.FloatAt(i);
               double sum = 0;
               for (int64_t k = 0; k < dot.count; ++k) {
                 sum += Magnitude(left.FloatAt(dot.left + k)) *
                        Magnitude(right.FloatAt(dot.right + k * dot.columns));
               }
               const auto count = static_cast<double>(dot.count);
               const double reach = ((count + 7) * kUnit * sum + 2 * count * kEta) * (1 + 0x1p-20);
               for (int k = 0; k < result.FloatAt(i).count && std::isfinite(reach); ++k) {
                 const auto [lo, hi] = result.FloatAt(i).intervals[At(k)];
                 // The stored ends are rounded to the result's dtype already.
                 set.AddRounded(dtype, Round(dtype, lo - reach - UlpOf(dtype, lo)),
                                Round(dtype, hi + reach + UlpOf(dtype, hi)));
               }
               wide.Put(i, set);
             });
  result = std::move(wide);
}

// The decoded operands, multiplied by the kernel of matmul.
template <class A>
void MultiplyDecoded(const Call<A>& call, typename A::Tensor& result) {
  const auto left = AsFloats(call, call.operand(0));
  const auto right = AsFloats(call, call.operand(1));
  const A algebra = call.algebra.On(ir::Dtype::kF32, TypeOf(result).dtype());
  const typename A::Tensor* const operands[] = {&left, &right};
  RunMatmul({.algebra = algebra,
             .op = ir::Opcode::kMatmul,
             .scalars = {},
             .attributes = call.attributes,
             .operands = operands,
             .result_tensor = result,
             .naive = nullptr,
             .errors = call.errors});
  if constexpr (A::kSets) {
    const bool codes = TypeOf(call.operand(0)).quantized() && TypeOf(call.operand(1)).quantized();
    if (codes && call.contract().wider_intermediates) AllowBlockByBlock(left, right, result);
  }
}

template <class A>
void Multiply(const Call<A>& call, typename A::Tensor& result) {
  const std::vector<ir::Type> types = {TypeOf(call.operand(0)), TypeOf(call.operand(1))};
  if (ir::MultipliesCodes(types)) return MultiplyCodes(call, result);
  MultiplyDecoded(call, result);
}

ir::Type PlainType(ir::Type type, const ir::Type& a, const ir::Type& b) {
  const ir::Type types[] = {a, b};
  type.element = ir::ElementType(ir::ComputeDtype(types));
  return type;
}

void QMatmulAll(const Call<Exact>& call) {
  if (!call.result().type.quantized()) return Multiply(call, call.result());
  Points product;
  product.type = PlainType(call.result().type, call.operand(0).type, call.operand(1).type);
  product.cells.resize(call.result().cells.size());
  Multiply(call, product);
  Quantize(product, ir::Range::kMinMax, call.result());
}

void QMatmulAll(const Call<Sets>& call) {
  if (!call.result().type().quantized()) return Multiply(call, call.result());
  Enclosure product = Enclosure::ToFill(
      PlainType(call.result().type(), call.operand(0).type(), call.operand(1).type()));
  Multiply(call, product);
  Quantize(call.contract(), product, ir::Range::kMinMax, call.result());
}

}  // namespace

FAULTLINE_KERNEL(QMatmul) { QMatmulAll(call); }

}  // namespace faultline::reference
