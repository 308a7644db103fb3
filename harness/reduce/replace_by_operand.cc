// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Replaces the result of an application by a value of the same type that exists before it: an
// operand first, then any other. Types stay valid because they are equal.

#include <algorithm>

#include "harness/reduce/edit.h"
#include "harness/reduce/search.h"

namespace faultline::harness {
namespace {

// Values made before statement `index` with the type of `value`: operands, then the rest, latest
// first.
std::vector<ir::ValueId> Substitutes(const ir::Program& program, size_t index, ir::ValueId value) {
  const ir::Statement& statement = program.statements[index];
  std::vector<ir::ValueId> ids(statement.operands);
  for (size_t i = index; i-- > 0;) {
    for (ir::ValueId id : program.statements[i].results) ids.push_back(id);
  }
  std::vector<ir::ValueId> substitutes;
  for (ir::ValueId id : ids) {
    if (program.TypeOf(id) != program.TypeOf(value)) continue;
    if (std::ranges::find(substitutes, id) == substitutes.end()) substitutes.push_back(id);
  }
  return substitutes;
}

bool ReplaceResultOf(Search& search, size_t index) {
  const ir::Program program = search.current();
  for (ir::ValueId result : program.statements[index].results) {
    for (ir::ValueId substitute : Substitutes(program, index, result)) {
      if (search.Done()) return false;
      if (search.Try(WithReplacedValue(program, result, substitute))) return true;
    }
  }
  return false;
}

}  // namespace

bool ReplaceByOperand(Search& search) {
  bool any = false;
  for (size_t i = search.current().statements.size(); i-- > 0;) {
    if (i >= search.current().statements.size()) continue;
    const ir::StatementKind kind = search.current().statements[i].kind;
    if (kind != ir::StatementKind::kApply && kind != ir::StatementKind::kClone &&
        kind != ir::StatementKind::kInput) {
      continue;
    }
    any = ReplaceResultOf(search, i) || any;
    if (search.Done()) break;
  }
  return any;
}

}  // namespace faultline::harness
