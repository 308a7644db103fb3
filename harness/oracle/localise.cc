// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/localise.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/print.h"

namespace faultline::harness {
namespace {

using ir::Statement;
using ir::StatementKind;
using ir::ValueId;

// Whether `value` is `from` or derives from it.
bool DerivesFrom(const ir::Program& program, ValueId value, ValueId from) {
  std::vector<bool> derived(program.values.size(), false);
  derived[from] = true;
  for (const Statement& statement : program.statements) {
    if (statement.kind != StatementKind::kApply && statement.kind != StatementKind::kClone) {
      continue;
    }
    const bool any =
        std::ranges::any_of(statement.operands, [&](ValueId operand) { return derived[operand]; });
    for (ValueId result : statement.results) derived[result] = derived[result] || any;
  }
  return derived[value];
}

}  // namespace

std::string_view LocalisedName(Localised localised) {
  switch (localised) {
    case Localised::kYes:
      return "yes";
    case Localised::kVanished:
      return "vanished";
    case Localised::kMoved:
      return "moved";
  }
  return "";
}

ir::Program ReadEverything(const ir::Program& program) {
  ir::Program out = program;
  out.statements.clear();
  for (const Statement& statement : program.statements) {
    out.statements.push_back(statement);
    for (ValueId result : statement.results) {
      if (out.statements.size() + program.statements.size() > ir::kStatementsMax) break;
      Statement read;
      read.kind = StatementKind::kRead;
      read.operands = {result};
      out.statements.push_back(std::move(read));
    }
  }
  return out;
}

Localisation Localise(const ir::Program& program, const Verdict& verdict, const Judge& judge,
                      const RunOptions& options) {
  Localisation found;
  const Verdict again = judge(ReadEverything(program), options).verdict;
  const std::optional<ValueId> first = program.Find(again.value);
  const std::optional<ValueId> wrong = program.Find(verdict.value);
  if (again.kind == VerdictKind::kAgree || !first.has_value() || !wrong.has_value()) return found;
  const bool same = again.kind == verdict.kind && DerivesFrom(program, *wrong, *first);
  found.localised = same ? Localised::kYes : Localised::kMoved;
  found.value = again.value;
  const int maker = ir::DefiningStatements(program)[*first];
  found.statement = ir::PrintStatement(program, program.statements[static_cast<size_t>(maker)]);
  return found;
}

}  // namespace faultline::harness
