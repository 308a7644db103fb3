// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Numbers to and from text without locale or allocation in the common case: the base of elements,
// data and attributes. Knows no dtype (ir/element.h does).

#ifndef IR_TEXT_NUMBER_H_
#define IR_TEXT_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::ir {

void AppendInt(std::string& out, int64_t value);
void AppendUnsigned(std::string& out, uint64_t value);
// `0x1.8p+1`, `-0x0p+0`; the leading digit is 1 also for subnormals. Requires a finite value.
void AppendHexFloat(std::string& out, double value);

// The whole text as a decimal integer in range.
std::optional<int64_t> ReadInt(std::string_view text);
std::optional<uint64_t> ReadUnsigned(std::string_view text);
// The whole text as `0x` and hexadecimal digits.
std::optional<uint64_t> ReadHexBits(std::string_view text);

// A number as written, rounded to f64 in two ways.
struct NumberLiteral {
  double nearest = 0;  // ties to even, overflow to infinity
  // Rounded to odd: rounding it once more to a format of at most 51 bits gives the same as rounding
  // the text at once.
  double odd = 0;
  bool exact = true;
};
// The whole text as a hexfloat, a decimal integer or a decimal fraction.
std::optional<NumberLiteral> ReadNumber(std::string_view text);

}  // namespace faultline::ir

#endif  // IR_TEXT_NUMBER_H_
