// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/half.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

namespace faultline::ir {
namespace {

TEST_CASE("every f16 and bf16 survives decoding and encoding") {
  int wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double f16 = DecodeF16(half);
    const double bf16 = DecodeBf16(half);
    if (!std::isnan(f16) && EncodeF16(f16) != half) ++wrong;
    if (!std::isnan(bf16) && EncodeBf16(bf16) != half) ++wrong;
    // bf16 is the upper half of an f32.
    if (!std::isnan(bf16) && bf16 != std::bit_cast<float>(bits << 16)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("encoding rounds half to even between all neighbours") {
  int wrong = 0;
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = DecodeF16(bits);
    const double high = DecodeF16(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    const uint16_t even = (bits & 1) == 0 ? bits : static_cast<uint16_t>(bits + 1);
    if (EncodeF16(middle) != even) ++wrong;
    if (EncodeF16(std::nextafter(middle, 0)) != bits) ++wrong;
    if (EncodeF16(std::nextafter(middle, 1e9)) != bits + 1) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ends of the range") {
  CHECK(EncodeF16(65504) == 0x7bff);
  CHECK(EncodeF16(65519.99) == 0x7bff);
  CHECK(EncodeF16(65520) == 0x7c00);
  CHECK(EncodeF16(-1e300) == 0xfc00);
  CHECK(EncodeF16(0x1p-25) == 0);
  CHECK(EncodeF16(std::nextafter(0x1p-25, 1)) == 1);
  CHECK(EncodeF16(-0.0) == 0x8000);
  CHECK(EncodeF16(-std::nan("")) == 0xfe00);
  CHECK(EncodeBf16(std::nan("")) == 0x7fc0);
  CHECK(EncodeBf16(0x1.fep127) == 0x7f7f);
  CHECK(EncodeBf16(0x1.ffp127) == 0x7f80);
}

}  // namespace
}  // namespace faultline::ir
