// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/lower/faulty_lowering.h"

#include <limits>

#include "fusion/fault.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;
using ir::Opcode;

class Wrong {
 public:
  explicit Wrong(const OpLowering& in) : in_(in), b_(in.block), reg_(RegOf(in.from)) {}

  std::optional<Val> Run() {
    if (in_.op == Opcode::kCast) return Cast();
    if (in_.op == Opcode::kMaskFill) return MaskFill();
    if (ir::InfoOf(in_.op).dtype_rule == ir::DtypeRule::kCompare) return Comparison();
    // Left as wide as it was computed, for the next op of the launch.
    if (FAULT(half_chain_not_rounded) && ir::IsFloat(in_.to) && ir::ByteSize(in_.to) == 2 &&
        (IsOp(Opcode::kAdd) || IsOp(Opcode::kMul))) {
      return b_.Binary(IsOp(Opcode::kAdd) ? Op::kAdd : Op::kMul, At(0), At(1));
    }
    std::optional<Val> val = ir::IsFloat(in_.from) ? Function() : Integer();
    if (!val.has_value() && ir::IsFloat(in_.from)) val = FloatArithmetic();
    if (val.has_value()) return b_.ToDtype(*val, in_.to);
    return std::nullopt;
  }

 private:
  Val At(size_t i) const { return in_.operands[i]; }
  Val Right() const { return in_.operands.size() > 1 ? At(1) : in_.scalar(0, reg_); }
  Val Number(double value) const { return b_.Number(reg_, value); }
  bool Is(Opcode a, Opcode b) const { return in_.op == a || in_.op == b; }
  bool IsOp(Opcode a) const { return in_.op == a; }

  std::optional<Val> Cast() {
    const Dtype from = in_.from;
    const Dtype to = in_.to;
    const Val x = At(0);
    const auto through = [&](Dtype third) { return b_.Cast(b_.Cast(x, from, third), third, to); };
    const bool half = to == Dtype::kF16 || to == Dtype::kBf16;
    if (FAULT(bool_cast_truncates) && ir::IsFloat(from) && to == Dtype::kBool) {
      return through(Dtype::kI32);
    }
    if (FAULT(float_to_unsigned_wraps) && ir::IsFloat(from) && ir::IsUnsigned(to)) {
      return through(Dtype::kI64);
    }
    if (FAULT(i64_to_f32_rounds_twice) && from == Dtype::kI64 && to == Dtype::kF32) {
      return b_.Convert(b_.Convert(x, Reg::kF64), Reg::kF32);
    }
    if (FAULT(f64_to_half_rounds_twice) && from == Dtype::kF64 && half) return through(Dtype::kF32);
    if (FAULT(float_to_int_rounds) && ir::IsFloat(from) && ir::IsInt(to)) {
      return b_.Cast(b_.Unary(Op::kRoundEven, x), from, to);
    }
    if (FAULT(nan_casts_to_minimum) && ir::IsFloat(from) && to == Dtype::kI32) {
      return b_.Select(b_.Compare(Op::kEqual, x, x), b_.Cast(x, from, to),
                       b_.Number(Reg::kI32, -2147483648.0));
    }
    if (FAULT(int_narrowing_saturates) && ir::IsInt(from) && ir::IsInt(to) &&
        ir::ByteSize(to) < ir::ByteSize(from) && ir::ByteSize(to) < 4) {
      const auto high = static_cast<double>(ir::IntMax(to));
      const Val low = ir::IsUnsigned(from)
                          ? x
                          : b_.Binary(Op::kMax, x, Number(static_cast<double>(ir::IntMin(to))));
      return b_.Cast(b_.Binary(Op::kMin, low, Number(high)), from, to);
    }
    if (FAULT(f16_overflow_saturates) && ir::IsFloat(from) && to == Dtype::kF16) {
      const Val low = b_.Binary(Op::kMax, x, Number(-65504));
      return b_.Cast(b_.Binary(Op::kMin, low, Number(65504)), from, to);
    }
    return std::nullopt;
  }

  // The mask as a factor: NaN and infinities behind it come through.
  std::optional<Val> MaskFill() {
    if (!FAULT(mask_multiplies) || !ir::IsFloat(in_.from)) return std::nullopt;
    const Val kept = b_.Select(At(1), Number(0), Number(1));
    const Val filled = b_.Select(At(1), Number(1), Number(0));
    const Val sum = b_.Binary(Op::kAdd, b_.Binary(Op::kMul, At(0), kept),
                              b_.Binary(Op::kMul, in_.scalar(0, reg_), filled));
    return b_.ToDtype(sum, in_.to);
  }

