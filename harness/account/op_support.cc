// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/op_support.h"

#include <array>
#include <string>
#include <utility>

#include "reference/contract.h"
#include "reference/kernel.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, 3> kAdmittedNames = {"one", "one, either zero", "set"};

// Kernels see codes and scales as f32.
ir::Dtype SeenDtype(const ir::Type& type) {
  return type.quantized() ? ir::Dtype::kF32 : type.dtype();
}

Admitted AdmittedBy(ir::Opcode op, const SampleApplication& sample) {
  const ir::Dtype result = SeenDtype(sample.results[0]);
  const ir::Dtype operand = sample.operands.empty() ? result : SeenDtype(sample.operands[0]);
  const reference::Contract contract = reference::FusionCpuContract();
  if (!reference::ExactOnPoints(op, sample.attributes, contract, operand, result)) {
    return Admitted::kSet;
  }
  return reference::FreesZero(op, result) ? Admitted::kOneZero : Admitted::kOne;
}

// 0 and 1 where they are indices or flags, small integers elsewhere: legal for every op.
ir::DataPtr SampleData(const ir::Type& type, bool is_index) {
  auto data = std::make_shared<ir::DataSpec>();
  const auto count = static_cast<size_t>(type.NumElements());
  if (type.quantized()) {
    data->form = ir::DataForm::kQuantized;
    for (size_t i = 0; i < count; ++i) data->codes.push_back(static_cast<int32_t>(i + 1));
    data->scales = {0x3f800000};
    return data;
  }
  const bool two = is_index || type.dtype() == ir::Dtype::kBool;
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<int64_t>(two ? i % 2 : i + 1);
    data->elements.push_back(ir::IsFloat(type.dtype())
                                 ? ir::FromDouble(type.dtype(), static_cast<double>(value))
                                 : ir::FromInt(type.dtype(), value));
  }
  return data;
}

}  // namespace

std::string_view AdmittedName(Admitted admitted) {
  return kAdmittedNames[static_cast<size_t>(admitted)];
}

std::vector<OpSupport> FindOpSupport(std::span<const std::unique_ptr<Backend>> backends) {
  std::vector<OpSupport> rows;
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (const ir::Dtype dtype : ir::DtypesOf(info.op)) {
      OpSupport& row = rows.emplace_back();
      row.op = info.op;
      row.dtype = dtype;
      row.sample = MakeSample(info.op, dtype);
      if (!row.sample.has_value()) continue;
      row.admitted = AdmittedBy(info.op, *row.sample);
      for (const auto& backend : backends) {
        row.backends.push_back(backend->Supports(info.op, row.sample->attributes,
                                                 row.sample->operands, row.sample->results));
      }
    }
  }
  return rows;
}

ir::Program SampleProgram(const OpSupport& row) {
  const SampleApplication& sample = *row.sample;
  const bool indexed = ir::InfoOf(row.op).dtype_rule == ir::DtypeRule::kIndexed;
  ir::Program program;
  ir::Statement apply;
  apply.kind = ir::StatementKind::kApply;
  apply.op = row.op;
  apply.scalars = sample.scalars;
  apply.attributes = sample.attributes;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    ir::Statement input;
    input.kind = ir::StatementKind::kInput;
    input.data = SampleData(sample.operands[i], indexed && i == 1);
    input.results = {program.AddValue("a" + std::to_string(i), sample.operands[i])};
    apply.operands.push_back(input.results[0]);
    program.statements.push_back(std::move(input));
  }
  ir::Statement read;
  read.kind = ir::StatementKind::kRead;
  for (size_t i = 0; i < sample.results.size(); ++i) {
    apply.results.push_back(program.AddValue("y" + std::to_string(i), sample.results[i]));
  }
  read.operands = apply.results;
  program.statements.push_back(std::move(apply));
  program.statements.push_back(std::move(read));
  return program;
}

}  // namespace faultline::harness
