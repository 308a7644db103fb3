// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <vector>

#include "harness/generate/input_data.h"

namespace faultline::harness {
namespace {

using ir::Dtype;

struct FloatLayout {
  int exponent_bits;
  int fraction_bits;
};

FloatLayout LayoutOf(Dtype dtype) {
  switch (ir::BitWidth(dtype)) {
    case 64:
      return {11, 52};
    case 32:
      return {8, 23};
    default:
      return dtype == Dtype::kF16 ? FloatLayout{5, 10} : FloatLayout{8, 7};
  }
}

struct Values {
  std::vector<uint64_t> all;
  std::vector<uint64_t> finite;
};

Values FloatValues(Dtype dtype) {
  const auto [exponent_bits, fraction_bits] = LayoutOf(dtype);
  const uint64_t sign = uint64_t{1} << (exponent_bits + fraction_bits);
  const uint64_t one_ulp = 1;
  const uint64_t fraction = (uint64_t{1} << fraction_bits) - 1;
  const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  const uint64_t quiet = infinity | (uint64_t{1} << (fraction_bits - 1));
  Values values;
  const uint64_t one = ir::FromDouble(dtype, 1);
  values.finite = {0,  // zeros
                   sign,
                   one_ulp,  // least subnormal
                   sign | one_ulp,
                   fraction,      // greatest subnormal
                   fraction + 1,  // least normal
                   sign | (fraction + 1),
                   infinity - 1,  // greatest finite
                   sign | (infinity - 1), one, sign | one,
                   one + 1,                              // neighbours of 1
                   one - 1, ir::FromDouble(dtype, 0.5),  // ties of round
                   ir::FromDouble(dtype, -0.5), ir::FromDouble(dtype, 1.5),
                   ir::FromDouble(dtype, 2.5),
                   // Where exponential functions overflow, underflow or saturate.
                   ir::FromDouble(dtype, 9), ir::FromDouble(dtype, 89), ir::FromDouble(dtype, -89),
                   ir::FromDouble(dtype, -103)};
  // The edge of exact integers, and of the ints that casts saturate to.
  for (const double edge : {2048.0, 65504.0, 16777215.0, 16777216.0, 16777217.0, 2147483647.0,
                            2147483648.0, 9223372036854775807.0}) {
    if (ir::IsRepresentable(dtype, edge)) values.finite.push_back(ir::FromDouble(dtype, edge));
  }
  // Just above a value halfway between two of a narrower format: rounded by way of a third one it
  // becomes the tie, and goes the other way.
  for (const int narrow : {23, 10, 7}) {
    if (narrow >= fraction_bits) continue;
    const uint64_t halfway = one + (uint64_t{1} << (fraction_bits - narrow - 1));
    values.finite.push_back(halfway);
    values.finite.push_back(halfway + one_ulp);
  }
  values.all = values.finite;
  // The one above infinity is a signalling NaN.
  for (const uint64_t bits :
       {quiet, infinity, sign | infinity, quiet | 1, sign | quiet, infinity | 1}) {
    values.all.push_back(bits);
  }
  return values;
}

Values IntValues(Dtype dtype) {
  const int width = ir::BitWidth(dtype);
  const uint64_t keep = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  Values values;
  const auto add = [&](uint64_t bits) { values.finite.push_back(bits & keep); };
  for (const uint64_t bits : {uint64_t{0}, uint64_t{1}, UINT64_MAX, ir::IntMax(dtype),
                              static_cast<uint64_t>(ir::IntMin(dtype)), ir::IntMax(dtype) - 1,
                              static_cast<uint64_t>(ir::IntMin(dtype)) + 1, uint64_t{2},
                              UINT64_MAX - 1, uint64_t{127}, uint64_t{128}}) {
    add(bits);
  }
  // Beyond what f32, i32 and f64 hold exactly.
  if (width >= 32) {
    for (const uint64_t bits : {uint64_t{16777215}, uint64_t{16777217}}) add(bits);
  }
  if (width == 64) {
    for (const uint64_t bits : {(uint64_t{1} << 31) - 1, uint64_t{1} << 31, uint64_t{1} << 32,
                                uint64_t{1} << 53, (uint64_t{1} << 53) + 1}) {
      add(bits);
    }
    // Above halfway between two f32, by less than f64 can tell.
    add((uint64_t{1} << 60) + (uint64_t{1} << 36) + 1);
  }
  values.all = values.finite;
  return values;
}

const Values& ValuesOf(Dtype dtype) {
  static const auto* const kTable = [] {
    auto* table = new std::array<Values, ir::kPlainDtypeCount>;
    for (const Dtype d : ir::kPlainDtypes) {
      Values& values = (*table)[static_cast<size_t>(d)];
      if (d == Dtype::kBool) {
        values.all = values.finite = {0, 1};
      } else {
        values = ir::IsFloat(d) ? FloatValues(d) : IntValues(d);
      }
    }
    return table;
  }();
  return (*kTable)[static_cast<size_t>(dtype)];
}

}  // namespace

std::span<const uint64_t> SpecialValues(Dtype dtype) { return ValuesOf(dtype).all; }
std::span<const uint64_t> FiniteSpecialValues(Dtype dtype) { return ValuesOf(dtype).finite; }

}  // namespace faultline::harness
