// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// On generated programs: naive bits lie in the enclosures, and so does every execution that is
// legal under the contract, however nasty.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "ir/print.h"
#include "reference/certificate.h"
#include "reference/evaluate.h"
#include "reference/nature.h"

namespace faultline::reference {
namespace {

constexpr int kPrograms = 1000;

ir::Program ProgramOf(uint64_t seed) {
  harness::ChoiceStream choices(seed);
  return harness::Generate(choices, {});
}

// The first value whose bits are outside its set, or whose indices are no order, described; empty
// if there is none.
std::string FirstEscape(const ir::Program& program, const Evaluation& sets,
                        const std::vector<Evaluated>& execution, const Contract& contract) {
  for (const ir::Statement& statement : program.statements) {
    if (statement.kind != ir::StatementKind::kApply) continue;
    std::vector<ir::HostTensor> tensors;
    for (const ir::ValueId value : statement.results) {
      if (sets.values[value].spoiled() || execution[value].spoiled()) break;
      tensors.push_back(StoreTensor(*execution[value].naive));
      const Membership membership = Check(*sets.values[value].enclosure, tensors.back(), contract);
      if (membership.ok()) continue;
      const Outside& worst = membership.worst[0];
      return "%" + program.values[value].name + " (" + std::string(ir::Mnemonic(statement.op)) +
             ") element " + std::to_string(worst.index) + ": bits " + std::to_string(worst.actual) +
             " not in " + worst.admissible + "\n" + ir::Print(program);
    }
    if (tensors.size() < statement.results.size() || statement.operands.empty()) continue;
    std::vector<const ir::HostTensor*> observed;
    for (const ir::HostTensor& tensor : tensors) observed.push_back(&tensor);
    const auto wrong =
        CheckOrder(statement, *sets.values[statement.operands[0]].consumed, observed, contract);
    if (!wrong.has_value()) continue;
    return std::string(ir::Mnemonic(statement.op)) + " element " + std::to_string(wrong->element) +
           ": " + wrong->reason + "\n" + ir::Print(program);
  }
  return "";
}

void CheckNaiveInside(const Contract& contract) {
  for (int i = 0; i < kPrograms; ++i) {
    const ir::Program program = ProgramOf(static_cast<uint64_t>(i));
    const Evaluation sets = Evaluate(program, contract);
    const std::string escape = FirstEscape(program, sets, sets.values, contract);
    INFO("seed " << i << " " << escape);
    REQUIRE(escape.empty());
  }
  SUCCEED();
}

void CheckLegalInside(const Contract& contract) {
  for (int i = 0; i < kPrograms; ++i) {
    const ir::Program program = ProgramOf(static_cast<uint64_t>(i) + 1000000);
    const Evaluation sets = Evaluate(program, contract);
    for (uint64_t execution = 0; execution < 4; ++execution) {
      Nature nature(execution);
      const Evaluation legal =
          Evaluate(program, contract, {}, {.enclosures = false, .nature = &nature});
      const std::string escape = FirstEscape(program, sets, legal.values, contract);
      INFO("seed " << i + 1000000 << " " << escape);
      REQUIRE(escape.empty());
    }
  }
  SUCCEED();
}

// What is drawn reaches every kernel, or the other cases prove nothing of it.
TEST_CASE("the programs of these tests apply every op") {
  std::set<ir::Opcode> applied;
  for (int i = 0; i < kPrograms; ++i) {
    for (const ir::Statement& statement : ProgramOf(static_cast<uint64_t>(i)).statements) {
      if (statement.kind == ir::StatementKind::kApply) applied.insert(statement.op);
    }
  }
  for (const ir::OpInfo& info : ir::AllOps()) {
    INFO(info.mnemonic);
    CHECK(applied.contains(info.op));
  }
}

TEST_CASE("naive bits lie in the enclosures") {
  CheckNaiveInside(FusionCpuContract());
  CheckNaiveInside(ExactContract());
  CheckNaiveInside(PluginDefaultContract());
}

TEST_CASE("legal executions lie in the enclosures") { CheckLegalInside(FusionCpuContract()); }

TEST_CASE("legal executions of a looser contract lie in its enclosures") {
  Contract contract = FusionCpuContract();
  contract.may_flush = true;
  contract.division_ulp = 2.5;
  contract.sqrt_ulp = 3;
  contract.function_ulp = EveryFunction(3);
  for (const Function function : {Function::kTanh, Function::kSin, Function::kTan}) {
    contract.function_ulp[static_cast<size_t>(function)] = 5;
  }
  for (const Function function : {Function::kErf, Function::kPow, Function::kAtan2}) {
    contract.function_ulp[static_cast<size_t>(function)] = 16;
  }
  contract.bounded_functions = false;
  CheckLegalInside(contract);
}

TEST_CASE("legal executions with unrounded intermediates lie in the enclosures") {
  CheckLegalInside(PluginDefaultContract());
}

}  // namespace
}  // namespace faultline::reference
