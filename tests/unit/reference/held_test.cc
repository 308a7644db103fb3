// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/held.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Finite values of a 16-bit format, ascending, one zero.
std::vector<double> FiniteValues(Dtype dtype) {
  std::vector<double> values;
  for (int sign = 1; sign >= 0; --sign) {
    for (uint32_t k = 0; k < 0x8000; ++k) {
      const uint32_t magnitude = sign == 1 ? 0x7fff - k : k;
      const double value = AsFloat(Hold(dtype, magnitude | (sign == 1 ? 0x8000u : 0u)));
      if (std::isfinite(value) && !(value == 0 && sign == 1)) values.push_back(value);
    }
  }
  return values;
}

TEST_CASE("16-bit elements survive being held") {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    int failures = 0;
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      if (Store(dtype, Hold(dtype, bits)) != bits) ++failures;
    }
    CHECK(failures == 0);
  }
  CHECK(AsFloat(Hold(Dtype::kF16, 0x3c00)) == 1);
  CHECK(AsFloat(Hold(Dtype::kF16, 0x0001)) == 0x1p-24);
  CHECK(AsFloat(Hold(Dtype::kF16, 0x7bff)) == 65504);
  CHECK(AsFloat(Hold(Dtype::kBf16, 0x3f80)) == 1);
  CHECK(AsFloat(Hold(Dtype::kBf16, 0x0001)) == 0x1p-133);
}

TEST_CASE("f32 and f64 elements survive being held, NaN payloads included") {
  std::mt19937_64 random(1);
  int failures = 0;
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t bits = random();
    if (Store(Dtype::kF32, Hold(Dtype::kF32, bits & 0xffffffff)) != (bits & 0xffffffff)) ++failures;
    if (Hold(Dtype::kF64, bits) != bits) ++failures;
  }
  CHECK(failures == 0);
  CHECK(Store(Dtype::kF32, Hold(Dtype::kF32, 0x7f800001)) == 0x7f800001);  // signalling
  CHECK(Store(Dtype::kF32, kFreeNan) == 0x7fc00000);
}

TEST_CASE("ints are held with their sign") {
  CHECK(AsInt(Hold(Dtype::kI8, 0x80)) == -128);
  CHECK(AsInt(Hold(Dtype::kU8, 0x80)) == 128);
  CHECK(AsInt(Hold(Dtype::kU64, UINT64_MAX)) == -1);
  CHECK(Store(Dtype::kI16, ToCell(int64_t{-1})) == 0xffff);
  CHECK(Hold(Dtype::kBool, 7) == 1);
}

// Exhaustive over neighbours: the midpoint goes to the even one, what is on either side of it to
// the nearer one.
TEST_CASE("rounding to 16-bit formats is to nearest, ties to even") {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    const std::vector<double> values = FiniteValues(dtype);
    int failures = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const double a = values[i];
      const double b = values[i + 1];
      const double middle = a / 2 + b / 2;
      const bool a_even = (Store(dtype, ToCell(a)) & 1) == 0;
      if (Round(dtype, a) != a) ++failures;
      if (Round(dtype, middle) != (a_even ? a : b)) ++failures;
      if (Round(dtype, std::nextafter(middle, -kInfinity)) != a) ++failures;
      if (Round(dtype, std::nextafter(middle, kInfinity)) != b) ++failures;
    }
    CHECK(failures == 0);
    const FloatFormat& format = FormatOf(dtype);
    CHECK(Round(dtype, format.threshold) == kInfinity);
    CHECK(Round(dtype, std::nextafter(format.threshold, 0)) == format.max);
    CHECK(Round(dtype, -format.threshold) == -kInfinity);
    CHECK(std::signbit(Round(dtype, -format.min_subnormal / 4)));
    CHECK(Round(dtype, kInfinity) == kInfinity);
    CHECK(ToCell(Round(dtype, std::nan(""))) == kFreeNan);
  }
}

TEST_CASE("steps and directed rounding agree with the list of values") {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    const std::vector<double> values = FiniteValues(dtype);
    int failures = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const double a = values[i];
      const double b = values[i + 1];
      if (NextUp(dtype, a) != b) ++failures;
      if (NextDown(dtype, b) != a) ++failures;
      const double inside = a + (b - a) / 4;
      if (RoundDown(dtype, inside) != a) ++failures;
      if (RoundUp(dtype, inside) != b) ++failures;
      if (RoundDown(dtype, b) != b) ++failures;
    }
    CHECK(failures == 0);
    CHECK(NextUp(dtype, FormatOf(dtype).max) == kInfinity);
    CHECK(RoundDown(dtype, kInfinity) == FormatOf(dtype).max);
  }
  CHECK(std::signbit(NextUp(Dtype::kF32, -0x1p-149)));
  std::mt19937 random(2);
  int failures = 0;
  for (int i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const float up = std::nextafterf(value, std::numeric_limits<float>::infinity());
    if (NextUp(Dtype::kF32, double{value}) != double{up}) ++failures;
  }
  CHECK(failures == 0);
}

// One operation in f64, rounded once, is what the hardware's f32 gives: the theorem that the
// algebra of points rests on, on random bit patterns and on close and subnormal operands.
TEST_CASE("f32 arithmetic through f64 is correctly rounded") {
  std::mt19937 random(3);
  int failures = 0;
  const auto same = [](double ours, float hardware) {
    return std::isnan(hardware) ? std::isnan(ours) : ToCell(ours) == ToCell(double{hardware});
  };
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits[2] = {static_cast<uint32_t>(random()), static_cast<uint32_t>(random())};
    if (i % 3 == 1) bits[1] = (bits[1] & 0x807fffff) | (bits[0] & 0x7f800000);
    if (i % 3 == 2) bits[0] &= 0x80ffffff;
    const auto x = std::bit_cast<float>(bits[0]);
    const auto y = std::bit_cast<float>(bits[1]);
    const double a = double{x};
    const double b = double{y};
    if (!same(Round(Dtype::kF32, a + b), x + y)) ++failures;
    if (!same(Round(Dtype::kF32, a - b), x - y)) ++failures;
    if (!same(Round(Dtype::kF32, a * b), x * y)) ++failures;
    if (!same(Round(Dtype::kF32, a / b), x / y)) ++failures;
    if (!same(Round(Dtype::kF32, std::sqrt(a)), std::sqrt(x))) ++failures;
  }
  CHECK(failures == 0);
}

// f16 and bf16 ops widen to f32 and round once at the output; one operation directly rounded is the
// same thing, subnormal results included.
TEST_CASE("16-bit arithmetic may be rounded directly") {
  std::mt19937 random(4);
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    int failures = 0;
    for (int i = 0; i < 1000000; ++i) {
      const uint32_t mask = i % 2 == 0 ? 0xffff : 0x83ff;  // half of them small
      const double a = AsFloat(Hold(dtype, random() & mask));
      const double b = AsFloat(Hold(dtype, random() & 0xffff));
      const auto by_f32 = [dtype](double value) { return Round(dtype, Round(Dtype::kF32, value)); };
      for (const double value : {a + b, a - b, a * b, a / b, std::sqrt(a)}) {
        if (ToCell(Round(dtype, value)) != ToCell(by_f32(value))) ++failures;
      }
    }
    CHECK(failures == 0);
  }
}

}  // namespace
}  // namespace faultline::reference
