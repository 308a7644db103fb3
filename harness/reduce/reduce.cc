// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reduce/reduce.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "harness/reduce/search.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

constexpr std::array<ReductionPass, 8> kPasses = {{
    {"drop_conditions", DropConditions},
    {"drop_statements", DropStatements},
    {"replace_by_operand", ReplaceByOperand},
    {"replace_by_input", ReplaceByInput},
    {"drop_reads", DropReads},
    {"shrink_extents", ShrinkExtents},
    {"simplify_arguments", SimplifyArguments},
    {"simplify_data", SimplifyData},
}};

// How much there is to look at: about two an element that is not zero. Forms of a formula count as
// if they were written out, so that a short list with zeros is simpler than they are.
int64_t ComplexityOf(const ir::DataSpec& data, int64_t elements) {
  constexpr int64_t kWrittenOut = 16;
  const int64_t formula = 2 * std::min(elements, kWrittenOut);
  const auto overrides = static_cast<int64_t>(data.overrides.size()) * 4;
  switch (data.form) {
    case ir::DataForm::kConstant:
      return overrides + (data.elements.empty() || data.elements[0] == 0 ? 0 : 1);
    case ir::DataForm::kIota:
      return formula + 3 + overrides;
    case ir::DataForm::kInts:
      return formula + 4 + overrides;
    case ir::DataForm::kUniform:
    case ir::DataForm::kNormal:
    case ir::DataForm::kLogscale:
      return formula + 5 + overrides;
    case ir::DataForm::kList:
    case ir::DataForm::kCycle:
      return overrides +
             2 * std::ranges::count_if(data.elements, [](uint64_t bits) { return bits != 0; });
    case ir::DataForm::kQuantized:
      return 2 * std::ranges::count_if(data.codes, [](int32_t code) { return code != 0; }) +
             static_cast<int64_t>(data.scales.size());
  }
  return 0;
}

}  // namespace

std::span<const ReductionPass> AllPasses() { return kPasses; }

ProgramSize SizeOf(const ir::Program& program) {
  int64_t applications = 0;
  int64_t elements = 0;
  int64_t complexity = 0;
  for (const ir::Statement& statement : program.statements) {
    if (statement.kind == ir::StatementKind::kApply) ++applications;
    if (statement.kind == ir::StatementKind::kInput) {
      const int64_t count = program.TypeOf(statement.results[0]).NumElements();
      complexity += ComplexityOf(*statement.data, count) + (statement.layout.contiguous() ? 0 : 3);
    }
  }
  for (const ir::Value& value : program.values) {
    elements += value.type.NumElements();
    // Extents count by themselves too, so that those of an empty tensor still shrink.
    for (int64_t extent : value.type.shape) elements += extent;
  }
  const auto conditions =
      static_cast<int64_t>(program.header.needs.size() + program.header.decisions.size() * 8);
  return {applications, static_cast<int64_t>(program.statements.size()), elements, complexity,
          conditions,   static_cast<int64_t>(ir::Print(program).size())};
}

Search::Search(const ir::Program& program, std::string_view key, const Judge& judge,
               const ReduceOptions& options)
    : key_(key),
      judge_(judge),
      options_(options),
      size_(SizeOf(program)),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::milliseconds(static_cast<int64_t>(options.seconds_max * 1000))) {
  result_.program = program;
}

bool Search::Begin() {
  ++result_.judged;
  result_.judgement = judge_(result_.program, options_.run);
  result_.reproduced = result_.judgement.verdict.key == key_;
  return result_.reproduced;
}

bool Search::Done() const {
  return result_.judged >= options_.judged_max || std::chrono::steady_clock::now() >= deadline_;
}

bool Search::Try(ir::Program candidate) {
  if (Done()) return false;
  const ProgramSize size = SizeOf(candidate);
  if (size >= size_) return false;
  const std::string text = ir::Print(candidate);
  if (!tried_.insert(ir::HashText(text)).second) return false;
  if (!ir::Verify(candidate).ok()) return false;
  ++result_.judged;
  Judgement judgement = judge_(candidate, options_.run);
  if (judgement.verdict.key != key_) return false;
  ++result_.accepted;
  result_.program = std::move(candidate);
  result_.judgement = std::move(judgement);
  size_ = size;
  if (options_.progress) options_.progress(pass_, result_.program);
  return true;
}

ReduceResult Reduce(const ir::Program& program, std::string_view key, const Judge& judge,
                    const ReduceOptions& options) {
  Search search(program, key, judge, options);
  if (!search.Begin()) return std::move(search.result());
  bool any = true;
  while (any && !search.Done()) {
    any = false;
    for (const ReductionPass& pass : kPasses) {
      search.set_pass(pass.name);
      any = pass.run(search) || any;
    }
  }
  search.result().minimal = !search.Done();
  return std::move(search.result());
}

}  // namespace faultline::harness
