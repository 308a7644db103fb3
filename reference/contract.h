// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a backend promises about its arithmetic: data from which the reference derives the set of
// admissible results. Printed in reports; `--contract FILE` reads the same text.

#ifndef REFERENCE_CONTRACT_H_
#define REFERENCE_CONTRACT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/base/status.h"

namespace faultline::reference {

// Functions that have an accuracy of their own. + - * and fma are always correctly rounded.
enum class Function : uint8_t {
  kExp,
  kLog,
  kTanh,
  kErf,
  kPow,  // of floats and of integer exponents
  kLog1p,
  kSin,
  kCos,
  kTan,
  kSinh,
  kCosh,
  kAsin,
  kAcos,
  kAtan,
  kAsinh,
  kAcosh,
  kAtanh,
  kAtan2,
  kHypot,
};
inline constexpr int kFunctionCount = static_cast<int>(Function::kHypot) + 1;
std::string_view FunctionName(Function function);

using FunctionUlps = std::array<double, kFunctionCount>;
constexpr FunctionUlps EveryFunction(double ulp) {
  FunctionUlps ulps{};
  ulps.fill(ulp);
  return ulps;
}

enum class Softmax : uint8_t { kTwoPass, kOnline };
enum class QuantizeRounding : uint8_t { kHalfEven, kHalfAway, kEither };
enum class NanRule : uint8_t { kPropagate, kEither };       // of min and max
enum class CastRule : uint8_t { kSaturate, kUnspecified };  // float to int outside the range
enum class ReductionOrder : uint8_t { kFixed, kFree };      // fixed: left to right

struct Contract {
  std::string name = "exact";
  // Every reader and consumer of a handle sees the same bits; without it nothing is split.
  bool one_value = true;
  // a*b may reach a following + or - unrounded, outside dots.
  bool contraction = false;
  // A result may be consumed before it is rounded to its dtype.
  bool wider_intermediates = false;
  // Subnormal operands and results may be flushed to zero.
  bool may_flush = false;
  // |sin|, |cos|, |tanh|, |erf| never exceed 1.
  bool bounded_functions = true;
  // Quantize may multiply by fl(1/scale).
  bool reciprocal_scale = false;
  double division_ulp = 0;  // 0: correctly rounded
  double sqrt_ulp = 0;
  FunctionUlps function_ulp = EveryFunction(1);
  ReductionOrder order = ReductionOrder::kFixed;
  Softmax softmax = Softmax::kTwoPass;  // and every other sum of exponentials
  int softmax_blocks = 1;               // of the online form
  QuantizeRounding quantize = QuantizeRounding::kHalfEven;
  NanRule nan_rule = NanRule::kPropagate;
  CastRule cast_rule = CastRule::kSaturate;

  double ulp(Function function) const { return function_ulp[static_cast<size_t>(function)]; }
  bool operator==(const Contract&) const = default;
};

// Ours: see docs of the oracle. Functions within 1 ULP, erf within 2, reductions in any order.
Contract FusionCpuContract();
// What a plug-in without a contract of its own is held to.
Contract PluginDefaultContract();
// The reference adapter: reductions left to right, everything else as pinned.
Contract ExactContract();

// One `key = value` a line, every key, in the order of the struct.
std::string PrintContract(const Contract& contract);
// Reads what PrintContract writes. Keys left out keep the value of `base`; an unknown key, a value
// out of range or a line of another form is kSyntax with its position.
ir::Result<Contract> ParseContract(std::string_view text, const Contract& base);

}  // namespace faultline::reference

#endif  // REFERENCE_CONTRACT_H_
