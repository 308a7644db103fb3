// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The naive bits of primitives that are more than one operator.

#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"

namespace faultline::reference {

// x - y*floor(x/y), exactly, rounded once, with the sign of the divisor.
double Exact::Rem(double dividend, double divisor) const {
  const double x = Seen(dividend);
  const double y = Seen(divisor);
  if (std::isnan(x) || std::isnan(y) || std::isinf(x) || y == 0) return FreeNan();
  if (std::isinf(y)) {
    if (x == 0) return std::copysign(0.0, y);
    return std::signbit(x) == std::signbit(y) ? x : y;
  }
  const double remainder = std::fmod(x, y);  // exact, sign of x
  if (remainder == 0) return std::copysign(0.0, y);
  if (std::signbit(remainder) == std::signbit(y)) return Seen(remainder);
  // Opposite signs: the sum is at most |y| and is rounded once; in f64 by the addition itself.
  return Seen(Round(result_, remainder + y));
}

double Exact::Sign(double x) const {
  if (std::isnan(x)) return FreeNan();
  const double seen = Seen(x);
  return seen == 0 ? seen : std::copysign(1.0, seen);
}

double Exact::Min(double left, double right) const {
  const double x = Seen(left);
  const double y = Seen(right);
  const bool nan = std::isnan(x) || std::isnan(y);
  const double naive = nan ? FreeNan() : Lesser(x, y);
  return nature_ == nullptr ? naive : ExtremumFreely(x, y, naive);
}

double Exact::Max(double left, double right) const {
  const double x = Seen(left);
  const double y = Seen(right);
  const bool nan = std::isnan(x) || std::isnan(y);
  const double naive = nan ? FreeNan() : Greater(x, y);
  return nature_ == nullptr ? naive : ExtremumFreely(x, y, naive);
}

// libm of a wider type, rounded to the dtype that the op computes in, then to the result. (glibc's
// f64 tanh is off by up to 2.2 ulp, more than contracts allow.)
double Exact::Call(Function function, double x) const {
  if (nature_ != nullptr) return CallFreely(function, x);
  const ir::Dtype compute = ComputeDtype(result_);
  if (compute == ir::Dtype::kF64) {
    return Round(result_,
                 static_cast<double>(FunctionValue(function, static_cast<long double>(x))));
  }
  return Round(result_, Round(compute, FunctionValue(function, x)));
}

double Exact::CallTwo(Function function, double x, long double y) const {
  if (nature_ != nullptr) return CallTwoFreely(function, x, y);
  const ir::Dtype compute = ComputeDtype(result_);
  const auto near = static_cast<double>(y);
  if (compute == ir::Dtype::kF64 || static_cast<long double>(near) != y) {
    const long double value = FunctionValue(function, static_cast<long double>(x), y);
    return Round(result_, Round(compute, static_cast<double>(value)));
  }
  return Round(result_, Round(compute, FunctionValue(function, x, near)));
}

// The exponent stays an integer: its parity decides the sign, however large it is.
double Exact::Powi(double x, int64_t n) const {
  if (n == 0) return 1;
  if (n == 1) return std::isnan(x) ? FreeNan() : Seen(x);
  if (n == 2) return Mul(x, x);
  if (n == -1) return Div(1, x);
  const double power = CallTwo(Function::kPow, std::fabs(x), static_cast<long double>(n));
  return std::signbit(x) && n % 2 != 0 && !std::isnan(power) ? -power : power;
}

double Exact::Sigmoid(double x) const {
  const ir::Dtype compute = ComputeDtype(result_);
  const Exact inner = On(compute, compute);
  const double t = inner.Call(Function::kExp, -std::fabs(x));
  return Round(result_, inner.Div(x >= 0 ? 1 : t, inner.Add(1, t)));
}

// min(x, 0) - log1p(exp(-|x|)).
double Exact::LogSigmoid(double x) const {
  const ir::Dtype compute = ComputeDtype(result_);
  const Exact inner = On(compute, compute);
  const double t = inner.Call(Function::kExp, -std::fabs(x));
  return Round(result_, inner.Sub(inner.Min(x, 0), inner.Call(Function::kLog1p, t)));
}

// 0.5*x*(1 + erf(x*f32(1/sqrt 2))): ((0.5*x) * (1 + erf(..))).
double Exact::Gelu(double x) const {
  const ir::Dtype compute = ComputeDtype(result_);
  const Exact inner = On(compute, compute);
  const double erf = inner.Call(Function::kErf, inner.Mul(x, kGeluScale));
  return Round(result_, inner.Mul(inner.Mul(0.5, x), inner.Add(1, erf)));
}

int64_t Exact::Div(int64_t x, int64_t y) const {
  if (y == 0) return Wrap(result_, ~uint64_t{0});
  if (ir::IsUnsigned(operand_)) {
    return std::bit_cast<int64_t>(std::bit_cast<uint64_t>(x) / std::bit_cast<uint64_t>(y));
  }
  if (y == -1) return Neg(x);  // INT_MIN / -1 = INT_MIN
  return x / y;
}

int64_t Exact::Rem(int64_t x, int64_t y) const {
  if (y == 0) return x;
  if (ir::IsUnsigned(operand_)) {
    return std::bit_cast<int64_t>(std::bit_cast<uint64_t>(x) % std::bit_cast<uint64_t>(y));
  }
  if (y == -1) return 0;
  const int64_t remainder = x % y;
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

// Wraps; below 0 only 1 and -1 have powers other than 0.
int64_t Exact::Powi(int64_t x, int64_t n) const {
  if (n < 0) {
    if (x == 1) return 1;
    const bool minus_one = ir::IsSigned(operand_) && x == -1;
    return !minus_one ? 0 : n % 2 == 0 ? 1 : -1;
  }
  uint64_t power = 1;
  uint64_t square = Bits(x);
  for (uint64_t left = Bits(n); left != 0; left >>= 1) {
    if ((left & 1) != 0) power *= square;
    square *= square;
  }
  return Wrap(result_, power);
}

int64_t Exact::ShiftLeft(int64_t x, int64_t amount) const {
  const auto width = static_cast<uint64_t>(ir::BitWidth(operand_));
  return Wrap(result_, Bits(x) << (Bits(amount) % width));
}

int64_t Exact::ShiftRight(int64_t x, int64_t amount) const {
  const auto width = static_cast<uint64_t>(ir::BitWidth(operand_));
  const uint64_t by = Bits(amount) % width;
  if (ir::IsSigned(operand_)) return x >> by;
  return std::bit_cast<int64_t>(Bits(x) >> by);
}

// One rounding from the integer. Through f64 it would be two, so the integer is first cut to 52
// significant bits with a sticky bit below, which keeps its place between neighbours and midpoints
// of every narrower format.
double Exact::CastToFloat(int64_t x) const {
  const bool negative = ir::IsSigned(operand_) && x < 0;
  uint64_t magnitude = negative ? 0 - Bits(x) : Bits(x);
  if (result_ != ir::Dtype::kF64) {
    constexpr int kCut = 12;  // 52 bits remain at most
    const uint64_t sticky = (magnitude & ((uint64_t{1} << kCut) - 1)) != 0 ? 1 : 0;
    if (magnitude >> 53 != 0) magnitude = ((magnitude >> kCut) | sticky) << kCut;
  }
  const double value = static_cast<double>(magnitude);
  return Round(result_, negative ? -value : value);
}

// Truncates and saturates; NaN gives 0; to bool: is it anything but 0.
int64_t Exact::CastToInt(double x) const {
  if (result_ == ir::Dtype::kBool) return Seen(x) != 0 ? 1 : 0;  // NaN != 0
  if (std::isnan(x)) return 0;
  const double truncated = std::trunc(x);
  if (truncated <= static_cast<double>(ir::IntMin(result_))) return ir::IntMin(result_);
  const uint64_t max = ir::IntMax(result_);
  // The double nearest to 2^64 - 1 or 2^63 - 1 is the power of two above.
  if (truncated >= static_cast<double>(max)) return std::bit_cast<int64_t>(max);
  if (truncated < 0) return static_cast<int64_t>(truncated);
  return std::bit_cast<int64_t>(static_cast<uint64_t>(truncated));
}

int64_t Exact::CastToInt(int64_t x) const {
  if (result_ == ir::Dtype::kBool) return x != 0 ? 1 : 0;
  return Wrap(result_, Bits(x));
}

}  // namespace faultline::reference
