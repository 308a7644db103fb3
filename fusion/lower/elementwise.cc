// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/lower/elementwise.h"

#include <limits>
#include <numbers>

#include "fusion/fault.h"
#include "fusion/lower/faulty_lowering.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;
using ir::Opcode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Lowering {
 public:
  explicit Lowering(const OpLowering& in) : in_(in), b_(in.block), reg_(RegOf(in.from)) {}

  Val Run() {
    switch (in_.op) {
      case Opcode::kMaskWhere:
        return b_.Select(At(1), At(2), At(0));
      case Opcode::kMaskFill:
        return b_.Select(At(1), Scalar(0), At(0));
      case Opcode::kReluBackward:
        return b_.Select(b_.Compare(Op::kLowerEqual, At(0), Number(0)), Number(0), At(1));
      case Opcode::kCast:
        // A cast to 16 bits and back looks like one that could be left out.
        if (FAULT(narrowing_cast_elided) && ir::IsFloat(in_.from) && ir::ByteSize(in_.to) == 2) {
          return b_.Convert(At(0), RegOf(in_.to));
        }
        return b_.Cast(At(0), in_.from, in_.to);
      case Opcode::kDequantize:
        return b_.Cast(At(0), Dtype::kF32, in_.to);
      case Opcode::kFull:
        return Scalar(0);
      case Opcode::kZeros:
        return b_.Number(RegOf(in_.to), 0);
      case Opcode::kOnes:
        return b_.Number(RegOf(in_.to), 1);
      case Opcode::kBoolAnd:
        return b_.Binary(Op::kAnd, At(0), At(1));
      case Opcode::kBoolOr:
        return b_.Binary(Op::kOr, At(0), At(1));
      case Opcode::kBoolXor:
        return b_.Binary(Op::kXor, At(0), At(1));
      case Opcode::kBoolNot:
        return b_.Unary(Op::kNot, At(0));
      default:
        break;
    }
    if (ir::InfoOf(in_.op).dtype_rule == ir::DtypeRule::kCompare) return Comparison();
    return b_.ToDtype(Arithmetic(), in_.to);
  }

 private:
  Val At(size_t i) const { return in_.operands[i]; }
  Val Scalar(int i) const { return in_.scalar(i, reg_); }
  // The second operand of a binary op: a tensor or a scalar.
  Val Right() const { return in_.operands.size() > 1 ? At(1) : Scalar(0); }
  Val Number(double value) const { return b_.Number(reg_, value); }

  Val Comparison() {
    switch (in_.op) {
      case Opcode::kEqual:
      case Opcode::kEqualScalar:
        return b_.Compare(Op::kEqual, At(0), Right());
      case Opcode::kNotEqual:
      case Opcode::kNotEqualScalar:
        return b_.Compare(Op::kNotEqual, At(0), Right());
      case Opcode::kLower:
      case Opcode::kLowerScalar:
        return b_.Compare(Op::kLower, At(0), Right());
      case Opcode::kLowerEqual:
      case Opcode::kLowerEqualScalar:
        return b_.Compare(Op::kLowerEqual, At(0), Right());
      case Opcode::kGreater:
      case Opcode::kGreaterScalar:
        return b_.Compare(Op::kLower, Right(), At(0));
      case Opcode::kIsNan:
        return b_.Compare(Op::kNotEqual, At(0), At(0));
      case Opcode::kIsInf:
        return b_.Compare(Op::kEqual, b_.Unary(Op::kAbs, At(0)), Number(kInfinity));
      default:
        FAULTLINE_CHECK(in_.op == Opcode::kGreaterEqual || in_.op == Opcode::kGreaterEqualScalar,
                        "a comparison without a lowering");
        // Not the negation of lower: both are false with NaN.
        if (FAULT(greater_equal_negates_lower)) {
          return b_.Unary(Op::kNot, b_.Compare(Op::kLower, At(0), Right()));
        }
        return b_.Compare(Op::kLowerEqual, Right(), At(0));
    }
  }

  Val Arithmetic() {
    switch (in_.op) {
      case Opcode::kAdd:
      case Opcode::kAddScalar:
        return b_.Binary(Op::kAdd, At(0), Right());
      case Opcode::kSub:
      case Opcode::kSubScalar:
        return b_.Binary(Op::kSub, At(0), Right());
      case Opcode::kMul:
      case Opcode::kMulScalar:
        return b_.Binary(Op::kMul, At(0), Right());
      case Opcode::kDiv:
      case Opcode::kDivScalar:
        return b_.Binary(Op::kDiv, At(0), Right());
      case Opcode::kRem:
      case Opcode::kRemScalar:
        return b_.Binary(Op::kRem, At(0), Right());
      case Opcode::kMinimum:
      case Opcode::kClampMax:
        return b_.Binary(Op::kMin, At(0), Right());
      case Opcode::kMaximum:
      case Opcode::kClampMin:
        return b_.Binary(Op::kMax, At(0), Right());
      case Opcode::kPowf:
      case Opcode::kPowfScalar:
        return b_.Binary(Op::kPow, At(0), Right());
      case Opcode::kPowi:
        return b_.Powi(At(0), b_.Convert(At(1), Reg::kI64));
      case Opcode::kPowiScalar:
        return b_.Powi(At(0), in_.scalar(0, Reg::kI64));
      case Opcode::kAtan2:
        return b_.Binary(Op::kAtan2, At(0), At(1));
      case Opcode::kHypot:
        return b_.Binary(Op::kHypot, At(0), At(1));
      case Opcode::kBitwiseAnd:
      case Opcode::kBitwiseAndScalar:
        return b_.Binary(Op::kAnd, At(0), Right());
      case Opcode::kBitwiseOr:
      case Opcode::kBitwiseOrScalar:
        return b_.Binary(Op::kOr, At(0), Right());
      case Opcode::kBitwiseXor:
      case Opcode::kBitwiseXorScalar:
        return b_.Binary(Op::kXor, At(0), Right());
      case Opcode::kBitwiseLeftShift:
      case Opcode::kBitwiseLeftShiftScalar:
        return b_.Shift(Op::kShiftLeft, At(0), Right(), ir::BitWidth(in_.from));
      case Opcode::kBitwiseRightShift:
      case Opcode::kBitwiseRightShiftScalar:
        return b_.Shift(Op::kShiftRight, At(0), Right(), ir::BitWidth(in_.from));
      default:
        return ir::InfoOf(in_.op).family == ir::OpFamily::kActivation ? Activation() : Function();
    }
  }

  Val Function() {
    const Val x = At(0);
    switch (in_.op) {
      case Opcode::kNeg:
        return b_.Unary(Op::kNeg, x);
      case Opcode::kAbs:
        return b_.Unary(Op::kAbs, x);
      case Opcode::kSign:
        return Sign(x);
      case Opcode::kClamp:
        return Clamp(x);
      case Opcode::kExp:
        return b_.Unary(Op::kExp, x);
      case Opcode::kLog:
        return b_.Unary(Op::kLog, x);
      case Opcode::kSqrt:
        return b_.Unary(Op::kSqrt, x);
      case Opcode::kRecip:
        return b_.Unary(Op::kRecip, x);
      case Opcode::kTanh:
        return b_.Unary(Op::kTanh, x);
      case Opcode::kErf:
        return b_.Unary(Op::kErf, x);
      case Opcode::kFloor:
        return b_.Unary(Op::kFloor, x);
      case Opcode::kCeil:
        return b_.Unary(Op::kCeil, x);
      case Opcode::kTrunc:
        return b_.Unary(Op::kTrunc, x);
      case Opcode::kRound:
        return b_.Unary(Op::kRoundEven, x);
      case Opcode::kBitwiseNot:
        return b_.Unary(Op::kNot, x);
      case Opcode::kLog1p:
        return b_.Unary(Op::kLog1p, x);
      case Opcode::kSin:
        return b_.Unary(Op::kSin, x);
      case Opcode::kCos:
        return b_.Unary(Op::kCos, x);
      case Opcode::kTan:
        return b_.Unary(Op::kTan, x);
      case Opcode::kSinh:
        return b_.Unary(Op::kSinh, x);
      case Opcode::kCosh:
        return b_.Unary(Op::kCosh, x);
      case Opcode::kAsin:
        return b_.Unary(Op::kAsin, x);
      case Opcode::kAcos:
        return b_.Unary(Op::kAcos, x);
      case Opcode::kAtan:
        return b_.Unary(Op::kAtan, x);
      case Opcode::kAsinh:
        return b_.Unary(Op::kAsinh, x);
      case Opcode::kAcosh:
        return b_.Unary(Op::kAcosh, x);
      default:
        FAULTLINE_CHECK(in_.op == Opcode::kAtanh, "an elementwise op without a lowering");
        return b_.Unary(Op::kAtanh, x);
    }
  }

  Val Activation() {
    const Val x = At(0);
    switch (in_.op) {
      case Opcode::kRelu:
        return b_.Binary(Op::kMax, x, Number(0));
      case Opcode::kLeakyRelu:
      case Opcode::kPrelu:
        return b_.Select(b_.Compare(Op::kLower, x, Number(0)), b_.Binary(Op::kMul, Right(), x), x);
      case Opcode::kGelu:
        return Gelu(x);
      case Opcode::kGeluBackward:
        return b_.Binary(Op::kMul, At(1), GeluSlope(x));
      case Opcode::kSigmoidBackward:
        return SigmoidBackward(x);
      case Opcode::kHardSigmoid:
        return HardSigmoid(x);
      case Opcode::kLogSigmoid:
        return LogSigmoid(x);
      case Opcode::kLogSigmoidBackward:
        return b_.Binary(Op::kMul, At(1), Sigmoid(b_.Unary(Op::kNeg, x)));
      default:
        FAULTLINE_CHECK(in_.op == Opcode::kSigmoid, "an activation without a lowering");
        return Sigmoid(x);
    }
  }

  // What is neither above nor below zero stays: NaN, and zeros with their sign.
  Val Sign(Val x) {
    const Val zero = Number(0);
    Val rest = x;
    if (!ir::IsUnsigned(in_.from)) {
      rest = b_.Select(b_.Compare(Op::kLower, x, zero), Number(-1), x);
    }
    return b_.Select(b_.Compare(Op::kLower, zero, x), Number(1), rest);
  }

  Val Clamp(Val x) {
    const Val low = Scalar(0);
    const Val high = in_.scalar(1, reg_);
    if (FAULT(clamp_bounds_swapped)) {
      return b_.Binary(Op::kMax, b_.Binary(Op::kMin, x, high), low);
    }
    return b_.Binary(Op::kMin, b_.Binary(Op::kMax, x, low), high);
  }

  // 0.5*x*(1 + erf(x*f32(1/sqrt 2))), from the left.
  Val Gelu(Val x) {
    constexpr auto kHalfRoot = static_cast<float>(1 / std::numbers::sqrt2);
    const Val erf = b_.Unary(Op::kErf, b_.Binary(Op::kMul, x, Number(double{kHalfRoot})));
    const Val half = b_.Binary(Op::kMul, Number(0.5), x);
    return b_.Binary(Op::kMul, half, b_.Binary(Op::kAdd, Number(1), erf));
  }

  // 0.5*(1 + erf(x*f32(1/sqrt 2))) + x*exp(-0.5*(x*x))*f32(1/sqrt(2 pi)), from the left.
  Val GeluSlope(Val x) {
    constexpr auto kHalfRoot = static_cast<float>(1 / std::numbers::sqrt2);
    constexpr auto kDensity = static_cast<float>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    const Val erf = b_.Unary(Op::kErf, b_.Binary(Op::kMul, x, Number(double{kHalfRoot})));
    const Val below = b_.Binary(Op::kMul, Number(0.5), b_.Binary(Op::kAdd, Number(1), erf));
    const Val square = b_.Binary(Op::kMul, x, x);
    const Val bell = b_.Unary(Op::kExp, b_.Binary(Op::kMul, Number(-0.5), square));
    const Val at = b_.Binary(Op::kMul, b_.Binary(Op::kMul, x, bell), Number(double{kDensity}));
    return b_.Binary(Op::kAdd, below, at);
  }

  Val SigmoidBackward(Val y) {
    const Val slope = b_.Binary(Op::kMul, y, b_.Binary(Op::kSub, Number(1), y));
    return b_.Binary(Op::kMul, slope, At(1));
  }

  Val HardSigmoid(Val x) {
    const Val line = b_.Binary(Op::kAdd, b_.Binary(Op::kMul, Scalar(0), x), in_.scalar(1, reg_));
    return b_.Binary(Op::kMin, b_.Binary(Op::kMax, line, Number(0)), Number(1));
  }

  // min(x, 0) - log1p(exp(-|x|)).
  Val LogSigmoid(Val x) {
    const Val t = b_.Unary(Op::kExp, b_.Unary(Op::kNeg, b_.Unary(Op::kAbs, x)));
    return b_.Binary(Op::kSub, b_.Binary(Op::kMin, x, Number(0)), b_.Unary(Op::kLog1p, t));
  }

  // x >= 0: 1/(1 + exp(-x)), else t/(1 + t) with t = exp(x). With t = exp(-|x|) both have the same
  // denominator; a NaN takes the second form and stays.
  Val Sigmoid(Val x) {
    const Val t = b_.Unary(Op::kExp, b_.Unary(Op::kNeg, b_.Unary(Op::kAbs, x)));
    const Val one = Number(1);
    const Val positive = b_.Compare(Op::kLowerEqual, Number(0), x);
    return b_.Binary(Op::kDiv, b_.Select(positive, one, t), b_.Binary(Op::kAdd, one, t));
  }

  const OpLowering& in_;
  BlockBuilder& b_;
  const Reg reg_;
};

