// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/reference/describe.h"

#include <catch2/catch.hpp>

#include "ir/parse.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

std::string DescribeAll(const Enclosure& enclosure) {
  std::string text;
  for (int64_t i = 0; i < enclosure.size(); ++i) {
    if (i > 0) text += " ";
    text += enclosure.Describe(i);
  }
  return text;
}

}  // namespace

ir::Program ParseOrFail(const std::string& body) {
  const auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program.has_value() ? std::string() : program.error().Format("test")));
  REQUIRE(program.has_value());
  return *program;
}

std::string DescribeY(const std::string& body, const Contract& contract) {
  const ir::Program program = ParseOrFail(body);
  const ir::ValueId y = *program.Find("y");
  const Evaluation evaluation = Evaluate(program, contract);
  const Evaluated& value = evaluation.values[y];
  // Whatever else is admissible, the naive bits are, unless an index error spoils them.
  if (!value.spoiled()) CHECK(Check(*value.enclosure, evaluation.Naive(y), contract).ok());
  std::string text = DescribeAll(*value.enclosure);
  if (!value.enclosure->type().quantized()) return text;
  text += " |";
  for (const FloatSet& scale : ScaleSets(*value.enclosure)) {
    text += " " + Describe(ir::Dtype::kF32, scale);
  }
  return text;
}

std::string NaiveY(const std::string& body) {
  const ir::Program program = ParseOrFail(body);
  const Evaluation evaluation = Evaluate(program, FusionCpuContract(), {}, {.enclosures = false});
  return DescribeAll(*evaluation.values[*program.Find("y")].enclosure);
}

}  // namespace faultline::reference
