// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/print.h"

#include "ir/text/data.h"
#include "ir/text/element.h"
#include "ir/text/number.h"

namespace faultline::ir {
namespace {

void AppendType(std::string& out, const Type& type) {
  if (type.quantized()) {
    out += PrintScheme(type.scheme());
  } else {
    out += DtypeName(type.dtype());
  }
  char before = '[';
  for (const int64_t extent : type.shape) {
    out += before;
    AppendInt(out, extent);
    before = ',';
  }
  out += type.shape.rank() == 0 ? "[]" : "]";
}

void AppendName(std::string& out, const Program& program, ValueId value) {
  out += '%';
  out += value < program.values.size() ? std::string_view(program.values[value].name) : "?";
}

void AppendResults(std::string& out, const Program& program, const Statement& statement) {
  bool first = true;
  for (const ValueId value : statement.results) {
    if (!first) out += ", ";
    first = false;
    AppendName(out, program, value);
    out += ": ";
    if (value < program.values.size()) AppendType(out, program.TypeOf(value));
  }
  out += " = ";
}

void AppendOperands(std::string& out, const Program& program, const Statement& statement) {
  for (const ValueId value : statement.operands) {
    out += ' ';
    AppendName(out, program, value);
  }
}

void AppendIntList(std::string& out, std::span<const int64_t> values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendInt(out, values[i]);
  }
  out += ']';
}

void AppendSlices(std::string& out, std::span<const int64_t> flat) {
  out += '[';
  for (size_t i = 0; i + 2 < flat.size(); i += 3) {
    if (i > 0) out += ", ";
    for (size_t k = 0; k < 3; ++k) {
      if (k > 0) out += ':';
      AppendInt(out, flat[i + k]);
    }
  }
  out += ']';
}

void AppendAttribute(std::string& out, const Attributes::Entry& entry) {
  const AttributeInfo& info = InfoOf(entry.key);
  out += ' ';
  out += info.name;
  out += '=';
  const int64_t value = entry.values.empty() ? 0 : entry.values[0];
  switch (info.spelling) {
    case AttributeSpelling::kInt:
      AppendInt(out, value);
      break;
    case AttributeSpelling::kIntList:
      AppendIntList(out, entry.values);
      break;
    case AttributeSpelling::kSliceList:
      AppendSlices(out, entry.values);
      break;
    case AttributeSpelling::kBool:
      out += value != 0 ? "true" : "false";
      break;
    case AttributeSpelling::kWord:
      if (value >= 0 && static_cast<size_t>(value) < info.words.size()) {
        out += info.words[static_cast<size_t>(value)];
      } else {
        out += '?';
      }
      break;
  }
}

void AppendApply(std::string& out, const Program& program, const Statement& statement) {
  out += Mnemonic(statement.op);
  AppendOperands(out, program, statement);
  for (const Scalar& scalar : statement.scalars) {
    out += ' ';
    AppendElement(out, scalar.dtype, scalar.bits);
  }
  for (const Attributes::Entry& entry : statement.attributes.entries()) {
    AppendAttribute(out, entry);
  }
}

ElementType ElementOf(const Program& program, std::span<const ValueId> values) {
  if (values.empty() || values[0] >= program.values.size()) return {};
  return program.TypeOf(values[0]).element;
}

void AppendStatement(std::string& out, const Program& program, const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kInput:
      AppendResults(out, program, statement);
      out += "input ";
      if (statement.data != nullptr) {
        AppendData(out, *statement.data, ElementOf(program, statement.results));
      }
      AppendLayout(out, statement.layout);
      break;
    case StatementKind::kApply:
      AppendResults(out, program, statement);
      AppendApply(out, program, statement);
      break;
    case StatementKind::kClone:
      AppendResults(out, program, statement);
      out += "clone";
      AppendOperands(out, program, statement);
      break;
    case StatementKind::kDrop:
      out += "drop";
      AppendOperands(out, program, statement);
      break;
    case StatementKind::kRead:
      out += "read";
      AppendOperands(out, program, statement);
      break;
    case StatementKind::kStream:
      out += "stream ";
      AppendInt(out, statement.stream);
      break;
    case StatementKind::kSync:
      out += "sync";
      break;
    case StatementKind::kExpect:
      out += "expect";
      AppendOperands(out, program, statement);
      out += " = ";
      if (statement.data != nullptr) {
        AppendData(out, *statement.data, ElementOf(program, statement.operands));
      }
      break;
    case StatementKind::kExpectError:
      out += "expect-error";
      AppendOperands(out, program, statement);
      out += ' ';
      out += StatusCodeName(statement.code);
      break;
  }
}

void AppendHeaderLine(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += "# ";
  out += key;
  out += ": ";
  out += value;
  out += '\n';
}

void AppendHeader(std::string& out, const Header& header) {
  AppendHeaderLine(out, "name", header.name);
  AppendHeaderLine(out, "why", header.why);
  AppendHeaderLine(out, "source", header.source);
  AppendHeaderLine(out, "needs", header.needs);
  std::string decisions;
  for (const Decision& decision : header.decisions) {
    if (!decisions.empty()) decisions += ' ';
    decisions += decision.name;
    decisions += '=';
    AppendInt(decisions, decision.choice);
  }
  AppendHeaderLine(out, "decisions", decisions);
  AppendHeaderLine(out, "status", header.status);
}

}  // namespace

std::string Print(const Program& program) {
  std::string out;
  out.reserve(64 * (program.statements.size() + 1));
  out += "faultline 1\n";
  AppendHeader(out, program.header);
  for (const Statement& statement : program.statements) {
    AppendStatement(out, program, statement);
    out += '\n';
  }
  return out;
}

std::string PrintStatement(const Program& program, const Statement& statement) {
  std::string out;
  AppendStatement(out, program, statement);
  return out;
}

}  // namespace faultline::ir
