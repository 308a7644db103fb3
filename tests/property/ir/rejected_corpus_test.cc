// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// corpus/rejected: each file says in its header what is wrong with it and where.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "ir/parse.h"

namespace faultline::ir {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("every rejected file is rejected as it says") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/rejected")) {
    if (entry.path().extension() != ".fl") continue;
    ++files;
    const std::string text = ReadFile(entry.path());
    constexpr std::string_view kMark = "# status: rejected ";
    const size_t at = text.find(kMark);
    INFO(entry.path());
    REQUIRE(at != std::string::npos);
    std::istringstream claim(text.substr(at + kMark.size()));
    std::string code;
    int line = 0;
    claim >> code >> line;
    const auto program = ParseAndVerify(text);
    REQUIRE_FALSE(program.has_value());
    INFO(program.error().Format(entry.path().string()));
    CHECK(StatusCodeName(program.error().code()) == code);
    CHECK(program.error().where().line == line);
  }
  CHECK(files >= 40);
}

}  // namespace
}  // namespace faultline::ir
