// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/element.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "ir/text/number.h"

namespace faultline::ir {
namespace {

TEST_CASE("elements print exactly") {
  CHECK(PrintElement(Dtype::kF32, FromDouble(Dtype::kF32, 3)) == "0x1.8p+1");
  CHECK(PrintElement(Dtype::kF32, FromDouble(Dtype::kF32, -0.0)) == "-0x0p+0");
  CHECK(PrintElement(Dtype::kF32, 1) == "0x1p-149");
  CHECK(PrintElement(Dtype::kF64, 1) == "0x1p-1074");
  CHECK(PrintElement(Dtype::kF64, 3) == "0x1.8p-1073");
  CHECK(PrintElement(Dtype::kF16, 0x7c00) == "inf");
  CHECK(PrintElement(Dtype::kBf16, 0xff80) == "-inf");
  CHECK(PrintElement(Dtype::kI8, 0x80) == "-128");
  CHECK(PrintElement(Dtype::kU64, UINT64_MAX) == "18446744073709551615");
  CHECK(PrintElement(Dtype::kBool, 1) == "true");
}

TEST_CASE("only the canonical quiet NaN prints as nan") {
  CHECK(PrintElement(Dtype::kF64, 0x7ff8000000000000) == "nan");
  CHECK(PrintElement(Dtype::kF32, 0x7fc00000) == "nan");
  CHECK(PrintElement(Dtype::kF16, 0x7e00) == "nan");
  CHECK(PrintElement(Dtype::kBf16, 0x7fc0) == "nan");
  CHECK(PrintElement(Dtype::kF32, 0xffc00000) == "nan(0xffc00000)");
  CHECK(PrintElement(Dtype::kF32, 0x7f800001) == "nan(0x7f800001)");
  CHECK(PrintElement(Dtype::kF16, 0x7c01) == "nan(0x7c01)");
  CHECK(ParseElement(Dtype::kF32, "nan(0x7f800001)") == 0x7f800001);
  CHECK_FALSE(ParseElement(Dtype::kF32, "nan(0x3f800000)").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF16, "nan(0x7fc00000)").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF32, "nan(7fc00000)").has_value());
}

TEST_CASE("printed elements parse to the same bits") {
  std::vector<uint64_t> patterns;
  uint64_t bits = 0x0123456789abcdef;
  for (int i = 0; i < 4000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    patterns.push_back(bits);
  }
  for (const uint64_t edge : {0ull, 1ull, 0x7ffull, 0x000fffffffffffffull})
    patterns.push_back(edge);
  int wrong = 0;
  for (const Dtype dtype : kPlainDtypes) {
    for (const uint64_t pattern : patterns) {
      const int width = BitWidth(dtype);
      uint64_t element = width == 64 ? pattern : pattern >> (64 - width);
      if (dtype == Dtype::kBool) element &= 1;
      if (ParseElement(dtype, PrintElement(dtype, element)) != element) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("data must be representable") {
  CHECK(ParseElement(Dtype::kF32, "3") == FromDouble(Dtype::kF32, 3));
  CHECK(ParseElement(Dtype::kF32, "-0") == 0x80000000);
  CHECK(ParseElement(Dtype::kF32, "0.5") == FromDouble(Dtype::kF32, 0.5));
  CHECK(ParseElement(Dtype::kF32, "25e-2") == FromDouble(Dtype::kF32, 0.25));
  CHECK(ParseElement(Dtype::kF64, "1180591620717411303424") == FromDouble(Dtype::kF64, 0x1p70));
  CHECK_FALSE(ParseElement(Dtype::kF64, "1180591620717411303425").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF64, "0.1").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF32, "16777217").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF16, "65536").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF32, "0x1p-150").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF64, "0x1p-1075").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF64, "0x1p+1024").has_value());
  CHECK_FALSE(ParseElement(Dtype::kF32, "1e999").has_value());
  CHECK_FALSE(ParseElement(Dtype::kI8, "128").has_value());
  CHECK_FALSE(ParseElement(Dtype::kU8, "-1").has_value());
  CHECK_FALSE(ParseElement(Dtype::kI32, "1.0").has_value());
  CHECK_FALSE(ParseElement(Dtype::kBool, "2").has_value());
  CHECK_FALSE(ParseElement(Dtype::kQuantized, "0").has_value());
}

TEST_CASE("what is no number is refused") {
  for (const char* text :
       {"", "-", "0x", "0x1", "0xp+0", "0x1.8.8p+0", "0x1p", "0x1p+", "1.2.3", "e5", "1e", "--1",
        "+1", "0x1p+0 ", "nan()", "infinity", "_", "0X1P+0"}) {
    INFO(text);
    CHECK_FALSE(ParseElement(Dtype::kF32, text).has_value());
    CHECK_FALSE(ParseScalar(Dtype::kF32, text).has_value());
  }
}

