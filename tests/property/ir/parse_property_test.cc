// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "ir/parse.h"
#include "ir/print.h"
#include "tests/property/ir/random_program.h"

namespace faultline::ir {
namespace {

TEST_CASE("printing and parsing are inverse") {
  Dice dice(11);
  for (int i = 0; i < 5000; ++i) {
    const Program program = RandomProgram(dice);
    const std::string text = Print(program);
    const auto again = Parse(text);
    if (!again.has_value()) FAIL(again.error().Format("") << "\n" << text);
    if (!(*again == program)) FAIL("not the same program\n" << text);
    if (Print(*again) != text) FAIL("not the same text\n" << text << "\n" << Print(*again));
  }
  SUCCEED("5000 programs");
}

// One change to a text, of the kinds that an editor, a disk or a fuzzer makes.
void Mutate(std::string& text, Dice& dice) {
  constexpr std::array<std::string_view, 24> kTokens = {
      "%",    "[",   "]",     "<",      "=",      ":",          ",",  "\n",
      "nan(", "0x",  "1e999", "-",      "{",      "codes=[",    "_",  "read ",
      "# ",   "dim", "with",  "expect", "f32[2]", "slices=[0:", "\t", "99999999999999999999"};
  const auto at = text.empty() ? 0 : static_cast<size_t>(dice.Bits() % text.size());
  switch (dice.Below(6)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(dice.Below(256));
      break;
    case 1:
      text.insert(at, dice.Pick(kTokens));
      break;
    case 2:
      text.erase(at, static_cast<size_t>(1 + dice.Below(8)));
      break;
    case 3:
      text.insert(at, text.substr(static_cast<size_t>(dice.Below(static_cast<int>(at) + 1)), 20));
      break;
    case 4:
      text.resize(at);
      break;
    default:
      if (!text.empty()) std::swap(text[at], dice.Pick(text));
  }
}

// Any text gives a program that survives its own text, or an error with a position inside.
bool CheckTotal(const std::string& text) {
  const auto program = ParseAndVerify(text);
  if (!program.has_value()) {
    const SourcePosition where = program.error().where();
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    // A value that is never made belongs to no line.
    if (where.line < 0 || where.line > lines || program.error().message().empty()) {
      FAIL("no position in the text: " << program.error().Format("") << "\n" << text);
    }
    return false;
  }
  const auto again = Parse(Print(*program));
  if (!again.has_value() || !(*again == *program)) FAIL("not the same program\n" << text);
  return true;
}

TEST_CASE("the parser is total on mutated programs") {
  Dice dice(12);
  int accepted = 0;
  constexpr int kTexts = 15000;
  for (int i = 0; i < kTexts; ++i) {
    std::string text = Print(RandomProgram(dice));
    for (int k = dice.Below(4); k >= 0; --k) Mutate(text, dice);
    if (CheckTotal(text)) ++accepted;
  }
  CHECK(accepted > kTexts / 100);
  CHECK(accepted < kTexts);
}

TEST_CASE("the parser is total on bytes") {
  Dice dice(13);
  for (int i = 0; i < 20000; ++i) {
    std::string text = dice.OneIn(2) ? "faultline 1\n" : "";
    for (int k = dice.Below(60); k > 0; --k) {
      text += static_cast<char>(dice.OneIn(2) ? dice.Below(256) : " %:=[]af32\n"[dice.Below(11)]);
    }
    CheckTotal(text);
  }
  SUCCEED("20000 texts");
}

TEST_CASE("the fuzzer's seed is a canonical program") {
  std::ifstream file("tests/fuzz/grammar.fl", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto program = ParseAndVerify(text);
  REQUIRE(program.has_value());
  CHECK(Print(*program) == text);
}

TEST_CASE("every prefix of a program is a program or an error") {
  Dice dice(14);
  for (int i = 0; i < 30; ++i) {
    const std::string text = Print(RandomProgram(dice));
    for (size_t size = 0; size < text.size(); ++size) CheckTotal(text.substr(0, size));
  }
  SUCCEED("all prefixes");
}

}  // namespace
}  // namespace faultline::ir
