// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/classify.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

ir::Layout WithStrides(std::vector<int64_t> strides, int64_t offset = 0) {
  ir::Layout layout;
  layout.strides = std::move(strides);
  layout.offset = offset;
  return layout;
}

TEST_CASE("kinds of ops come from traits") {
  CHECK(KindOf(ir::Opcode::kAdd) == OpKind::kElementwise);
  CHECK(KindOf(ir::Opcode::kMaskFill) == OpKind::kMask);
  CHECK(KindOf(ir::Opcode::kCast) == OpKind::kCast);
  CHECK(KindOf(ir::Opcode::kZeros) == OpKind::kCreation);
  CHECK(KindOf(ir::Opcode::kFlip) == OpKind::kView);
  CHECK(KindOf(ir::Opcode::kCat) == OpKind::kJoin);
  CHECK(KindOf(ir::Opcode::kSoftmax) == OpKind::kRowwise);
  CHECK(KindOf(ir::Opcode::kDequantize) == OpKind::kDequantize);
  std::set<OpKind> kinds;
  for (const ir::OpInfo& info : ir::AllOps()) kinds.insert(KindOf(info.op));
  // Inputs are no op.
  CHECK(kinds.size() == kOpKindCount - 1);
}

TEST_CASE("layouts are classed by what is strangest about them") {
  const ir::Shape shape = {2, 3};
  CHECK(ClassOf(ir::Layout(), shape) == LayoutClass::kContiguous);
  CHECK(ClassOf(WithStrides({3, 1}), shape) == LayoutClass::kContiguous);
  CHECK(ClassOf(WithStrides({1, 2}), shape) == LayoutClass::kPermuted);
  CHECK(ClassOf(WithStrides({5, 1}), shape) == LayoutClass::kPadded);
  CHECK(ClassOf(WithStrides({3, 1}, 4), shape) == LayoutClass::kOffset);
  CHECK(ClassOf(WithStrides({-3, 1}, 3), shape) == LayoutClass::kNegative);
  CHECK(ClassOf(WithStrides({0, 1}), shape) == LayoutClass::kBroadcast);
  // Nothing walks along an axis of one element.
  CHECK(ClassOf(WithStrides({1000, 1}), ir::Shape{1, 3}) == LayoutClass::kContiguous);
}

TEST_CASE("scheme classes have names of their own") {
  std::set<std::string> names;
  for (int i = 0; i < kSchemeClassCount; ++i) names.insert(SchemeClassName(i));
  CHECK(names.size() == kSchemeClassCount);
  const auto type = ir::ParseType("q4s<block=[4],store=packed_u32(1)>[3,6]");
  REQUIRE(type.has_value());
  CHECK(SchemeClassName(SchemeClassOf(*type)) == "q4s-packed-outer-partial-block");
}

TEST_CASE("mixes of transactions are told apart") {
  const auto program = ir::ParseAndVerify(R"(faultline 1
%f: f32[2] = input [1, 2]
%q: q8s[2] = quantize %f
read
read %f
read %q %q
read %q %f %f
read %f %q
read %f %q %f
)");
  REQUIRE(program.has_value());
  const TransactionMix expected[] = {
      TransactionMix::kEmpty,         TransactionMix::kPlainOnly,
      TransactionMix::kQuantizedOnly, TransactionMix::kQuantizedFirst,
      TransactionMix::kQuantizedLast, TransactionMix::kInterleaved};
  for (size_t i = 0; i < 6; ++i) {
    CHECK(MixOf(*program, program->statements[2 + i]) == expected[i]);
  }
}

TEST_CASE("sizes fall into octaves") {
  CHECK(SizeClass(0) == 0);
  CHECK(SizeClass(1) == 1);
  CHECK(SizeClass(2) == 2);
  CHECK(SizeClass(3) == 3);
  CHECK(SizeClass(4) == 3);
  CHECK(SizeClass(5) == 4);
  CHECK(SizeClass(64) == 7);
  for (const uint64_t size : {0u, 1u, 2u, 4u, 8u, 64u, 4096u}) {
    CHECK(LargestOfSizeClass(SizeClass(size)) == size);
  }
}

}  // namespace
}  // namespace faultline::harness