TEST_CASE("scalars are rounded once") {
  CHECK(ParseScalar(Dtype::kF32, "0.1") == std::bit_cast<uint32_t>(0.1f));
  CHECK(ParseScalar(Dtype::kF64, "0.1") == std::bit_cast<uint64_t>(0.1));
  CHECK(ParseScalar(Dtype::kF32, "1e999") == std::bit_cast<uint32_t>(HUGE_VALF));
  CHECK(ParseScalar(Dtype::kF16, "65520") == 0x7c00);
  // Half an ULP of f32 above 1, and a trifle: through f64 it would look like a tie.
  CHECK(ParseScalar(Dtype::kF32, "0x1.000001000000000001p+0") == 0x3f800001);
  CHECK(ParseScalar(Dtype::kF32, "0x1.000001p+0") == 0x3f800000);
  CHECK(ParseScalar(Dtype::kF32, "0x1.000000ffffffffffffffp+0") == 0x3f800000);
  CHECK(ParseScalar(Dtype::kF32, "1.000000059604644775390626") == 0x3f800001);
  CHECK(ParseScalar(Dtype::kF32, "1.000000059604644775390625") == 0x3f800000);
  CHECK(ParseScalar(Dtype::kF32, "1.000000059604644775390624") == 0x3f800000);
  CHECK_FALSE(ParseScalar(Dtype::kI32, "1.5").has_value());
  CHECK_FALSE(ParseScalar(Dtype::kI8, "300").has_value());
}

TEST_CASE("long hexfloats round to nearest, ties to even") {
  const auto nearest = [](const char* text) { return ReadNumber(text)->nearest; };
  CHECK(nearest("0x1.00000000000008p+0") == 1);
  CHECK(nearest("0x1.000000000000080001p+0") == 0x1.0000000000001p+0);
  CHECK(nearest("0x1.00000000000018p+0") == 0x1.0000000000002p+0);
  CHECK(nearest("0x1p-1075") == 0);
  CHECK(nearest("0x1.8p-1075") == 0x1p-1074);
  CHECK(nearest("0x1p-5000") == 0);
  CHECK(std::isinf(nearest("0x1p+1024")));
  CHECK(std::isinf(nearest("0x1p+99999999999999999999")));
  CHECK(nearest("0x00000000000000000000001p+0") == 1);
  CHECK(nearest("0x0.0000000000000000000001p+88") == 1);
  CHECK(nearest("0xffffffffffffffffffp+0") == 0x1p72);
  CHECK_FALSE(ReadNumber("0x1.8p-1075")->exact);
  // The nearest double is above a tenth, and below three tenths.
  CHECK(ReadNumber("0.1")->nearest == 0x1.999999999999ap-4);
  CHECK(ReadNumber("0.1")->odd == 0x1.9999999999999p-4);
  CHECK(ReadNumber("0.3")->odd == 0x1.3333333333333p-2);
  CHECK_FALSE(ReadNumber("0.3")->exact);
  CHECK(ReadNumber("0.375")->exact);
  CHECK(ReadNumber("123456789.012345e3")->nearest == 123456789012.345);
  CHECK(ReadNumber("0.0000000000000001")->nearest == 1e-16);
  CHECK(ReadNumber("0x10000000000000000000p-76")->exact);
}

TEST_CASE("representability") {
  CHECK(IsRepresentable(Dtype::kI64, -0x1p63));
  CHECK_FALSE(IsRepresentable(Dtype::kI64, 0x1p63));
  CHECK(IsRepresentable(Dtype::kU64, 0x1p63));
  CHECK_FALSE(IsRepresentable(Dtype::kU8, 256));
  CHECK_FALSE(IsRepresentable(Dtype::kI32, 0.5));
  CHECK_FALSE(IsRepresentable(Dtype::kI32, NAN));
  CHECK(IsRepresentable(Dtype::kF16, NAN));
  CHECK(IsRepresentable(Dtype::kBool, 1));
  CHECK_FALSE(IsRepresentable(Dtype::kBool, 2));
}

TEST_CASE("integers wrap into their width") {
  CHECK(ToInt(Dtype::kI8, FromInt(Dtype::kI8, 130)) == -126);
  CHECK(ToInt(Dtype::kU8, FromInt(Dtype::kU8, -1)) == 255);
  CHECK(ToInt(Dtype::kU64, UINT64_MAX) == -1);
  CHECK(IntScalar(Dtype::kI32, -1).bits == 0xffffffff);
}

TEST_CASE("loads and stores are little-endian and touch their bytes alone") {
  std::byte bytes[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  CHECK(LoadElement(Dtype::kI16, bytes + 1) == 0x0302);
  StoreElement(Dtype::kU16, 0xffff, bytes + 1);
  CHECK(bytes[0] == std::byte{1});
  CHECK(bytes[3] == std::byte{4});
}

}  // namespace
}  // namespace faultline::ir
