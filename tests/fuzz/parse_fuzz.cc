// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// libFuzzer target: any bytes give a program that survives its own text, or an error.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/base/check.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

// libFuzzer names it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline::ir;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = Parse(text);
  if (!program.has_value()) {
    FAULTLINE_CHECK(program.error().where().line >= 1, "an error has a position");
    FAULTLINE_CHECK(program.error().where().column >= 1, "an error has a position");
    return 0;
  }
  const std::string printed = Print(*program);
  const auto again = Parse(printed);
  FAULTLINE_CHECK(again.has_value(), "what is printed parses");
  FAULTLINE_CHECK(*again == *program, "it is the same program");
  FAULTLINE_CHECK(Print(*again) == printed, "canonical text prints as it is");
  FAULTLINE_CHECK(Verify(*again).ok() == Verify(*program).ok(), "it verifies alike");
  return 0;
}
