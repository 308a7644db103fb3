// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/scheme.h"

#include <catch2/catch.hpp>
#include <set>

#include "ir/parse.h"
#include "ir/type.h"

namespace faultline::ir {
namespace {

Scheme SchemeOf(std::string_view text) {
  const auto type = ParseType(text);
  REQUIRE(type.has_value());
  REQUIRE(type->quantized());
  return type->scheme();
}

TEST_CASE("schemes print with defaults left out") {
  CHECK(PrintScheme({}) == "q8s");
  for (const char* text :
       {"q8f[]", "q4s<block=[4]>[8,4]", "q2s<store=packed_u32(1)>[8,4]", "q8s<store=native>[3]",
        "e2m1<block=[16],scale=ue4m3,tensor=f32,store=packed_native(0)>[4,32]",
        "e4m3<block=[2,2],scale=ue8m0>[4,4]", "u8<store=native>[3]",
        "i8<block=[3],store=packed_u32(0)>[3]", "q8s<scale=bf16>[2]"}) {
    INFO(text);
    CHECK(PrintType(ParseType(text).value()) == text);
  }
}

TEST_CASE("one scheme has one spelling") {
  CHECK(SchemeOf("q8s<block=[1,1,4]>[2,2,8]") == SchemeOf("q8s<block=[4]>[2,2,8]"));
  CHECK(SchemeOf("q8s<block=[1,1]>[2,8]").block_rank == 1);
  CHECK(SchemeOf("q8s<store=packed_u32(0)>[2]") == Scheme());
  // Without angle brackets i8 and u8 are plain dtypes.
  CHECK_FALSE(ParseType("u8[3]")->quantized());
  CHECK(SchemeOf("u8<store=packed_u32(0)>[3]").asymmetric());
}

TEST_CASE("codes share words row by row") {
  // Each row is padded on its own: [3,3] at 4 bits is 3 words, not 2.
  const Scheme q4 = SchemeOf("q4s[3,3]");
  CHECK(LayoutOf(q4, {3, 3}).code_bytes == 12);
  CHECK(LayoutOf(q4, {3, 9}).code_bytes == 24);
  CHECK(LayoutOf(q4, {}).code_bytes == 4);
  CHECK(LayoutOf(q4, {3, 0}).code_bytes == 0);
  CHECK(LayoutOf(q4, {0, 3}).code_bytes == 0);
  CHECK(LayoutOf(SchemeOf("q2s[17]"), {17}).code_bytes == 8);
  CHECK(LayoutOf(SchemeOf("q8s<store=native>[5]"), {5}).code_bytes == 5);
  CHECK(LayoutOf(SchemeOf("q8s<store=native>[5]"), {5}).scale_offset == 8);
  CHECK(LayoutOf(SchemeOf("q4s<store=packed_u32(1)>[9,3]"), {9, 3}).code_bytes == 24);
}

TEST_CASE("parts follow each other, aligned to four bytes") {
  const Scheme scheme =
      SchemeOf("e2m1<block=[2],scale=ue4m3,tensor=f32,store=packed_native(0)>[3]");
  const QuantizedLayout layout = LayoutOf(scheme, {3});
  CHECK(layout.code_bytes == 2);
  CHECK(layout.scale_offset == 4);
  CHECK(layout.scale_count == 2);
  CHECK(layout.tensor_scale_offset == 8);
  CHECK(layout.total_bytes == 12);
  CHECK(LayoutOf(SchemeOf("u8<store=native>[3]"), {3}).total_bytes == 12);
}

TEST_CASE("an empty tensor has one scale, its blocks none") {
  CHECK(LayoutOf(Scheme(), {0}).scale_count == 1);
  CHECK(LayoutOf(Scheme(), {0}).total_bytes == 4);
  CHECK(LayoutOf(SchemeOf("q8s<block=[4]>[0]"), {0}).scale_count == 0);
}

TEST_CASE("the grid counts partial blocks") {
  CHECK(ScaleGrid(SchemeOf("q8s<block=[4]>[3,9]"), {3, 9}) == Shape{3, 3});
  CHECK(ScaleGrid(SchemeOf("q8s<block=[2,4]>[3,9]"), {3, 9}) == Shape{2, 3});
  CHECK(ScaleGrid(Scheme(), {3, 9}) == Shape{1, 1});
}

TEST_CASE("every code has a place of its own inside the code bytes") {
  for (const char* text :
       {"q4s[3,5]", "q4s<store=packed_u32(1)>[5,3]", "q2f<store=packed_u32(2)>[7,2,3]",
        "q8s<store=native>[3,5]", "e2m1<store=packed_native(1)>[3,5]"}) {
    INFO(text);
    const Type type = ParseType(text).value();
    const int64_t bytes = LayoutOf(type.scheme(), type.shape).code_bytes;
    std::set<std::pair<int64_t, int>> places;
    int64_t index[kRankMax] = {};
    do {
      const CodePlace place = PlaceOfCode(type.scheme(), type.shape, index);
      CHECK(place.byte + place.shift / 8 < bytes);
      places.emplace(place.byte, place.shift);
    } while (NextIndex(type.shape, index));
    CHECK(static_cast<int64_t>(places.size()) == type.NumElements());
  }
}

TEST_CASE("the packed axis decides where neighbours lie") {
  const int64_t second_row[2] = {1, 0};
  const int64_t second_column[2] = {0, 1};
  const Scheme rows = SchemeOf("q4s<store=packed_u32(1)>[8,3]");
  CHECK(PlaceOfCode(rows, {8, 3}, second_row).shift == 4);
  CHECK(PlaceOfCode(rows, {8, 3}, second_row).byte == 0);
  CHECK(PlaceOfCode(rows, {8, 3}, second_column).byte == 4);
}

TEST_CASE("schemes that do not fit are refused") {
  const auto refused = [](std::string_view text, std::string_view why) {
    const Type type = ParseType(text).value();
    const Status status = VerifyScheme(type.scheme(), type.shape);
    INFO(text << " -> " << status.message());
    CHECK(status.message().find(why) != std::string::npos);
  };
  refused("q4s<store=native>[8]", "holds 8-bit values");
  refused("q8s<store=packed_native(0)>[8]", "holds e2m1");
  refused("q8s<store=packed_u32(1)>[8]", "packed dim 1");
  refused("q8s<block=[2,4]>[8]", "block rank 2");
  refused("q8s<block=[4]>[]", "block rank 1");
  refused("q8s<tensor=f32>[8]", "needs blocks");
  refused("q8s<block=[4],tensor=f32>[8]", "ue4m3, f16 or bf16");
  refused("u8<block=[4],scale=f16,tensor=f32>[8]", "symmetric");
  CHECK(VerifyScheme(Scheme(), {}).ok());
}

TEST_CASE("ranges of codes") {
  CHECK(CodeMin(QValue::kQ8f) == -128);
  CHECK(CodeMin(QValue::kQ8s) == -127);
  CHECK(CodeMax(QValue::kQ2f) == 1);
  CHECK(ScaleDivisor(QValue::kQ4f) == 7.5);
  CHECK_FALSE(IsIntegerCode(QValue::kE5m2));
  for (int i = 0; i < kQValueCount; ++i) {
    const auto value = static_cast<QValue>(i);
    CHECK(FindQValue(QValueName(value)) == value);
  }
}

}  // namespace
}  // namespace faultline::ir
