// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Results that a contract permits of one function at one point, drawn.

#ifndef TESTS_UNIT_REFERENCE_LEGAL_H_
#define TESTS_UNIT_REFERENCE_LEGAL_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/reference/draw.h"

namespace faultline::reference {

// A value of the format computed in, within ulp of the exact one: the nearest, moved by as many
// steps as stay inside.
inline double Legal(Draw& draw, ir::Dtype compute, long double exact, double ulp) {
  if (std::isnan(exact)) return FreeNan();
  const long double infinity = std::numeric_limits<long double>::infinity();
  const FloatFormat& format = FormatOf(compute);
  if (std::fabs(exact) == infinity || exact == 0) return static_cast<double>(exact);
  double value = Round(compute, static_cast<double>(exact));
  if (std::isinf(value)) return value;
  const bool up = draw.Chance(2);
  for (uint64_t steps = draw.Below(3); steps > 0; --steps) {
    const double next = up ? NextUp(compute, value) : NextDown(compute, value);
    if (std::isinf(next)) break;
    const long double allowed =
        static_cast<long double>(ulp) *
        static_cast<long double>(
            UlpOf(compute, std::min(std::fabs(static_cast<double>(exact)), format.max)));
    if (std::fabs(static_cast<long double>(next) - exact) > allowed) break;
    if (std::signbit(next) != std::signbit(static_cast<double>(exact))) break;
    value = next;
  }
  return value;
}

}  // namespace faultline::reference

#endif  // TESTS_UNIT_REFERENCE_LEGAL_H_
