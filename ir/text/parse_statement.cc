// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>

#include "ir/text/parser.h"

namespace faultline::ir {

bool Parser::ParseOperand(Statement& statement) {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  if (!lexer_.Take('%')) return Fail("expected a value, found " + lexer_.Found(), at);
  const std::string_view name = lexer_.TakeWord();
  if (name.empty())
    return Fail("expected the name of a value, found " + lexer_.Found(), lexer_.at());
  const auto value = names_.Find(name);
  if (!value.has_value()) {
    const bool own = std::ranges::find(pending_, name) != pending_.end();
    return Fail("value %" + std::string(name) +
                    (own ? " is used by the statement that makes it" : " is not made so far"),
                at, StatusCode::kInvalidProgram);
  }
  statement.operands.push_back(*value);
  return true;
}

bool Parser::ParseOperands(Statement& statement) {
  for (lexer_.SkipSpaces(); lexer_.Peek() == '%'; lexer_.SkipSpaces()) {
    if (!ParseOperand(statement)) return false;
  }
  return true;
}

bool Parser::ParseResults(Statement& statement) {
  do {
    lexer_.SkipSpaces();
    const size_t at = lexer_.at();
    if (!lexer_.Take('%')) return Fail("expected a result, found " + lexer_.Found(), at);
    const std::string_view name = lexer_.TakeWord();
    if (name.empty())
      return Fail("expected the name of a result, found " + lexer_.Found(), lexer_.at());
    if (names_.Find(name).has_value() || std::ranges::find(pending_, name) != pending_.end()) {
      return Fail("value %" + std::string(name) + " is made twice", at,
                  StatusCode::kInvalidProgram);
    }
    Type type;
    if (!Expect(":") || !ParseType(type)) return false;
    pending_.push_back(name);
    statement.results.push_back(program_.AddValue(std::string(name), type));
  } while (TakeNext(","));
  return Expect("=");
}

bool Parser::ParseDefinition(Statement& statement) {
  if (!ParseResults(statement)) return false;
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view word = lexer_.TakeWord();
  const bool one = statement.results.size() == 1;
  if (word == "input" || word == "clone") {
    if (!one) return Fail(std::string(word) + " has one result", at);
  }
  if (word == "input") {
    statement.kind = StatementKind::kInput;
    auto data = std::make_shared<DataSpec>();
    if (!ParseData(program_.TypeOf(statement.results[0]).element, false, *data)) return false;
    statement.data = std::move(data);
    return ParseLayout(statement.layout);
  }
  if (word == "clone") {
    statement.kind = StatementKind::kClone;
    return ParseOperand(statement);
  }
  if (word.empty()) return Fail("expected an op, found " + lexer_.Found(), at);
  return ParseApply(statement, word, at);
}

bool Parser::ParseExpect(Statement& statement) {
  statement.kind = StatementKind::kExpect;
  if (!ParseOperand(statement) || !Expect("=")) return false;
  auto data = std::make_shared<DataSpec>();
  if (!ParseData(program_.TypeOf(statement.operands[0]).element, true, *data)) return false;
  statement.data = std::move(data);
  return true;
}

bool Parser::ParseExpectError(Statement& statement) {
  statement.kind = StatementKind::kExpectError;
  if (!ParseOperand(statement)) return false;
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view word = lexer_.TakeWord();
  const auto code = FindStatusCode(word);
  if (!code.has_value()) return Fail("unknown status code '" + std::string(word) + "'", at);
  statement.code = *code;
  return true;
}

bool Parser::ParseCommand(Statement& statement) {
  const size_t at = lexer_.at();
  const std::string_view word = lexer_.TakeWord();
  if (word == "read") {
    statement.kind = StatementKind::kRead;
    return ParseOperands(statement);
  }
  if (word == "drop") {
    statement.kind = StatementKind::kDrop;
    return ParseOperand(statement);
  }
  if (word == "sync") {
    statement.kind = StatementKind::kSync;
    return true;
  }
  if (word == "stream") {
    statement.kind = StatementKind::kStream;
    int64_t stream = 0;
    if (!ParseIntInRange(0, kStreamsMax - 1, "stream", stream)) return false;
    statement.stream = static_cast<int>(stream);
    return true;
  }
  if (word == "expect") {
    return lexer_.Take("-error") ? ParseExpectError(statement) : ParseExpect(statement);
  }
  if (word.empty()) return Fail("expected a statement, found " + lexer_.Found(), at);
  return Fail("unknown statement '" + std::string(word) + "'", at);
}

bool Parser::ParseStatement() {
  const size_t at = lexer_.at();
  if (program_.statements.size() == static_cast<size_t>(kStatementsMax)) {
    return Fail("more statements than the limit of " + std::to_string(kStatementsMax), at);
  }
  Statement statement;
  statement.where = lexer_.PositionOf(at);
  pending_.clear();
  if (lexer_.Peek() == '%' ? !ParseDefinition(statement) : !ParseCommand(statement)) return false;
  for (size_t i = 0; i < pending_.size(); ++i) names_.Add(pending_[i], statement.results[i]);
  program_.statements.push_back(std::move(statement));
  return true;
}

}  // namespace faultline::ir