bool IsMaxAbs(Opcode op) { return op == Opcode::kMaxAbs || op == Opcode::kMaxAbsDim; }
bool IsMean(Opcode op) { return op == Opcode::kMean || op == Opcode::kMeanDim; }

Op FoldOf(Opcode op) {
  switch (op) {
    case Opcode::kAny:
    case Opcode::kAnyDim:
      return Op::kReduceAny;
    case Opcode::kAll:
    case Opcode::kAllDim:
      return Op::kReduceAll;
    case Opcode::kProd:
    case Opcode::kProdDim:
      return Op::kReduceProd;
    case Opcode::kMax:
    case Opcode::kMaxDim:
    case Opcode::kMaxAbs:
    case Opcode::kMaxAbsDim:
      return Op::kReduceMax;
    case Opcode::kMin:
    case Opcode::kMinDim:
      return Op::kReduceMin;
    case Opcode::kArgmax:
      return Op::kReduceArgMax;
    case Opcode::kArgmin:
      return Op::kReduceArgMin;
    default:
      FAULTLINE_CHECK(op == Opcode::kSum || op == Opcode::kSumDim || IsMean(op),
                      "a reduction without a lowering");
      return Op::kReduceSum;
  }
}

Op ScanOf(Opcode op) {
  switch (op) {
    case Opcode::kCumprod:
      return Op::kScanProd;
    case Opcode::kCummax:
      return Op::kScanMax;
    case Opcode::kCummin:
      return Op::kScanMin;
    default:
      FAULTLINE_CHECK(op == Opcode::kCumsum, "a scan without a lowering");
      return Op::kScanSum;
  }
}

}  // namespace

