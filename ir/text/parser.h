// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The grammar of program-text, one method a construct. Methods return whether they succeeded; the
// first failure is kept with its position, and nothing is read after it. ir/parse.h is the entry.

#ifndef IR_TEXT_PARSER_H_
#define IR_TEXT_PARSER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"
#include "ir/text/lexer.h"
#include "ir/text/name_table.h"

namespace faultline::ir {

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  bool ParseProgram();
  // A type and nothing else.
  bool ParseWholeType(Type& type);

  Program& program() { return program_; }
  const Status& error() const { return error_; }

 private:
  // Lines (parse.cc).
  bool ParseVersion();
  bool ParseHeaderLine();
  bool ParseDecisions(std::string_view text, size_t at);
  bool ParseLineEnd();

  // Statements (parse_statement.cc).
  bool ParseStatement();
  bool ParseDefinition(Statement& statement);
  bool ParseResults(Statement& statement);
  bool ParseCommand(Statement& statement);
  bool ParseExpect(Statement& statement);
  bool ParseExpectError(Statement& statement);
  bool ParseOperand(Statement& statement);
  bool ParseOperands(Statement& statement);

  // Applications (parse_apply.cc).
  bool ParseApply(Statement& statement, std::string_view mnemonic, size_t at);
  bool ParseScalar(Statement& statement, std::string_view literal, size_t at);
  bool ParseAttribute(Statement& statement, std::string_view name, size_t at);
  bool ParseAttributeValue(const AttributeInfo& info, std::vector<int64_t>& values);
  bool ParseSlices(std::vector<int64_t>& values);

  // Types (parse_type.cc).
  bool ParseType(Type& type);
  bool ParseShape(Shape& shape);
  bool ParseSchemeFields(Scheme& scheme);
  bool ParseSchemeField(Scheme& scheme, std::string_view key, size_t at);
  bool ParseBlock(Scheme& scheme);
  bool ParseStore(Scheme& scheme);

  // Data (parse_data.cc).
  bool ParseData(const ElementType& element, bool wildcards, DataSpec& data);
  bool ParseForm(const ElementType& element, DataSpec& data);
  bool ParseElements(Dtype dtype, bool wildcards, DataSpec& data);
  bool ParseElementInto(Dtype dtype, uint64_t& bits);
  bool ParseParameters(std::span<const std::string_view> keys, bool seeded, DataSpec& data);
  bool ParseOverrides(Dtype dtype, DataSpec& data);
  bool ParseQuantized(const Scheme& scheme, DataSpec& data);
  bool ParseScale(ScaleDtype dtype, uint32_t& bits);
  bool ParseLayout(Layout& layout);

  // Tokens (parse.cc).
  bool ParseInt(int64_t& value);
  bool ParseIntInRange(int64_t low, int64_t high, std::string_view what, int64_t& value);
  // `[1,2,3]`; `item` parses one and is called for each.
  template <typename Item>
  bool ParseList(Item item);
  bool ParseIntList(std::vector<int64_t>& values);
  bool ParseCodeList(std::vector<int32_t>& values);
  // A token that must stand here, after spaces.
  bool Expect(std::string_view token);
  // Whether the token stands here, after spaces.
  bool TakeNext(std::string_view token);
  bool Fail(std::string message, size_t at, StatusCode code = StatusCode::kSyntax);

  Lexer lexer_;
  Program program_;
  NameTable names_;
  // Names of the statement's results, which it cannot use itself.
  std::vector<std::string_view> pending_;
  unsigned header_seen_ = 0;
  Status error_;
};

template <typename Item>
bool Parser::ParseList(Item item) {
  if (!Expect("[")) return false;
  if (TakeNext("]")) return true;
  do {
    lexer_.SkipSpaces();
    if (!item()) return false;
  } while (TakeNext(","));
  return Expect("]");
}

}  // namespace faultline::ir

#endif  // IR_TEXT_PARSER_H_