  std::optional<Val> Comparison() {
    if (FAULT(nan_equals_everything) && Is(Opcode::kNotEqual, Opcode::kNotEqualScalar) &&
        ir::IsFloat(in_.from)) {
      const Val right = Right();
      return b_.Binary(Op::kOr, b_.Compare(Op::kLower, At(0), right),
                       b_.Compare(Op::kLower, right, At(0)));
    }
    if (FAULT(unsigned_compared_as_signed) && Is(Opcode::kLower, Opcode::kLowerScalar) &&
        (reg_ == Reg::kU32 || reg_ == Reg::kU64)) {
      const Reg as = reg_ == Reg::kU32 ? Reg::kI32 : Reg::kI64;
      return b_.Compare(Op::kLower, b_.Convert(At(0), as), b_.Convert(Right(), as));
    }
    if (FAULT(i64_compared_in_f64) && Is(Opcode::kEqual, Opcode::kEqualScalar) &&
        reg_ == Reg::kI64) {
      return b_.Compare(Op::kEqual, b_.Convert(At(0), Reg::kF64), b_.Convert(Right(), Reg::kF64));
    }
    return std::nullopt;
  }

  std::optional<Val> Integer() {
    const bool is_signed = ir::IsSigned(in_.from);
    if (Is(Opcode::kDiv, Opcode::kDivScalar)) {
      if (FAULT(int_division_floors) && is_signed) {
        const Val right = Right();
        const Val rest = b_.Binary(Op::kRem, At(0), right);
        return b_.Binary(Op::kDiv, b_.Binary(Op::kSub, At(0), rest), right);
      }
      if (FAULT(int_division_by_zero_gives_zero)) {
        const Val right = Right();
        return b_.Select(b_.Compare(Op::kEqual, right, Number(0)), Number(0),
                         b_.Binary(Op::kDiv, At(0), right));
      }
    }
    if (FAULT(int_remainder_truncates) && Is(Opcode::kRem, Opcode::kRemScalar) && is_signed) {
      const Val right = Right();
      const Val quotient = b_.Binary(Op::kDiv, At(0), right);
      return b_.Binary(Op::kSub, At(0), b_.Binary(Op::kMul, quotient, right));
    }
    if (FAULT(abs_of_minimum_saturates) && IsOp(Opcode::kAbs) && is_signed &&
        ir::ByteSize(in_.from) < 8) {
      const Val least = Number(static_cast<double>(ir::IntMin(in_.from)));
      return b_.Select(b_.Compare(Op::kEqual, At(0), least),
                       Number(static_cast<double>(ir::IntMax(in_.from))),
                       b_.Unary(Op::kAbs, At(0)));
    }
    return std::nullopt;
  }

  std::optional<Val> FloatArithmetic() {
    if (Is(Opcode::kDiv, Opcode::kDivScalar) && FAULT(division_by_reciprocal)) {
      return b_.Binary(Op::kMul, At(0), b_.Unary(Op::kRecip, Right()));
    }
    if (Is(Opcode::kRem, Opcode::kRemScalar) && FAULT(remainder_by_quotient)) {
      const Val right = Right();
      const Val quotient = b_.Unary(Op::kFloor, b_.Binary(Op::kDiv, At(0), right));
      return b_.Binary(Op::kSub, At(0), b_.Binary(Op::kMul, quotient, right));
    }
    if (Is(Opcode::kPowf, Opcode::kPowfScalar) && FAULT(pow_by_exp_and_log)) {
      const Val log = b_.Unary(Op::kLog, At(0));
      return b_.Unary(Op::kExp, b_.Binary(Op::kMul, Right(), log));
    }
    return std::nullopt;
  }