Val LowerElementwise(const OpLowering& in) {
  if (AnyFault()) {
    if (const std::optional<Val> wrong = FaultyElementwise(in)) return *wrong;
  }
  return Lowering(in).Run();
}

Val LowerFold(const OpLowering& in) {
  const Op fold = FoldOf(in.op);
  Val x = in.operands[0];
  if (fold == Op::kReduceAny || fold == Op::kReduceAll) x = in.block.Convert(x, Reg::kMask);
  // A magnitude wraps in the dtype before it is compared.
  if (IsMaxAbs(in.op)) x = in.block.ToDtype(in.block.Unary(Op::kAbs, x), in.from);
  // A mean of ints sums in 64 bits.
  if (IsMean(in.op) && ir::IsInt(in.from) && !FAULT(int_mean_sums_narrow)) {
    x = in.block.Convert(x, ir::IsSigned(in.from) ? Reg::kI64 : Reg::kU64);
  }
  if (AnyFault()) x = FaultyElement(in, x);
  return in.block.Reduce(fold, x);
}

Val LowerFolded(const OpLowering& in, Val folded, const std::function<Val(Reg)>& count) {
  if (AnyFault()) {
    if (const std::optional<Val> wrong = FaultyFolded(in, folded, count)) return *wrong;
  }
  if (IsMean(in.op)) {
    if (FAULT(half_mean_rounds_sum)) folded = in.block.ToDtype(folded, in.to);
    folded = in.block.Binary(Op::kDiv, folded, count(folded.reg));
  }
  return in.block.ToDtype(in.block.Convert(folded, RegOf(in.to)), in.to);
}

Val LowerScan(const OpLowering& in) {
  return in.block.ToDtype(in.block.Scan(ScanOf(in.op), in.operands[0]), in.to);
}

}  // namespace faultline::fusion
