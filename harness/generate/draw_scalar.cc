// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/input_data.h"

namespace faultline::harness {

using ir::Dtype;

ir::Scalar DrawScalar(ChoiceStream& choices, Dtype dtype, ir::Domain domain,
                      uint32_t special_percent) {
  if (dtype == Dtype::kBool) return {dtype, choices.Below(2)};
  if (choices.Percent(special_percent)) return {dtype, choices.Pick(SpecialValues(dtype))};
  const bool positive = domain == ir::Domain::kPositive;
  if (ir::IsFloat(dtype)) {
    constexpr double kPositive[] = {1, 2, 0.5, 3, 0.25, 1.5};
    constexpr double kAny[] = {1, 2, 0.5, -1, 3, -0.5, 0.25, 7, 1.5, -2, 0.1, 100, -0.0, 0};
    return ir::FloatScalar(dtype, positive ? choices.Pick(kPositive) : choices.Pick(kAny));
  }
  const int64_t low = ir::IsSigned(dtype) && !positive ? -8 : 0;
  return ir::IntScalar(dtype,
                       choices.Percent(70) ? choices.Between(low, 8) : choices.Between(low, 100));
}

int64_t DrawExponent(ChoiceStream& choices, Dtype dtype) {
  if (choices.Percent(85)) return choices.Between(-4, 6);
  // Where the parity is beyond f32 or f64, and the limits.
  constexpr int64_t kNarrow[] = {16777217, -16777217, 2147483647, -2147483648, 31, -126};
  constexpr int64_t kWide[] = {9007199254740993, -9007199254740993, INT64_MAX, INT64_MIN};
  return dtype == Dtype::kI64 && choices.OneIn(3) ? choices.Pick(kWide) : choices.Pick(kNarrow);
}

ir::Scalar DrawShift(ChoiceStream& choices, Dtype dtype) {
  const int64_t width = ir::BitWidth(dtype);
  const int64_t amounts[] = {0, 1, 2, 3, width / 2, width - 1, width, width + 1, -1, 64, 2 * width};
  return ir::IntScalar(Dtype::kI64,
                       choices.Percent(60) ? choices.Between(0, width - 1) : choices.Pick(amounts));
}

}  // namespace faultline::harness
