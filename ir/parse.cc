// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/parse.h"

#include <array>
#include <string>

#include "ir/text/number.h"
#include "ir/text/parser.h"
#include "ir/verify.h"

namespace faultline::ir {
namespace {

constexpr std::string_view kVersion = "1";

struct HeaderKey {
  std::string_view name;
  std::string Header::*field;
};
// The key `decisions` has a structure of its own.
constexpr std::array<HeaderKey, 5> kHeaderKeys = {{{"name", &Header::name},
                                                   {"why", &Header::why},
                                                   {"source", &Header::source},
                                                   {"needs", &Header::needs},
                                                   {"status", &Header::status}}};

}  // namespace

bool Parser::Fail(std::string message, size_t at, StatusCode code) {
  error_ = Status(code, std::move(message), lexer_.PositionOf(at));
  return false;
}

bool Parser::TakeNext(std::string_view token) {
  lexer_.SkipSpaces();
  return lexer_.Take(token);
}

bool Parser::Expect(std::string_view token) {
  if (TakeNext(token)) return true;
  return Fail("expected '" + std::string(token) + "', found " + lexer_.Found(), lexer_.at());
}

bool Parser::ParseInt(int64_t& value) {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view literal = lexer_.TakeLiteral();
  if (literal.empty()) return Fail("expected an integer, found " + lexer_.Found(), at);
  const auto read = ReadInt(literal);
  if (!read.has_value()) return Fail("'" + std::string(literal) + "' is no 64-bit integer", at);
  value = *read;
  return true;
}

bool Parser::ParseIntInRange(int64_t low, int64_t high, std::string_view what, int64_t& value) {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  if (!ParseInt(value)) return false;
  if (value >= low && value <= high) return true;
  return Fail(std::string(what) + " " + std::to_string(value) + " is not in " +
                  std::to_string(low) + " to " + std::to_string(high),
              at);
}

bool Parser::ParseIntList(std::vector<int64_t>& values) {
  return ParseList([&] {
    int64_t value = 0;
    if (!ParseInt(value)) return false;
    values.push_back(value);
    return true;
  });
}

bool Parser::ParseCodeList(std::vector<int32_t>& values) {
  return ParseList([&] {
    int64_t value = 0;
    if (!ParseIntInRange(INT32_MIN, INT32_MAX, "code", value)) return false;
    values.push_back(static_cast<int32_t>(value));
    return true;
  });
}

bool Parser::ParseLineEnd() {
  lexer_.SkipSpaces();
  if (lexer_.AtLineEnd()) return true;
  return Fail("expected the end of the line, found " + lexer_.Found(), lexer_.at());
}

bool Parser::ParseVersion() {
  if (lexer_.TakeWord() != "faultline" || !lexer_.Take(' ')) {
    return Fail("a program begins with the line 'faultline 1'", 0);
  }
  const size_t at = lexer_.at();
  const std::string_view version = lexer_.TakeLiteral();
  if (version != kVersion) {
    return Fail("format version '" + std::string(version) + "' is not known, only '" +
                    std::string(kVersion) + "' is",
                at);
  }
  return ParseLineEnd();
}

bool Parser::ParseDecisions(std::string_view text, size_t at) {
  while (!text.empty()) {
    const std::string_view token = text.substr(0, text.find(' '));
    const size_t equals = token.rfind('=');
    const auto choice =
        equals == std::string_view::npos ? std::nullopt : ReadInt(token.substr(equals + 1));
    if (equals == 0 || !choice.has_value() || *choice < INT32_MIN || *choice > INT32_MAX) {
      return Fail("'" + std::string(token) + "' is no decision NAME=CHOICE", at);
    }
    program_.header.decisions.push_back(
        {std::string(token.substr(0, equals)), static_cast<int>(*choice)});
    const size_t next = text.find_first_not_of(' ', token.size());
    if (next == std::string_view::npos) return true;
    text.remove_prefix(next);
    at += next;
  }
  return true;
}

bool Parser::ParseHeaderLine() {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view key = lexer_.TakeWord();
  if (key.empty() || !lexer_.Take(':')) {
    return Fail("a line with '#' is a header '# key: value'; there are no other comments", at);
  }
  if (!program_.statements.empty()) {
    return Fail("header '" + std::string(key) + "' comes after the first statement", at);
  }
  size_t number = 0;
  while (number < kHeaderKeys.size() && kHeaderKeys[number].name != key) ++number;
  const bool decisions = key == "decisions";
  if (number == kHeaderKeys.size() && !decisions) {
    return Fail("unknown header key '" + std::string(key) + "'", at);
  }
  if ((header_seen_ >> number & 1) != 0) {
    return Fail("header '" + std::string(key) + "' is there twice", at);
  }
  header_seen_ |= 1u << number;
  lexer_.SkipSpaces();
  const size_t value_at = lexer_.at();
  const std::string_view value = lexer_.TakeRest();
  if (decisions) return ParseDecisions(value, value_at);
  program_.header.*kHeaderKeys[number].field = value;
  return true;
}

bool Parser::ParseProgram() {
  if (!ParseVersion()) return false;
  while (!lexer_.AtEnd()) {
    lexer_.NextLine();
    lexer_.SkipSpaces();
    if (lexer_.AtLineEnd()) continue;
    if (lexer_.Take('#')) {
      if (!ParseHeaderLine()) return false;
    } else if (!ParseStatement() || !ParseLineEnd()) {
      return false;
    }
  }
  return true;
}

bool Parser::ParseWholeType(Type& type) {
  if (!ParseType(type)) return false;
  lexer_.SkipSpaces();
  if (lexer_.AtEnd()) return true;
  return Fail("expected the end of the type, found " + lexer_.Found(), lexer_.at());
}

Result<Program> Parse(std::string_view text) {
  if (text.size() > static_cast<size_t>(kTextBytesMax)) {
    return Error(StatusCode::kSyntax,
                 "text has " + std::to_string(text.size()) + " bytes, above the limit of " +
                     std::to_string(kTextBytesMax),
                 {1, 1});
  }
  Parser parser(text);
  if (!parser.ParseProgram()) return std::unexpected(parser.error());
  return std::move(parser.program());
}

Result<Program> ParseAndVerify(std::string_view text) {
  auto program = Parse(text);
  if (program.has_value()) {
    if (Status status = Verify(*program); !status.ok()) return std::unexpected(std::move(status));
  }
  return program;
}

Result<Type> ParseType(std::string_view text) {
  Parser parser(text);
  Type type;
  if (!parser.ParseWholeType(type)) return std::unexpected(parser.error());
  return type;
}

}  // namespace faultline::ir
