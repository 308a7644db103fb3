// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/graph.h"

#include <fmt/format.h>

#include <string_view>

#include "ir/op.h"

namespace faultline::harness {
namespace {

using ir::Statement;
using ir::StatementKind;

std::string_view LabelOf(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kInput:
      return "input";
    case StatementKind::kApply:
      return ir::Mnemonic(statement.op);
    case StatementKind::kClone:
      return "clone";
    case StatementKind::kDrop:
    case StatementKind::kRead:
    case StatementKind::kStream:
    case StatementKind::kSync:
    case StatementKind::kExpect:
    case StatementKind::kExpectError:
      return "";
  }
  return "";
}

}  // namespace

std::string PrintGraph(const ir::Program& program, const PlanTrace& trace) {
  std::string text = "digraph program {\n  node [shape=ellipse];\n";
  int reads = 0;
  for (const Statement& statement : program.statements) {
    for (ir::ValueId result : statement.results) {
      const ir::Value& value = program.values[result];
      text += fmt::format("  \"{}\" [label=\"%{}: {}\\n{}\"];\n", value.name, value.name,
                          ir::PrintType(value.type), LabelOf(statement));
      for (ir::ValueId operand : statement.operands) {
        text += fmt::format("  \"{}\" -> \"{}\";\n", program.values[operand].name, value.name);
      }
    }
    if (statement.kind != StatementKind::kRead) continue;
    // A value's name begins with a letter or '_', so that no value is called "0".
    text += fmt::format("  \"{}\" [label=\"read\", shape=box];\n", reads);
    for (ir::ValueId operand : statement.operands) {
      text += fmt::format("  \"{}\" -> \"{}\";\n", program.values[operand].name, reads);
    }
    ++reads;
  }
  for (size_t i = 0; i < trace.blocks.size(); ++i) {
    text += fmt::format("  subgraph cluster_{} {{ label=\"launch {} ({})\";", i, i,
                        trace.blocks[i].tier);
    for (const std::string& value : trace.blocks[i].values) {
      if (!value.empty()) text += fmt::format(" \"{}\";", value);
    }
    text += " }\n";
  }
  return text + "}\n";
}

}  // namespace faultline::harness
