// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/element.h"
#include "ir/print.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

using ir::Statement;
using ir::StatementKind;

std::string PlainElement(const reference::Evaluated& value, int64_t i) {
  const reference::Enclosure& enclosure = *value.enclosure;
  const reference::Cell cell = value.naive->cells[static_cast<size_t>(i)];
  return ir::PrintElement(enclosure.dtype(), reference::Store(enclosure.dtype(), cell));
}

std::string ExplainValue(const ir::Program& program, ir::ValueId id,
                         const reference::Evaluated& value, int64_t elements_max) {
  const reference::Enclosure& enclosure = *value.enclosure;
  std::string text =
      fmt::format("%{}: {}, {} of {} elements are points\n", program.values[id].name,
                  ir::PrintType(enclosure.type()), enclosure.CountPoints(), enclosure.size());
  const int64_t shown = std::min(elements_max, enclosure.size());
  for (int64_t i = 0; i < shown; ++i) {
    text += fmt::format("  [{}] {}", i, PlainElement(value, i));
    if (!enclosure.IsPoint(i)) text += fmt::format("  in {}", enclosure.Describe(i));
    text += '\n';
  }
  if (shown < enclosure.size()) text += fmt::format("  ... {} more\n", enclosure.size() - shown);
  for (const reference::Spoil& spoil : value.spoils) {
    text += fmt::format("  {} spoiled: {}\n", spoil.certain ? "certainly" : "possibly",
                        spoil.status.message());
  }
  return text;
}

std::string ExplainRead(const ir::Program& program, const Statement& statement,
                        const reference::ReadPrediction& read) {
  std::string text = ir::PrintStatement(program, statement);
  if (read.errors.empty()) return text + ": ok\n";
  for (const reference::Spoil& error : read.errors) {
    text +=
        fmt::format(": {}: {}", ir::StatusCodeName(error.status.code()), error.status.message());
  }
  return text +
         (read.outcome != reference::Outcome::kError && read.may_succeed ? ", or ok\n" : "\n");
}

}  // namespace

std::string ExplainProgram(const ir::Program& program, const reference::Contract& contract,
                           int64_t elements_max) {
  const reference::Evaluation evaluation = reference::Evaluate(program, contract);
  std::string text;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind == StatementKind::kRead) {
      text += ExplainRead(program, statement, evaluation.reads[i]);
    }
    for (ir::ValueId id : statement.results) {
      text += ExplainValue(program, id, evaluation.values[id], elements_max);
    }
  }
  return text;
}

}  // namespace faultline::harness
