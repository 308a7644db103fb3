// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/nature.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/held.h"

namespace faultline::reference {
namespace {

// A term of a dot: a rounded value, or a product that is still to be fused into an addition.
struct Term {
  double value;
  double factor;  // value * factor, unrounded, if fused
  bool fused;
};

// fma in the dtype computed in, which is f32 or f64.
double FusedAdd(ir::Dtype dtype, double a, double b, double c) {
  if (dtype == ir::Dtype::kF64) return Round(dtype, std::fma(a, b, c));
  return Round(dtype, static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b),
                                                   static_cast<float>(c))));
}

}  // namespace

uint64_t Nature::Bits() {
  // SplitMix64 (Steele, Lea and Flood 2014).
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Nature::Within(ir::Dtype dtype, long double exact, double ulp, double bound) {
  if (std::isnan(exact)) return FreeNan();
  const auto near = static_cast<double>(exact);
  double value = Round(dtype, near);
  if (exact == 0 || std::isinf(exact) || std::isinf(value) || ulp == 0) return value;
  // The ulp of the binade in which the exact value lies, even if it is nearly the next one.
  const bool above = std::fabs(static_cast<long double>(near)) > std::fabs(exact);
  const double ulp_of = UlpOf(dtype, above ? std::nextafter(near, 0) : near);
  const auto allowance = static_cast<long double>(ulp) * static_cast<long double>(ulp_of);
  const bool up = Chance(2);
  const bool far = Chance(2);
  // Each step is at least half an ulp, so there are few; without `far` one in two stops.
  while (far || Chance(2)) {
    const double next = up ? NextUp(dtype, value) : NextDown(dtype, value);
    if (std::isinf(next) || std::fabs(next) > bound) break;
    if (std::signbit(next) != std::signbit(near)) break;
    if (std::fabs(static_cast<long double>(next) - exact) > allowance) break;
    value = next;
  }
  return value;
}

double Nature::AnyZero(double value) { return value == 0 && Chance(2) ? -value : value; }

double Nature::Flushed(ir::Dtype dtype, double value) {
  const bool subnormal = value != 0 && std::fabs(value) < FormatOf(dtype).min_normal;
  if (!subnormal || Chance(2)) return value;
  return AnyZero(0.0);
}

double Nature::Sum(ir::Dtype dtype, std::vector<double> terms) {
  if (terms.empty()) return AnyZero(0.0);
  while (terms.size() > 1) {
    std::swap(terms[Bits() % terms.size()], terms.back());
    const double last = terms.back();
    terms.pop_back();
    double& other = terms[Bits() % terms.size()];
    other = Round(dtype, other + last);
  }
  return AnyZero(terms[0]);
}

double Nature::Product(ir::Dtype dtype, std::vector<double> factors) {
  double rest = 1;
  while (!factors.empty()) {
    std::swap(factors[Bits() % factors.size()], factors.back());
    const double last = factors.back();
    factors.pop_back();
    if (factors.empty() || Chance(2)) {
      rest = Round(dtype, rest * last);
    } else {
      double& other = factors[Bits() % factors.size()];
      other = Round(dtype, other * last);
    }
  }
  return rest;
}

double Nature::Dot(ir::Dtype dtype, std::span<const double> a, std::span<const double> b) {
  std::vector<Term> terms;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Chance(2)) {
      terms.push_back({a[i], b[i], true});
    } else {
      terms.push_back({Round(dtype, a[i] * b[i]), 1, false});
    }
  }
  const auto rounded = [dtype](const Term& term) {
    return term.fused ? Round(dtype, term.value * term.factor) : term.value;
  };
  if (terms.empty()) return AnyZero(0.0);
  while (terms.size() > 1) {
    std::swap(terms[Bits() % terms.size()], terms.back());
    const Term last = terms.back();
    terms.pop_back();
    Term& other = terms[Bits() % terms.size()];
    const double sum = last.fused ? FusedAdd(dtype, last.value, last.factor, rounded(other))
                                  : Round(dtype, last.value + rounded(other));
    other = {sum, 1, false};
  }
  return AnyZero(rounded(terms[0]));
}

}  // namespace faultline::reference
