// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A cursor over the text of a program, one line after another. Knows characters and positions, no
// grammar.

#ifndef IR_TEXT_LEXER_H_
#define IR_TEXT_LEXER_H_

#include <string>
#include <string_view>

#include "ir/base/status.h"

namespace faultline::ir {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  bool AtLineEnd() const { return AtEnd() || text_[at_] == '\n'; }
  // The next character; '\n' at the end of the text.
  char Peek() const { return AtEnd() ? '\n' : text_[at_]; }

  // Each takes what it names and returns whether (or how much of it) it was there.
  bool Take(char c);
  bool Take(std::string_view token);
  // [A-Za-z_][A-Za-z0-9_]*
  std::string_view TakeWord();
  // [A-Za-z0-9_.+-]*, and the parentheses of nan(0xBITS).
  std::string_view TakeLiteral();
  // The rest of the line, without outer spaces.
  std::string_view TakeRest();
  void SkipSpaces();
  // Requires AtLineEnd().
  void NextLine();

  // Offsets, to name a place that has been passed.
  size_t at() const { return at_; }
  void Rewind(size_t at) { at_ = at; }
  // Of an offset in the current line.
  SourcePosition PositionOf(size_t at) const;
  // What stands at the cursor, quoted for a message.
  std::string Found() const;

 private:
  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace faultline::ir

#endif  // IR_TEXT_LEXER_H_
