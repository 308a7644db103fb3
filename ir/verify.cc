// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/verify.h"

#include <algorithm>
#include <string>

#include "ir/infer.h"

namespace faultline::ir {
namespace {

Status Bad(std::string message, SourcePosition where = {}) {
  return {StatusCode::kInvalidProgram, std::move(message), where};
}

bool IsName(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  return std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Text of a header line survives printing and parsing.
bool IsHeaderText(std::string_view text) {
  if (text.empty()) return true;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return text.front() != ' ' && text.back() != ' ' && std::ranges::none_of(text, control);
}

Status VerifyHeader(const Header& header) {
  for (const auto* text :
       {&header.name, &header.why, &header.source, &header.needs, &header.status}) {
    if (!IsHeaderText(*text)) return Bad("a header line has control characters or outer spaces");
  }
  for (const Decision& decision : header.decisions) {
    if (decision.name.empty() || !IsHeaderText(decision.name) ||
        decision.name.find(' ') != std::string::npos) {
      return Bad("a decision has a name that is empty or has spaces");
    }
  }
  return {};
}

Status VerifyType(const Type& type) {
  if (type.dtype() > Dtype::kQuantized) return Bad("unknown dtype");
  for (const int64_t extent : type.shape) {
    if (extent >= 0 && extent <= kElementsMax) continue;
    return Bad("extent " + std::to_string(extent) + " is not in 0 to " +
               std::to_string(kElementsMax));
  }
  if (type.NumElements() > kElementsMax) {
    return Bad("shape " + PrintShape(type.shape) + " has " + std::to_string(type.NumElements()) +
               " elements, above the limit of " + std::to_string(kElementsMax));
  }
  if (type.quantized()) return VerifyScheme(type.scheme(), type.shape);
  if (type.scheme() != Scheme()) {
    return Bad("dtype " + std::string(DtypeName(type.dtype())) + " has a scheme");
  }
  return {};
}

struct ValueState {
  bool defined = false;
  bool dropped = false;
  bool read = false;
  bool expected = false;
  bool expected_error = false;
};

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), states_(program.values.size()) {}

  Status Run();

 private:
  const std::string& Name(ValueId value) const { return program_.values[value].name; }

  Status VerifyNames();
  Status VerifyStatement(const Statement& statement);
  Status VerifyFields(const Statement& statement);
  Status VerifyIds(const Statement& statement);
  Status VerifyApply(const Statement& statement);
  Status VerifyInput(const Statement& statement);
  Status VerifyExpect(const Statement& statement);
  Status VerifyExpectError(const Statement& statement);
  Status VerifyClone(const Statement& statement);
  Status VerifyRead(const Statement& statement);
  Status VerifyEnd();

  Status Use(ValueId value);
  Status Define(ValueId value);
  Status Charge(int64_t bytes);

