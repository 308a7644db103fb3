// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise kernels, in the order of the op table. The pinned special cases are in the primitives
// (reference/exact.cc for the values, reference/sets_*.cc for the sets).

#include "reference/kernel.h"

namespace faultline::reference {
namespace {

// The scalar as an element of the same kind as x.
template <class A, class X>
X ScalarLike(const Call<A>& call, const X&, size_t i = 0) {
  if constexpr (std::is_same_v<X, typename A::Float>) {
    return call.algebra.FloatOf(call.scalar(i));
  } else {
    return call.algebra.IntOf(call.scalar(i));
  }
}

template <class A>
void Fill(const Call<A>& call, Cell cell) {
  const int64_t n = TypeOf(call.result()).NumElements();
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (A::kSets) {
      call.result().PutCell(i, cell);
    } else {
      call.result().cells[static_cast<size_t>(i)] = cell;
    }
  }
}

}  // namespace

FAULTLINE_KERNEL(MaskWhere) {
  const auto select = [&](const auto& x, const auto& mask, const auto& y) {
    return call.algebra.Select(mask, y, x);
  };
  if (ir::IsFloat(call.algebra.result())) {
    Map<AsFloatOperand, AsIntOperand, AsFloatOperand>(call, select);
  } else {
    Map<AsIntOperand, AsIntOperand, AsIntOperand>(call, select);
  }
}

FAULTLINE_KERNEL(MaskFill) {
  const auto select = [&](const auto& x, const auto& mask) {
    return call.algebra.Select(mask, ScalarLike(call, x), x);
  };
  if (ir::IsFloat(call.algebra.result())) {
    Map<AsFloatOperand, AsIntOperand>(call, select);
  } else {
    Map<AsIntOperand, AsIntOperand>(call, select);
  }
}

FAULTLINE_KERNEL(Cast) {
  if (ir::IsFloat(call.algebra.result())) {
    MapNumeric<1>(call, [&](const auto& x) { return call.algebra.CastToFloat(x); });
  } else {
    MapNumeric<1>(call, [&](const auto& x) { return call.algebra.CastToInt(x); });
  }
}

FAULTLINE_KERNEL(Full) { Fill(call, call.scalar(0)); }

FAULTLINE_KERNEL(Zeros) { Fill(call, 0); }

FAULTLINE_KERNEL(Ones) {
  Fill(call, ir::IsFloat(call.algebra.result()) ? ToCell(1.0) : ToCell(int64_t{1}));
}

FAULTLINE_KERNEL(Equal) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Equal(x, y); });
}

FAULTLINE_KERNEL(NotEqual) {
  const auto& a = call.algebra;
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return a.Not(a.Equal(x, y)); });
}

FAULTLINE_KERNEL(EqualScalar) {
  const auto& a = call.algebra;
  MapNumeric<1>(call, [&](const auto& x) { return a.Equal(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(NotEqualScalar) {
  const auto& a = call.algebra;
  MapNumeric<1>(call, [&](const auto& x) { return a.Not(a.Equal(x, ScalarLike(call, x))); });
}

FAULTLINE_KERNEL(Add) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Add(x, y); });
}

FAULTLINE_KERNEL(Sub) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Sub(x, y); });
}

FAULTLINE_KERNEL(Mul) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Mul(x, y); });
}

FAULTLINE_KERNEL(Div) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Div(x, y); });
}

FAULTLINE_KERNEL(Rem) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Rem(x, y); });
}

FAULTLINE_KERNEL(AddScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Add(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(SubScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Sub(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(MulScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Mul(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(DivScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Div(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(RemScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Rem(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(Neg) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Neg(x); });
}

FAULTLINE_KERNEL(Abs) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Abs(x); });
}

FAULTLINE_KERNEL(Sign) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Sign(x); });
}

FAULTLINE_KERNEL(Clamp) {
  const auto& a = call.algebra;
  MapNumeric<1>(call, [&](const auto& x) {
    return a.Min(a.Max(x, ScalarLike(call, x, 0)), ScalarLike(call, x, 1));
  });
}

FAULTLINE_KERNEL(ClampMin) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Max(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(ClampMax) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Min(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(Minimum) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Min(x, y); });
}

FAULTLINE_KERNEL(Maximum) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Max(x, y); });
}

FAULTLINE_KERNEL(Lower) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Less(x, y); });
}

FAULTLINE_KERNEL(LowerEqual) {
  const auto& a = call.algebra;
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return a.GreaterEqual(y, x); });
}

FAULTLINE_KERNEL(Greater) {
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Less(y, x); });
}

FAULTLINE_KERNEL(GreaterEqual) {
  const auto& a = call.algebra;
  MapNumeric<2>(call, [&](const auto& x, const auto& y) { return a.GreaterEqual(x, y); });
}

FAULTLINE_KERNEL(LowerScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Less(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(LowerEqualScalar) {
  const auto& a = call.algebra;
  MapNumeric<1>(call, [&](const auto& x) { return a.GreaterEqual(ScalarLike(call, x), x); });
}

FAULTLINE_KERNEL(GreaterScalar) {
  MapNumeric<1>(call, [&](const auto& x) { return call.algebra.Less(ScalarLike(call, x), x); });
}

FAULTLINE_KERNEL(GreaterEqualScalar) {
  const auto& a = call.algebra;
  MapNumeric<1>(call, [&](const auto& x) { return a.GreaterEqual(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(Sqrt) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Sqrt(x); });
}

FAULTLINE_KERNEL(Recip) {
  const auto& a = call.algebra;
  MapFloat<1>(call, [&](const auto& x) { return a.Div(a.FloatOf(ToCell(1.0)), x); });
}

FAULTLINE_KERNEL(Floor) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Floor(x); });
}

FAULTLINE_KERNEL(Ceil) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Ceil(x); });
}

FAULTLINE_KERNEL(Trunc) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Trunc(x); });
}

FAULTLINE_KERNEL(Round) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.RoundEven(x); });
}

FAULTLINE_KERNEL(IsNan) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.IsNan(x); });
}

FAULTLINE_KERNEL(IsInf) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.IsInf(x); });
}

FAULTLINE_KERNEL(BitwiseAnd) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.BitAnd(x, y); });
}

FAULTLINE_KERNEL(BitwiseAndScalar) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.BitAnd(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(BitwiseOr) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.BitOr(x, y); });
}

FAULTLINE_KERNEL(BitwiseOrScalar) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.BitOr(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(BitwiseXor) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.BitXor(x, y); });
}

FAULTLINE_KERNEL(BitwiseXorScalar) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.BitXor(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(BitwiseNot) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.BitNot(x); });
}

FAULTLINE_KERNEL(BitwiseLeftShift) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.ShiftLeft(x, y); });
}

FAULTLINE_KERNEL(BitwiseRightShift) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.ShiftRight(x, y); });
}

FAULTLINE_KERNEL(BitwiseLeftShiftScalar) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.ShiftLeft(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(BitwiseRightShiftScalar) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.ShiftRight(x, ScalarLike(call, x)); });
}

FAULTLINE_KERNEL(BoolAnd) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.And(x, y); });
}

FAULTLINE_KERNEL(BoolOr) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Or(x, y); });
}

FAULTLINE_KERNEL(BoolXor) {
  MapInt<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Xor(x, y); });
}

FAULTLINE_KERNEL(BoolNot) {
  MapInt<1>(call, [&](const auto& x) { return call.algebra.Not(x); });
}

}  // namespace faultline::reference
