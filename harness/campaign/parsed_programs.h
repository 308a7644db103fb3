// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Programs by their text, so that what libFuzzer picks again and again is parsed and verified once.

#ifndef HARNESS_CAMPAIGN_PARSED_PROGRAMS_H_
#define HARNESS_CAMPAIGN_PARSED_PROGRAMS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/program.h"

namespace faultline::harness {

using ProgramPtr = std::shared_ptr<const ir::Program>;

class ParsedPrograms {
 public:
  // The program of the text, verified and of bounded work; null if it is none.
  ProgramPtr Find(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Map = std::unordered_map<std::string, ProgramPtr, Hash, std::equal_to<>>;

  void Add(std::string text, ProgramPtr program);

  // Two generations: what is found in the old one moves to the new one, and when that is full the
  // old one is forgotten.
  Map recent_;
  Map old_;
};

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_PARSED_PROGRAMS_H_