  const Program& program_;
  std::vector<ValueState> states_;
  int64_t bytes_ = 0;
  // Reused by every application.
  std::vector<Type> operands_;
  std::vector<Type> declared_;
};

Status Verifier::Run() {
  if (program_.statements.size() > static_cast<size_t>(kStatementsMax)) {
    return Bad(std::to_string(program_.statements.size()) + " statements, above the limit of " +
               std::to_string(kStatementsMax));
  }
  FAULTLINE_RETURN_IF_ERROR(VerifyHeader(program_.header));
  FAULTLINE_RETURN_IF_ERROR(VerifyNames());
  for (const Statement& statement : program_.statements) {
    if (Status status = VerifyStatement(statement); !status.ok()) {
      return status.At(statement.where);
    }
  }
  return VerifyEnd();
}

Status Verifier::VerifyNames() {
  std::vector<std::string_view> names;
  names.reserve(program_.values.size());
  for (const Value& value : program_.values) {
    if (!IsName(value.name)) return Bad("'" + value.name + "' is no value name");
    names.push_back(value.name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return Bad("value %" + std::string(*twice) + " stands for two values");
}

Status Verifier::VerifyStatement(const Statement& statement) {
  FAULTLINE_RETURN_IF_ERROR(VerifyFields(statement));
  FAULTLINE_RETURN_IF_ERROR(VerifyIds(statement));
  switch (statement.kind) {
    case StatementKind::kInput:
      return VerifyInput(statement);
    case StatementKind::kApply:
      return VerifyApply(statement);
    case StatementKind::kClone:
      return VerifyClone(statement);
    case StatementKind::kDrop:
      FAULTLINE_RETURN_IF_ERROR(Use(statement.operands[0]));
      states_[statement.operands[0]].dropped = true;
      return {};
    case StatementKind::kRead:
      return VerifyRead(statement);
    case StatementKind::kStream:
      if (statement.stream >= 0 && statement.stream < kStreamsMax) return {};
      return Bad("stream " + std::to_string(statement.stream) + " is not in 0 to " +
                 std::to_string(kStreamsMax - 1));
    case StatementKind::kSync:
      return {};
    case StatementKind::kExpect:
      return VerifyExpect(statement);
    case StatementKind::kExpectError:
      return VerifyExpectError(statement);
  }
  return Bad("unknown statement");
}

// Each kind has its own fields; the others stay at their defaults, so that what is printed is all.
Status Verifier::VerifyFields(const Statement& statement) {
  if (statement.kind > StatementKind::kExpectError) return Bad("unknown statement");
  using enum StatementKind;
  const StatementKind kind = statement.kind;
  // How many results an application has is for its op to say.
  const size_t results = kind == kInput || kind == kClone ? 1 : 0;
  if (kind == kApply) {
    if (statement.results.empty() || statement.results.size() > static_cast<size_t>(kResultsMax)) {
      return Bad("statement has " + std::to_string(statement.results.size()) +
                 " results, not 1 to " + std::to_string(kResultsMax));
    }
  } else if (statement.results.size() != results) {
    return Bad("statement has " + std::to_string(statement.results.size()) +
               " results, but gives " + std::to_string(results));
  }
  const size_t operands = statement.operands.size();
  const bool one = kind == kClone || kind == kDrop || kind == kExpect || kind == kExpectError;
  const bool any = kind == kApply || kind == kRead;
  if (any ? operands > static_cast<size_t>(kOperandsMax) : operands != (one ? 1 : 0)) {
    return Bad("statement has " + std::to_string(operands) + " operands, but takes " +
               (any ? "at most " + std::to_string(kOperandsMax) : std::to_string(one ? 1 : 0)));
  }
  const bool has_data = kind == kInput || kind == kExpect;
  if (has_data != (statement.data != nullptr)) return Bad("data are missing or not called for");
  if (kind != kApply && (!statement.scalars.empty() || !statement.attributes.empty() ||
                         statement.op != Statement().op)) {
    return Bad("only applications have an op, scalars and attributes");
  }
  if (kind != kInput && statement.layout != Layout()) return Bad("only inputs have a layout");
  if (kind != kStream && statement.stream != 0) return Bad("only stream names a stream");
  if (kind != kExpectError && statement.code != StatusCode::kOk) {
    return Bad("only expect-error has a code");
  }
  return {};
}

Status Verifier::VerifyIds(const Statement& statement) {
  for (const auto* ids : {&statement.operands, &statement.results}) {
    for (const ValueId value : *ids) {
      if (value >= states_.size()) return Bad("value number " + std::to_string(value) + " is none");
    }
  }
  return {};
}

Status Verifier::Use(ValueId value) {
  if (!states_[value].defined) return Bad("value %" + Name(value) + " is used before it is made");
  if (states_[value].dropped) return Bad("value %" + Name(value) + " is used after its drop");
  return {};
}

Status Verifier::Define(ValueId value) {
  if (states_[value].defined) return Bad("value %" + Name(value) + " is made twice");
  const Type& type = program_.TypeOf(value);
  FAULTLINE_RETURN_IF_ERROR(VerifyType(type));
  states_[value].defined = true;
  return Charge(type.HostBytes());
}

Status Verifier::Charge(int64_t bytes) {
  // Both are far below overflow: a verified type has at most kElementsMax elements.
  bytes_ += bytes;
  if (bytes_ <= kProgramBytesMax) return {};
  return Bad("the values so far take " + std::to_string(bytes_) + " bytes, above the limit of " +
             std::to_string(kProgramBytesMax));
}

Status Verifier::VerifyInput(const Statement& statement) {
  const ValueId value = statement.results[0];
  FAULTLINE_RETURN_IF_ERROR(Define(value));
  const Type& type = program_.TypeOf(value);
  if (!statement.data->wildcards.empty()) return Bad("only expect has wildcards");
  FAULTLINE_RETURN_IF_ERROR(VerifyData(*statement.data, type));
  FAULTLINE_RETURN_IF_ERROR(VerifyLayout(statement.layout, *statement.data, type));
  if (statement.layout.contiguous()) return {};
  return Charge(StorageElements(statement.layout, type.shape) * ByteSize(type.dtype()));
}

Status Verifier::VerifyApply(const Statement& statement) {
  if (static_cast<int>(statement.op) >= kOpcodeCount) return Bad("unknown op");
  operands_.clear();
  for (const ValueId value : statement.operands) {
    FAULTLINE_RETURN_IF_ERROR(Use(value));
    operands_.push_back(program_.TypeOf(value));
  }
  declared_.clear();
  for (const ValueId value : statement.results) {
    FAULTLINE_RETURN_IF_ERROR(Define(value));
    declared_.push_back(program_.TypeOf(value));
  }
  auto types =
      InferTypes(statement.op, operands_, statement.scalars, statement.attributes, declared_);
  return types.has_value() ? Status() : std::move(types).error();
}

Status Verifier::VerifyClone(const Statement& statement) {
  FAULTLINE_RETURN_IF_ERROR(Use(statement.operands[0]));
  FAULTLINE_RETURN_IF_ERROR(Define(statement.results[0]));
  const Type& from = program_.TypeOf(statement.operands[0]);
  const Type& to = program_.TypeOf(statement.results[0]);
  if (from == to) return {};
  return Bad("clone: result is declared " + PrintType(to) + ", but is " + PrintType(from));
}

Status Verifier::VerifyRead(const Statement& statement) {
  static_assert(kReadValuesMax == kOperandsMax);
  for (const ValueId value : statement.operands) {
    FAULTLINE_RETURN_IF_ERROR(Use(value));
    states_[value].read = true;
  }
  return {};
}

Status Verifier::VerifyExpect(const Statement& statement) {
  const ValueId value = statement.operands[0];
  ValueState& state = states_[value];
  if (!state.defined) return Bad("value %" + Name(value) + " is expected before it is made");
  if (state.expected) return Bad("value %" + Name(value) + " has two expects");
  state.expected = true;
  return VerifyData(*statement.data, program_.TypeOf(value));
}

Status Verifier::VerifyExpectError(const Statement& statement) {
  const ValueId value = statement.operands[0];
  ValueState& state = states_[value];
  if (!state.defined) return Bad("value %" + Name(value) + " is expected before it is made");
  if (state.expected_error) return Bad("value %" + Name(value) + " has two expect-errors");
  state.expected_error = true;
  using enum StatusCode;
  const StatusCode code = statement.code;
  if (code == kIndexOutOfRange || code == kOutOfMemory || code == kUnsupported ||
      code == kDeviceLost) {
    return {};
  }
  return Bad("no read fails with code " + std::to_string(static_cast<int>(code)));
}

Status Verifier::VerifyEnd() {
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].defined) return Bad("value %" + program_.values[i].name + " is never made");
  }
  for (const Statement& statement : program_.statements) {
    const bool expects =
        statement.kind == StatementKind::kExpect || statement.kind == StatementKind::kExpectError;
    if (expects && !states_[statement.operands[0]].read) {
      return Bad("value %" + Name(statement.operands[0]) + " is expected but never read",
                 statement.where);
    }
  }
  return {};
}

}  // namespace

Status Verify(const Program& program) { return Verifier(program).Run(); }

}  // namespace faultline::ir
