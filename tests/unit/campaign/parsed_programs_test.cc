// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/parsed_programs.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/print.h"

namespace faultline::harness {
namespace {

std::string TextOf(int number) {
  return "faultline 1\n%a: i32[] = input [" + std::to_string(number) + "]\nread %a\n";
}

TEST_CASE("a text is parsed once") {
  ParsedPrograms programs;
  const ProgramPtr first = programs.Find(TextOf(1));
  REQUIRE(first != nullptr);
  CHECK(ir::Print(*first) == TextOf(1));
  CHECK(programs.Find(TextOf(1)) == first);
  CHECK(programs.Find(TextOf(2)) != first);
}

TEST_CASE("what is used survives the forgetting of the rest") {
  ParsedPrograms programs;
  const ProgramPtr used = programs.Find(TextOf(0));
  const std::weak_ptr<const ir::Program> unused = programs.Find(TextOf(1));
  for (int i = 2; i < 4000; ++i) {
    REQUIRE(programs.Find(TextOf(i)) != nullptr);
    if (i % 500 == 0) REQUIRE(programs.Find(TextOf(0)) == used);
  }
  CHECK(unused.expired());
}

TEST_CASE("what is no program is none again") {
  ParsedPrograms programs;
  CHECK(programs.Find("not a program") == nullptr);
  CHECK(programs.Find("not a program") == nullptr);
}

}  // namespace
}  // namespace faultline::harness
