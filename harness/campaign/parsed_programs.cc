// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/parsed_programs.h"

#include <utility>

#include "harness/generate/generate.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

// Together about the corpus of a campaign, at some 20 KB a program.
constexpr size_t kGenerationSize = 1024;

}  // namespace

ProgramPtr ParsedPrograms::Find(std::string_view text) {
  if (const auto found = recent_.find(text); found != recent_.end()) return found->second;
  ProgramPtr program;
  if (const auto found = old_.find(text); found != old_.end()) {
    program = found->second;
  } else {
    ir::Result<ir::Program> parsed = ir::ParseAndVerify(text);
    // The bound on work makes a timeout a fault, not a large program.
    if (!parsed || ir::WorkOf(*parsed) > kWorkMax) return nullptr;
    program = std::make_shared<const ir::Program>(std::move(*parsed));
  }
  Add(std::string(text), program);
  return program;
}

void ParsedPrograms::Add(std::string text, ProgramPtr program) {
  if (recent_.size() >= kGenerationSize) {
    old_ = std::move(recent_);
    recent_.clear();
  }
  recent_.insert_or_assign(std::move(text), std::move(program));
}

}  // namespace faultline::harness
