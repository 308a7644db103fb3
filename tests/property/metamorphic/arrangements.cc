// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Generated programs arranged anew: syncs, transactions, clones, streams, and copies in place of
// views. The bits must not change.

#include <algorithm>
#include <array>
#include <vector>

#include "harness/generate/choice_stream.h"
#include "ir/print.h"
#include "tests/property/metamorphic/identity.h"

namespace faultline::harness {
namespace {

using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::ValueId;

// Adds what becomes of one statement.
using Arrange = void (*)(const Statement& statement, ChoiceStream& choices, Program& out);

Statement Bare(StatementKind kind) {
  Statement statement;
  statement.kind = kind;
  return statement;
}

void WithSync(const Statement& statement, ChoiceStream& choices, Program& out) {
  out.statements.push_back(statement);
  if (choices.Percent(40)) out.statements.push_back(Bare(StatementKind::kSync));
}

void ReadApart(const Statement& statement, ChoiceStream&, Program& out) {
  if (statement.kind != StatementKind::kRead || statement.operands.size() < 2) {
    out.statements.push_back(statement);
    return;
  }
  for (const ValueId value : statement.operands) {
    Statement read = Bare(StatementKind::kRead);
    read.operands = {value};
    out.statements.push_back(read);
  }
}

void WithClone(const Statement& statement, ChoiceStream& choices, Program& out) {
  Statement apply = statement;
  if (statement.kind == StatementKind::kApply) {
    for (ValueId& operand : apply.operands) {
      if (!choices.Percent(50)) continue;
      Statement clone = Bare(StatementKind::kClone);
      const ir::Type type = out.TypeOf(operand);
      clone.operands = {operand};
      clone.results = {out.AddValue(out.FreshName("clone"), type)};
      operand = clone.results[0];
      out.statements.push_back(clone);
    }
  }
  out.statements.push_back(apply);
}

void OnStream(const Statement& statement, ChoiceStream& choices, Program& out) {
  if (statement.kind == StatementKind::kStream) return;
  Statement stream = Bare(StatementKind::kStream);
  stream.stream = static_cast<int>(choices.Below(3));
  out.statements.push_back(stream);
  out.statements.push_back(statement);
}

template <Arrange arrange>
Broken Rearranged(Backend& backend, uint64_t seed) {
  const Program program = GenerateFor(backend, seed);
  Program other;
  other.header = program.header;
  other.values = program.values;
  ChoiceStream choices(seed);
  for (const Statement& statement : program.statements) arrange(statement, choices, other);
  const auto before = RunFor(program, backend);
  const auto after = RunFor(other, backend);
  if (!before.has_value() || !after.has_value()) return std::nullopt;
  const std::string difference = Difference(*before, *after);
  return difference.empty() ? "" : difference + "\n" + ir::Print(other);
}

ir::DataPtr DataOf(const ir::HostTensor& tensor) {
  auto data = std::make_shared<ir::DataSpec>();
  const ir::Dtype dtype = tensor.type.dtype();
  const auto bytes = static_cast<size_t>(ir::ByteSize(dtype));
  for (size_t at = 0; at < tensor.bytes.size(); at += bytes) {
    data->elements.push_back(ir::LoadElement(dtype, tensor.bytes.data() + at));
  }
  return data;
}

bool IsPlainView(const Program& program, const Statement& statement) {
  return statement.kind == StatementKind::kApply && ir::IsView(statement.op) &&
         !program.TypeOf(statement.results[0]).quantized();
}

// Where order is free the layout of an operand may decide it: such values, and what follows from
// them, are not compared.
std::vector<bool> OrderMatters(const Program& program) {
  std::vector<bool> matters(program.values.size(), false);
  for (const Statement& statement : program.statements) {
    if (statement.kind != StatementKind::kApply && statement.kind != StatementKind::kClone)
      continue;
    bool free = std::ranges::any_of(statement.operands, [&](ValueId v) { return matters[v]; });
    if (statement.kind == StatementKind::kApply) {
      const ir::AccuracyClass accuracy = ir::InfoOf(statement.op).accuracy;
      const bool sums =
          accuracy == ir::AccuracyClass::kAccumulate ||
          (accuracy == ir::AccuracyClass::kFormula && !ir::IsElementwise(statement.op));
      const ir::Dtype dtype = program.TypeOf(statement.results[0]).dtype();
      free = free || (sums && !ir::IsInt(dtype) && dtype != ir::Dtype::kBool);
    }
    for (const ValueId result : statement.results) matters[result] = free;
  }
  return matters;
}

Broken CopiedViews(Backend& backend, uint64_t seed) {
  const Program program = GenerateFor(backend, seed);
  Program observed = program;
  observed.statements.clear();
  for (const Statement& statement : program.statements) {
    observed.statements.push_back(statement);
    if (!IsPlainView(program, statement)) continue;
    Statement read = Bare(StatementKind::kRead);
    read.operands = statement.results;
    observed.statements.push_back(read);
  }
  const auto seen = RunFor(observed, backend);
  if (!seen.has_value()) return std::nullopt;
  Program copied = program;
  copied.statements.clear();
  for (const Statement& statement : program.statements) {
    if (!IsPlainView(program, statement)) {
      copied.statements.push_back(statement);
      continue;
    }
    // One input a result: a split has several.
    for (const ValueId result : statement.results) {
      Statement input = Bare(StatementKind::kInput);
      input.results = {result};
      input.data = DataOf(seen->at(program.values[result].name));
      copied.statements.push_back(std::move(input));
    }
  }
  auto before = RunFor(program, backend);
  const auto after = RunFor(copied, backend);
  if (!before.has_value() || !after.has_value()) return std::nullopt;
  const std::vector<bool> loose = OrderMatters(program);
  for (ValueId value = 0; value < program.values.size(); ++value) {
    if (loose[value]) before->erase(program.values[value].name);
  }
  const std::string difference = Difference(*before, *after);
  return difference.empty() ? "" : difference + "\n" + ir::Print(program);
}

constexpr auto kIdentities = std::to_array<Identity>({
    {"a sync anywhere", "alias_before_last_read", Rearranged<WithSync>},
    {"transactions split", "transaction_groups_kinds", Rearranged<ReadApart>},
    {"clones as operands", "alias_of_shared_buffer", Rearranged<WithClone>},
    {"other streams", "alias_of_other_index", Rearranged<OnStream>},
    {"a view is a copy", "row_of_view_not_permuted", CopiedViews},
});

}  // namespace

std::span<const Identity> ArrangementIdentities() { return kIdentities; }

}  // namespace faultline::harness
