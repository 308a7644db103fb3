// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/program.h"

#include <algorithm>

namespace faultline::ir {

bool Statement::operator==(const Statement& other) const {
  const bool same_data =
      data == other.data || (data != nullptr && other.data != nullptr && *data == *other.data);
  return kind == other.kind && op == other.op && operands == other.operands &&
         results == other.results && scalars == other.scalars && attributes == other.attributes &&
         same_data && layout == other.layout && stream == other.stream && code == other.code;
}

bool Program::operator==(const Program& other) const {
  if (header != other.header || values.size() != other.values.size() ||
      statements.size() != other.statements.size()) {
    return false;
  }
  if (values == other.values) return statements == other.statements;
  std::vector<ValueId> here(other.values.size());
  for (size_t i = 0; i < here.size(); ++i) {
    const auto found = Find(other.values[i].name);
    if (!found.has_value() || values[*found] != other.values[i]) return false;
    here[i] = *found;
  }
  for (size_t i = 0; i < statements.size(); ++i) {
    Statement theirs = other.statements[i];
    for (auto* ids : {&theirs.operands, &theirs.results}) {
      for (ValueId& value : *ids) value = value < here.size() ? here[value] : kNoValue;
    }
    if (statements[i] != theirs) return false;
  }
  return true;
}

ValueId Program::AddValue(std::string name, Type type) {
  values.push_back({std::move(name), type});
  return static_cast<ValueId>(values.size() - 1);
}

std::optional<ValueId> Program::Find(std::string_view name) const {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].name == name) return static_cast<ValueId>(i);
  }
  return std::nullopt;
}

std::string Program::FreshName(std::string_view stem) const {
  std::string name(stem);
  // Counting up from the number of values rarely needs a second try.
  for (size_t n = values.size(); Find(name).has_value(); ++n) {
    name = std::string(stem) + std::to_string(n);
  }
  return name;
}

std::vector<int> DefiningStatements(const Program& program) {
  std::vector<int> definition(program.values.size(), -1);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    for (const ValueId value : program.statements[i].results) {
      definition[value] = static_cast<int>(i);
    }
  }
  return definition;
}

int64_t WorkOf(const Program& program, const Statement& statement) {
  if (statement.kind != StatementKind::kApply) return 0;
  int64_t work = 0;
  for (const auto* side : {&statement.operands, &statement.results}) {
    for (const ValueId value : *side) {
      work = std::max(work, program.TypeOf(value).NumElements());
    }
  }
  if (HasTrait(statement.op, kContraction) && !statement.operands.empty() &&
      !statement.results.empty()) {
    const Shape& left = program.TypeOf(statement.operands[0]).shape;
    const int64_t outputs = program.TypeOf(statement.results[0]).NumElements();
    const int64_t k = left.rank() == 0 ? 1 : left[left.rank() - 1];
    int64_t products = 0;
    if (__builtin_mul_overflow(outputs, k, &products)) products = INT64_MAX;
    work = std::max(work, products);
  }
  return work;
}

int64_t WorkOf(const Program& program) {
  int64_t work = 0;
  for (const Statement& statement : program.statements) {
    if (__builtin_add_overflow(work, WorkOf(program, statement), &work)) return INT64_MAX;
  }
  return work;
}

void CompactValues(Program& program) {
  std::vector<ValueId> renumbered(program.values.size(), kNoValue);
  for (const Statement& statement : program.statements) {
    for (const ValueId value : statement.operands) renumbered[value] = 0;
    for (const ValueId value : statement.results) renumbered[value] = 0;
  }
  std::vector<Value> kept;
  for (size_t i = 0; i < renumbered.size(); ++i) {
    if (renumbered[i] == kNoValue) continue;
    renumbered[i] = static_cast<ValueId>(kept.size());
    kept.push_back(std::move(program.values[i]));
  }
  program.values = std::move(kept);
  for (Statement& statement : program.statements) {
    for (ValueId& value : statement.operands) value = renumbered[value];
    for (ValueId& value : statement.results) value = renumbered[value];
  }
}

uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  return hash;
}

}  // namespace faultline::ir
