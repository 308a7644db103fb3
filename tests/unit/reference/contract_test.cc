// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/contract.h"

#include <catch2/catch.hpp>

namespace faultline::reference {
namespace {

TEST_CASE("contracts survive their text") {
  for (const Contract& contract : {ExactContract(), FusionCpuContract(), PluginDefaultContract()}) {
    const auto parsed = ParseContract(PrintContract(contract), Contract());
    REQUIRE(parsed.has_value());
    CHECK(*parsed == contract);
  }
}

TEST_CASE("a contract file changes what it names") {
  const auto contract =
      ParseContract("# mine\n\nname = mine\nexp_ulp = 2.5\norder = fixed\ncontraction=true\n",
                    FusionCpuContract());
  REQUIRE(contract.has_value());
  CHECK(contract->name == "mine");
  CHECK(contract->ulp(Function::kExp) == 2.5);
  CHECK(contract->ulp(Function::kErf) == 2);
  CHECK(contract->order == ReductionOrder::kFixed);
  CHECK(contract->contraction);
}

TEST_CASE("a bad contract file is refused with its line") {
  const auto fails_at = [](const char* text, int line) {
    const auto contract = ParseContract(text, Contract());
    return !contract.has_value() && contract.error().code() == ir::StatusCode::kSyntax &&
           contract.error().where().line == line;
  };
  CHECK(fails_at("name = x\nexp_ulps = 1\n", 2));
  CHECK(fails_at("exp_ulp = -1\n", 1));
  CHECK(fails_at("exp_ulp = nan\n", 1));
  CHECK(fails_at("exp_ulp = 1e300\n", 1));
  CHECK(fails_at("order = any\n", 1));
  CHECK(fails_at("one_value = yes\n", 1));
  CHECK(fails_at("softmax_blocks = 0\n", 1));
  CHECK(fails_at("\n\nhello\n", 3));
}

}  // namespace
}  // namespace faultline::reference
