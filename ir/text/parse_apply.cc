// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "ir/infer.h"
#include "ir/text/parser.h"

namespace faultline::ir {

bool Parser::ParseScalar(Statement& statement, std::string_view literal, size_t at) {
  const OpInfo& info = InfoOf(statement.op);
  const std::string mnemonic(info.mnemonic);
  if (statement.scalars.size() == static_cast<size_t>(info.scalar_count())) {
    return Fail(mnemonic + " takes " + std::to_string(info.scalar_count()) + " scalars, but '" +
                    std::string(literal) + "' is one more",
                at, StatusCode::kInvalidProgram);
  }
  const ValueId typed = statement.operands.empty() ? statement.results[0] : statement.operands[0];
  Dtype first = program_.TypeOf(typed).dtype();
  // A quantized operand is decoded, and the scalar is of what it is decoded to.
  if (first == Dtype::kQuantized) {
    std::vector<Type> types;
    for (const ValueId operand : statement.operands) types.push_back(program_.TypeOf(operand));
    first = ComputeDtype(types);
  }
  const Dtype dtype = info.ScalarDtype(first);
  const auto bits = ir::ParseScalar(dtype, literal);
  if (!bits.has_value()) {
    return Fail("'" + std::string(literal) + "' is no " + std::string(DtypeName(dtype)) +
                    " scalar of " + mnemonic,
                at);
  }
  statement.scalars.push_back({dtype, *bits});
  return true;
}

bool Parser::ParseSlices(std::vector<int64_t>& values) {
  return ParseList([&] {
    for (int k = 0; k < 3; ++k) {
      if (k > 0 && !Expect(":")) return false;
      if (!ParseInt(values.emplace_back())) return false;
    }
    return true;
  });
}

bool Parser::ParseAttributeValue(const AttributeInfo& info, std::vector<int64_t>& values) {
  const size_t at = lexer_.at();
  switch (info.spelling) {
    case AttributeSpelling::kInt:
      return ParseInt(values.emplace_back());
    case AttributeSpelling::kIntList:
      return ParseIntList(values);
    case AttributeSpelling::kSliceList:
      return ParseSlices(values);
    case AttributeSpelling::kBool: {
      const std::string_view word = lexer_.TakeWord();
      if (word != "true" && word != "false") {
        return Fail("'" + std::string(word) + "' is neither true nor false", at);
      }
      values.push_back(word == "true" ? 1 : 0);
      return true;
    }
    case AttributeSpelling::kWord: {
      const std::string_view word = lexer_.TakeWord();
      const auto found = std::ranges::find(info.words, word);
      if (found == info.words.end()) {
        return Fail(std::string(info.name) + " has no choice '" + std::string(word) + "'", at);
      }
      values.push_back(found - info.words.begin());
      return true;
    }
  }
  return false;
}

bool Parser::ParseAttribute(Statement& statement, std::string_view name, size_t at) {
  const OpInfo& op = InfoOf(statement.op);
  for (const AttributeKey key : op.attributes()) {
    const AttributeInfo& info = InfoOf(key);
    if (info.name != name) continue;
    if (statement.attributes.Has(key)) {
      return Fail("attribute " + std::string(name) + " is there twice", at);
    }
    std::vector<int64_t> values;
    if (!ParseAttributeValue(info, values)) return false;
    statement.attributes.Set(key, std::move(values));
    return true;
  }
  return Fail(std::string(op.mnemonic) + " takes no attribute '" + std::string(name) + "'", at,
              StatusCode::kInvalidProgram);
}

bool Parser::ParseApply(Statement& statement, std::string_view mnemonic, size_t at) {
  const auto op = FindOpcode(mnemonic);
  if (!op.has_value()) {
    return Fail("unknown op '" + std::string(mnemonic) + "'", at, StatusCode::kInvalidProgram);
  }
  statement.kind = StatementKind::kApply;
  statement.op = *op;
  if (!ParseOperands(statement)) return false;
  for (lexer_.SkipSpaces(); !lexer_.AtLineEnd(); lexer_.SkipSpaces()) {
    const size_t begin = lexer_.at();
    const std::string_view literal = lexer_.TakeLiteral();
    if (literal.empty()) {
      return Fail("expected a scalar or an attribute, found " + lexer_.Found(), begin);
    }
    if (lexer_.Take('=')) {
      if (!ParseAttribute(statement, literal, begin)) return false;
    } else if (!statement.attributes.empty()) {
      return Fail("scalar '" + std::string(literal) + "' comes after an attribute", begin);
    } else if (!ParseScalar(statement, literal, begin)) {
      return false;
    }
  }
  return true;
}

}  // namespace faultline::ir
