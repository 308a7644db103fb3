// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/text/lexer.h"

#include <algorithm>

namespace faultline::ir {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t'; }
bool IsLiteral(char c) { return IsLetter(c) || IsDigit(c) || c == '.' || c == '+' || c == '-'; }

}  // namespace

bool Lexer::Take(char c) {
  if (AtEnd() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool Lexer::Take(std::string_view token) {
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

std::string_view Lexer::TakeWord() {
  const size_t begin = at_;
  if (!AtEnd() && IsLetter(text_[at_])) {
    while (!AtEnd() && (IsLetter(text_[at_]) || IsDigit(text_[at_]))) ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view Lexer::TakeLiteral() {
  const size_t begin = at_;
  while (!AtEnd() && IsLiteral(text_[at_])) ++at_;
  if (text_.substr(begin, at_ - begin) == "nan" && Take('(')) {
    while (!AtEnd() && IsLiteral(text_[at_])) ++at_;
    Take(')');
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view Lexer::TakeRest() {
  SkipSpaces();
  const size_t begin = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  size_t end = at_;
  while (end > begin && IsSpace(text_[end - 1])) --end;
  return text_.substr(begin, end - begin);
}

void Lexer::SkipSpaces() {
  while (!AtEnd() && IsSpace(text_[at_])) ++at_;
}

void Lexer::NextLine() {
  if (!Take('\n')) return;
  line_start_ = at_;
  ++line_;
}

SourcePosition Lexer::PositionOf(size_t at) const {
  return {line_, static_cast<int>(at - line_start_) + 1};
}

std::string Lexer::Found() const {
  if (AtEnd()) return "the end of the text";
  const char c = text_[at_];
  if (c == '\n') return "the end of the line";
  const auto byte = static_cast<unsigned char>(c);
  if (byte < ' ' || byte > '~') {
    constexpr char kHex[] = "0123456789abcdef";
    return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
  }
  return std::string("'") + c + "'";
}

}  // namespace faultline::ir
