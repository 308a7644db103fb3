// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/op.h"

#include <catch2/catch.hpp>
#include <set>

namespace faultline::ir {
namespace {

TEST_CASE("every row is found by its mnemonic") {
  std::set<std::string_view> mnemonics;
  for (const OpInfo& info : AllOps()) {
    INFO(info.mnemonic);
    CHECK(FindOpcode(info.mnemonic) == info.op);
    CHECK(&InfoOf(info.op) == &info);
    CHECK(mnemonics.insert(info.mnemonic).second);
    CHECK_FALSE(info.doc.empty());
  }
  CHECK(static_cast<int>(AllOps().size()) == kOpcodeCount);
  CHECK_FALSE(FindOpcode("reduce_sum").has_value());
}

TEST_CASE("rows agree with themselves") {
  for (const OpInfo& info : AllOps()) {
    INFO(info.mnemonic);
    CHECK(HasTrait(info.op, kCreation) == (info.arity == 0));
    CHECK((info.dtype_rule == DtypeRule::kDeclared) == (info.arity == 0));
    if (info.dtype_rule == DtypeRule::kIndexed || info.dtype_rule == DtypeRule::kMasked ||
        info.dtype_rule == DtypeRule::kExponent) {
      CHECK(info.arity >= 2);
    }
    if (HasTrait(info.op, kCommutative)) CHECK(info.arity == 2);
    CHECK_FALSE(DtypesOf(info.op).empty());
    for (const AttributeKey key : info.attributes()) CHECK(info.Takes(key));
  }
}

TEST_CASE("the dtypes of an op come from its mask") {
  CHECK(DtypesOf(Opcode::kBoolNot) == std::vector<Dtype>{Dtype::kBool});
  CHECK(DtypesOf(Opcode::kQuantize) == std::vector<Dtype>{Dtype::kF32, Dtype::kF16, Dtype::kBf16});
  CHECK(DtypesOf(Opcode::kPermute).size() == 14);
  CHECK(DtypesOf(Opcode::kPermute).back() == Dtype::kQuantized);
}

TEST_CASE("traits answer for lists of ops") {
  CHECK(IsElementwise(Opcode::kAdd));
  CHECK_FALSE(IsElementwise(Opcode::kSum));
  CHECK(MovesBits(Opcode::kSort));
  CHECK(MovesBits(Opcode::kMaskWhere));
  CHECK_FALSE(MovesBits(Opcode::kNeg));
  CHECK(IsLayoutOp(Opcode::kGather));
  CHECK_FALSE(IsLayoutOp(Opcode::kScatter));
}

}  // namespace
}  // namespace faultline::ir