  std::optional<Val> Function() {
    if (in_.operands.size() != 1) return std::nullopt;
    const Val x = At(0);
    switch (in_.op) {
      case Opcode::kNeg:
        if (FAULT(neg_subtracts_from_zero)) return b_.Binary(Op::kSub, Number(0), x);
        break;
      case Opcode::kSign:
        if (FAULT(sign_of_nan_is_zero)) {
          const Val low = b_.Select(b_.Compare(Op::kLower, x, Number(0)), Number(-1), Number(0));
          return b_.Select(b_.Compare(Op::kLower, Number(0), x), Number(1), low);
        }
        break;
      case Opcode::kClamp:
        if (FAULT(clamp_of_nan_is_low)) {
          const Val low = in_.scalar(0, reg_);
          const Val high = in_.scalar(1, reg_);
          const Val raised = b_.Select(b_.Compare(Op::kLower, low, x), x, low);
          return b_.Select(b_.Compare(Op::kLower, raised, high), raised, high);
        }
        break;
      case Opcode::kRelu:
        if (FAULT(relu_of_nan_is_zero)) {
          return b_.Select(b_.Compare(Op::kLower, Number(0), x), x, Number(0));
        }
        break;
      case Opcode::kExp:
        if (FAULT(exp_flushes_subnormals)) {
          const double least = reg_ == Reg::kF64 ? -708.3964185322641 : -87.33654475;
          return b_.Select(b_.Compare(Op::kLower, x, Number(least)), Number(0),
                           b_.Unary(Op::kExp, x));
        }
        break;
      case Opcode::kLog:
        if (FAULT(log_of_negative_is_infinite)) {
          return b_.Unary(Op::kLog, b_.Binary(Op::kMax, x, Number(0)));
        }
        break;
      case Opcode::kSqrt:
        if (FAULT(sqrt_by_reciprocal)) {
          return b_.Unary(Op::kRecip, b_.Unary(Op::kSqrt, b_.Unary(Op::kRecip, x)));
        }
        break;
      case Opcode::kTanh:
        if (FAULT(tanh_saturates_early)) {
          const Val far = b_.Compare(Op::kLower, Number(7), b_.Unary(Op::kAbs, x));
          const Val sign = b_.Select(b_.Compare(Op::kLower, x, Number(0)), Number(-1), Number(1));
          return b_.Select(far, sign, b_.Unary(Op::kTanh, x));
        }
        break;
      case Opcode::kErf:
        if (FAULT(erf_linear_near_zero)) {
          const Val near = b_.Compare(Op::kLower, b_.Unary(Op::kAbs, x), Number(0.01));
          return b_.Select(near, b_.Binary(Op::kMul, x, Number(1.1283791670955126)),
                           b_.Unary(Op::kErf, x));
        }
        break;
      case Opcode::kFloor:
        if (FAULT(floor_through_int)) {
          const Val whole = b_.Convert(b_.Convert(x, Reg::kI32), reg_);
          const Val less = b_.Binary(Op::kSub, whole, Number(1));
          return b_.Select(b_.Compare(Op::kLower, x, whole), less, whole);
        }
        break;
      case Opcode::kRound:
        if (FAULT(round_half_away)) {
          const Val half =
              b_.Select(b_.Compare(Op::kLower, x, Number(0)), Number(-0.5), Number(0.5));
          return b_.Unary(Op::kTrunc, b_.Binary(Op::kAdd, x, half));
        }
        break;
      case Opcode::kGelu:
        if (FAULT(gelu_by_tanh)) return GeluByTanh(x);
        break;
      case Opcode::kSigmoid:
        if (FAULT(sigmoid_overflows)) {
          const Val t = b_.Unary(Op::kExp, b_.Unary(Op::kNeg, x));
          return b_.Unary(Op::kRecip, b_.Binary(Op::kAdd, Number(1), t));
        }
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  Val GeluByTanh(Val x) {
    const Val cube = b_.Binary(Op::kMul, b_.Binary(Op::kMul, x, x), x);
    const Val sum = b_.Binary(Op::kAdd, x, b_.Binary(Op::kMul, Number(0.044715), cube));
    const Val tanh = b_.Unary(Op::kTanh, b_.Binary(Op::kMul, Number(0.7978845608028654), sum));
    const Val half = b_.Binary(Op::kMul, Number(0.5), x);
    return b_.Binary(Op::kMul, half, b_.Binary(Op::kAdd, Number(1), tanh));
  }

  const OpLowering& in_;
  BlockBuilder& b_;
  const Reg reg_;
};

}  // namespace

std::optional<Val> FaultyElementwise(const OpLowering& in) { return Wrong(in).Run(); }

Val FaultyElement(const OpLowering& in, Val x) {
  const bool maximum = in.op == Opcode::kMax || in.op == Opcode::kMaxDim;
  if (FAULT(max_ignores_nan) && maximum && ir::IsFloat(in.from)) {
    const Val least = in.block.Number(x.reg, -std::numeric_limits<double>::infinity());
    return in.block.Select(in.block.Compare(Op::kEqual, x, x), x, least);
  }
  return x;
}

std::optional<Val> FaultyFolded(const OpLowering& in, Val folded,
                                const std::function<Val(Reg)>& count) {
  const bool mean = in.op == Opcode::kMean || in.op == Opcode::kMeanDim;
  if (FAULT(mean_by_reciprocal) && mean && ir::IsFloat(in.from)) {
    const Val share = in.block.Unary(Op::kRecip, count(folded.reg));
    return in.block.ToDtype(in.block.Binary(Op::kMul, folded, share), in.to);
  }
  if (FAULT(int_mean_floors) && mean && ir::IsSigned(in.from) && ir::IsInt(in.from)) {
    const Val number = count(folded.reg);
    const Val rest = in.block.Binary(Op::kRem, folded, number);
    const Val quotient = in.block.Binary(Op::kDiv, in.block.Binary(Op::kSub, folded, rest), number);
    return in.block.ToDtype(in.block.Convert(quotient, RegOf(in.to)), in.to);
  }
  return std::nullopt;
}

}  // namespace faultline::fusion
