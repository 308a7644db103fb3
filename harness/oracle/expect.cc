// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/expect.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/oracle/evidence.h"
#include "ir/element.h"
#include "reference/contract.h"

namespace faultline::harness {
namespace {

using ir::Statement;
using ir::StatementKind;
using ir::Status;
using ir::StatusCode;
using ir::ValueId;
using reference::Enclosure;

// One member, or the two zeros where the sign of a zero is free.
bool IsSingle(const Enclosure& enclosure, int64_t i) {
  if (enclosure.IsPoint(i)) return true;
  if (!enclosure.is_float()) return false;
  const reference::FloatSet set = enclosure.FloatAt(i);
  return set.simple() && set.lo() == 0 && set.hi() == 0;
}

bool IsZero(ir::Dtype dtype, uint64_t bits) {
  return ir::IsFloat(dtype) && ir::ToDouble(dtype, bits) == 0;
}

bool IsAny(const ir::DataSpec& data, int64_t i) {
  const auto k = static_cast<size_t>(i);
  return k < data.wildcards.size() && data.wildcards[k];
}

bool IsExact(const Enclosure& enclosure) {
  return enclosure.AllPoints() && enclosure.HasPointScales();
}

// Whether a read of the value is predicted to succeed.
bool IsReadSuccessfully(const ir::Program& program, const reference::Evaluation& evaluation,
                        ValueId value) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind != StatementKind::kRead) continue;
    if (std::ranges::find(statement.operands, value) == statement.operands.end()) continue;
    const reference::ReadPrediction& read = evaluation.reads[i];
    if (read.outcome != reference::Outcome::kError && read.may_succeed) return true;
  }
  return false;
}

Status VerifyExpect(const ir::Program& program, const reference::Evaluation& evaluation,
                    const Statement& statement) {
  const ValueId value = statement.operands[0];
  const std::string& name = program.values[value].name;
  if (!IsReadSuccessfully(program, evaluation, value)) {
    return {StatusCode::kInvalidProgram, fmt::format("expect on %{}, which no read returns", name),
            statement.where};
  }
  const Enclosure& enclosure = *evaluation.values[value].enclosure;
  const ir::HostTensor expected = ir::Materialize(*statement.data, program.TypeOf(value));
  if (expected.type.quantized()) {
    if (!IsExact(enclosure)) {
      return {StatusCode::kInvalidProgram,
              fmt::format("expect on %{}, whose codes or scales are not points", name),
              statement.where};
    }
    if (evaluation.Naive(value).bytes == expected.bytes) return {};
    return {StatusCode::kInvalidProgram,
            fmt::format("expect on %{} is not what the reference gives", name), statement.where};
  }
  const ir::Dtype dtype = expected.type.dtype();
  for (int64_t i = 0; i < enclosure.size(); ++i) {
    if (IsAny(*statement.data, i)) continue;
    if (!IsSingle(enclosure, i)) {
      return {StatusCode::kInvalidProgram,
              fmt::format("expect on a non-point element: %{} element {} may be {}", name, i,
                          enclosure.Describe(i)),
              statement.where};
    }
    const uint64_t bits = ir::LoadElement(dtype, expected.bytes.data() + i * ir::ByteSize(dtype));
    if (!enclosure.Contains(i, bits)) {
      return {StatusCode::kInvalidProgram,
              fmt::format("expect on %{} element {} is {}, but the reference gives {}", name, i,
                          ir::PrintElement(dtype, bits), enclosure.Describe(i)),
              statement.where};
    }
  }
  return {};
}

// Only index errors follow from a program; the other codes come from how it is run.
Status VerifyExpectError(const ir::Program& program, const reference::Evaluation& evaluation,
                         const Statement& statement) {
  const ValueId value = statement.operands[0];
  if (statement.code != StatusCode::kIndexOutOfRange) return {};
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& read = program.statements[i];
    if (read.kind != StatementKind::kRead) continue;
    if (std::ranges::find(read.operands, value) == read.operands.end()) continue;
    if (evaluation.reads[i].outcome == reference::Outcome::kError) continue;
    return {StatusCode::kInvalidProgram,
            fmt::format("expect-error on %{}, but the reference predicts a read that succeeds",
                        program.values[value].name),
            statement.where};
  }
  return {};
}

}  // namespace

Status VerifyExpects(const ir::Program& program) {
  const bool any = std::ranges::any_of(program.statements, [](const Statement& statement) {
    return statement.kind == StatementKind::kExpect ||
           statement.kind == StatementKind::kExpectError;
  });
  if (!any) return {};
  const reference::Evaluation evaluation =
      reference::Evaluate(program, reference::FusionCpuContract());
  for (const Statement& statement : program.statements) {
    if (statement.kind == StatementKind::kExpect) {
      FAULTLINE_RETURN_IF_ERROR(VerifyExpect(program, evaluation, statement));
    } else if (statement.kind == StatementKind::kExpectError) {
      FAULTLINE_RETURN_IF_ERROR(VerifyExpectError(program, evaluation, statement));
    }
  }
  return {};
}

bool CheckExpect(const ir::Program& program, ValueId value, const reference::Evaluated& evaluated,
                 const ir::HostTensor& tensor, Verdict& verdict) {
  const auto line = std::ranges::find_if(program.statements, [&](const Statement& statement) {
    return statement.kind == StatementKind::kExpect && statement.operands[0] == value;
  });
  if (line == program.statements.end()) return true;
  const Enclosure& enclosure = *evaluated.enclosure;
  const ir::HostTensor expected = ir::Materialize(*line->data, tensor.type);
  const auto fail = [&](std::string message) {
    verdict.kind = VerdictKind::kDivergence;
    verdict.aspect = Aspect::kExpect;
    DescribeValue(program, value, verdict);
    verdict.message = std::move(message);
    return false;
  };
  if (tensor.type.quantized()) {
    if (!IsExact(enclosure) || tensor.bytes == expected.bytes) return true;
    return fail(fmt::format("%{} differs from its expect line", program.values[value].name));
  }
  const ir::Dtype dtype = tensor.type.dtype();
  for (int64_t i = 0; i < enclosure.size(); ++i) {
    if (IsAny(*line->data, i) || !IsSingle(enclosure, i)) continue;
    const int64_t at = i * ir::ByteSize(dtype);
    const uint64_t wanted = ir::LoadElement(dtype, expected.bytes.data() + at);
    const uint64_t got = ir::LoadElement(dtype, tensor.bytes.data() + at);
    if (wanted == got || (IsZero(dtype, wanted) && IsZero(dtype, got))) continue;
    if (ir::IsFloat(dtype) && ir::IsNan(dtype, wanted) && ir::IsNan(dtype, got)) continue;
    return fail(fmt::format("%{} element {} is {}, its expect line says {}",
                            program.values[value].name, i, ir::PrintElement(dtype, got),
                            ir::PrintElement(dtype, wanted)));
  }
  return true;
}

StatusCode ExpectedError(const ir::Program& program, const Statement& read) {
  for (const Statement& statement : program.statements) {
    if (statement.kind != StatementKind::kExpectError) continue;
    if (std::ranges::find(read.operands, statement.operands[0]) != read.operands.end()) {
      return statement.code;
    }
  }
  return StatusCode::kOk;
}

}  // namespace faultline::harness
