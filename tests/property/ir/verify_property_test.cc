// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>
#include <set>

#include "ir/infer.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "tests/property/ir/damage_program.h"
#include "tests/property/ir/random_program.h"

namespace faultline::ir {
namespace {

TEST_CASE("what the builder makes verifies and covers the table") {
  Dice dice(1);
  std::set<Opcode> ops;
  std::set<StatementKind> kinds;
  for (int i = 0; i < 20000; ++i) {
    const Program program = RandomProgram(dice);
    const Status status = Verify(program);
    if (!status.ok()) FAIL(status.message() << "\n" << Print(program));
    for (const Statement& statement : program.statements) {
      kinds.insert(statement.kind);
      if (statement.kind == StatementKind::kApply) ops.insert(statement.op);
    }
  }
  for (const OpInfo& info : AllOps()) {
    INFO(info.mnemonic);
    CHECK(ops.contains(info.op));
  }
  CHECK(kinds.size() == 9);
}

TEST_CASE("the verifier is total, and what it accepts survives its text") {
  Dice dice(2);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 10000; ++i) {
    Program program = RandomProgram(dice);
    for (int k = dice.Below(3); k >= 0; --k) DamageProgram(program, dice);
    if (!Verify(program).ok()) {
      ++refused;
      continue;
    }
    ++accepted;
    const std::string text = Print(program);
    const auto again = ParseAndVerify(text);
    if (!again.has_value()) FAIL(again.error().Format("") << "\n" << text);
    if (!(*again == program)) FAIL("not the same program after its text\n" << text);
    for (const Statement& statement : program.statements) {
      if (statement.kind != StatementKind::kInput) continue;
      const Type& type = program.TypeOf(statement.results[0]);
      const HostTensor value = Materialize(*statement.data, type);
      if (static_cast<int64_t>(value.bytes.size()) != type.HostBytes())
        FAIL("wrong size\n" << text);
      PlaceInStorage(value, statement.layout, std::byte{0});
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("inference agrees with what it inferred") {
  Dice dice(3);
  int applications = 0;
  for (int i = 0; i < 2000; ++i) {
    const Program program = RandomProgram(dice);
    for (const Statement& statement : program.statements) {
      if (statement.kind != StatementKind::kApply) continue;
      std::vector<Type> operands;
      for (const ValueId id : statement.operands) operands.push_back(program.TypeOf(id));
      std::vector<Type> results;
      for (const ValueId id : statement.results) results.push_back(program.TypeOf(id));
      const auto inferred =
          InferTypes(statement.op, operands, statement.scalars, statement.attributes, results);
      if (!inferred.has_value() || *inferred != results) {
        FAIL(PrintStatement(program, statement));
      }
      MovesCodes(statement.op, statement.attributes, operands, results[0]);
      ++applications;
    }
  }
  CHECK(applications > 4000);
}

}  // namespace
}  // namespace faultline::ir
