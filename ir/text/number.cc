// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/text/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace faultline::ir {
namespace {

template <typename T>
std::optional<T> ReadWhole(std::string_view text, int base = 10) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
void AppendDecimal(std::string& out, T value) {
  std::array<char, 24> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), result.ptr);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// An exponent, saturated far beyond what any format holds.
std::optional<int64_t> ReadExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = std::min<int64_t>(10 * value + (c - '0'), int64_t{1} << 40);
  }
  return negative ? -value : value;
}

// mantissa * 2^exponent, with `sticky` if nonzero bits were dropped below the mantissa.
struct HexParts {
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  bool sticky = false;
};

std::optional<HexParts> ReadHexParts(std::string_view text) {
  HexParts parts;
  bool point = false;
  bool digits = false;
  size_t i = 0;
  for (; i < text.size() && text[i] != 'p'; ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = HexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    digits = true;
    if (parts.mantissa >> 60 == 0) {
      parts.mantissa = parts.mantissa << 4 | static_cast<uint64_t>(digit);
      if (point) parts.exponent -= 4;
    } else {
      parts.sticky = parts.sticky || digit != 0;
      if (!point) parts.exponent += 4;
    }
  }
  if (!digits || i == text.size()) return std::nullopt;
  const auto exponent = ReadExponent(text.substr(i + 1));
  if (!exponent.has_value()) return std::nullopt;
  parts.exponent += *exponent;
  return parts;
}

double Scaled(uint64_t mantissa, int64_t exponent) {
  return std::ldexp(static_cast<double>(mantissa),
                    static_cast<int>(std::clamp<int64_t>(exponent, -5000, 5000)));
}

NumberLiteral RoundHex(const HexParts& parts) {
  NumberLiteral number;
  if (parts.mantissa == 0) return number;
  const int width = 64 - std::countl_zero(parts.mantissa);
  const int64_t lowest = parts.exponent + std::countr_zero(parts.mantissa);
  const int64_t highest = parts.exponent + width - 1;
  number.exact = !parts.sticky && highest - lowest < 53 && lowest >= -1074 && highest <= 1023;
  if (number.exact) {
    // Shifting keeps the conversion to double exact.
    const int shift = std::countr_zero(parts.mantissa);
    number.nearest = Scaled(parts.mantissa >> shift, parts.exponent + shift);
    number.odd = number.nearest;
    return number;
  }
  // Bits that the format holds at this magnitude: fewer for subnormals.
  const int64_t quantum = std::max<int64_t>(highest - 52, -1074);
  const int64_t drop = quantum - parts.exponent;
  uint64_t kept = drop <= 0 ? parts.mantissa : drop > 63 ? 0 : parts.mantissa >> drop;
  const uint64_t dropped = drop <= 0   ? 0
                           : drop > 63 ? parts.mantissa
                                       : parts.mantissa & ((uint64_t{1} << drop) - 1);
  const bool inexact = dropped != 0 || parts.sticky;
  number.odd = Scaled(kept | (inexact ? 1 : 0), drop <= 0 ? parts.exponent : quantum);
  if (drop > 0 && drop <= 64) {
    const uint64_t half = uint64_t{1} << (drop - 1);
    if (dropped > half || (dropped == half && (parts.sticky || (kept & 1) != 0))) ++kept;
  }
  number.nearest = Scaled(kept, drop <= 0 ? parts.exponent : quantum);
  return number;
}

// Significant decimal digits: value = 0.d1d2d3... * 10^point; no digits for zero.
struct Decimal {
  std::string digits;
  int64_t point = 0;
};

std::optional<Decimal> ReadDecimal(std::string_view text) {
  Decimal decimal;
  bool point = false;
  bool any = false;
  size_t i = 0;
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (!IsDigit(text[i])) return std::nullopt;
    any = true;
    if (!decimal.digits.empty() || text[i] != '0') {
      decimal.digits += text[i];
      if (!point) ++decimal.point;
    } else if (point) {
      --decimal.point;
    }
  }
  if (!any) return std::nullopt;
  if (i < text.size()) {
    const auto exponent = ReadExponent(text.substr(i + 1));
    if (!exponent.has_value()) return std::nullopt;
    decimal.point += *exponent;
  }
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  if (decimal.digits.empty()) decimal.point = 0;
  return decimal;
}

// The exact decimal expansion of a finite double.
Decimal ExpansionOf(double value) {
  // 309 digits before the point, 1074 behind it.
  std::array<char, 1400> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, 1074);
  return *ReadDecimal(std::string_view(buffer.data(), result.ptr));
}

int Compare(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
  }
  if (a.point != b.point) return a.point < b.point ? -1 : 1;
  return a.digits.compare(b.digits);
}

// A literal whose nearest double lies as `order` says: the literal is below it (-1), it, or above.
NumberLiteral LiteralOf(double nearest, int order) {
  NumberLiteral number;
  number.nearest = nearest;
  number.exact = order == 0;
  number.odd = order < 0 ? std::nextafter(nearest, 0.0) : nearest;
  if (order != 0) {
    number.odd = std::bit_cast<double>(std::bit_cast<uint64_t>(number.odd) | 1u);
  }
  return number;
}

// Up to 15 digits with up to 22 of them behind the point: numerator and power of ten are exact, one
// division rounds once (Clinger, How to read floating point numbers accurately, 1990), and a fused
// product has the sign of what it leaves.
std::optional<NumberLiteral> ReadShort(const Decimal& decimal) {
  constexpr std::array<double, 23> kTens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const auto size = static_cast<int64_t>(decimal.digits.size());
  const int64_t behind = size - decimal.point;
  if (size == 0 || size > 15 || behind < 0 || behind > 22) return std::nullopt;
  const auto numerator = static_cast<double>(*ReadWhole<uint64_t>(decimal.digits));
  const double ten = kTens[static_cast<size_t>(behind)];
  const double nearest = numerator / ten;
  const double above = std::fma(nearest, ten, -numerator);
  return LiteralOf(nearest, above > 0 ? -1 : above < 0 ? 1 : 0);
}

std::optional<NumberLiteral> ReadDecimalNumber(std::string_view text) {
  // Up to 15 digits are exact, which saves the comparison for nearly every literal.
  if (text.size() <= 15) {
    if (const auto small = ReadWhole<uint64_t>(text)) {
      const auto value = static_cast<double>(*small);
      return NumberLiteral{value, value, true};
    }
  }
  const auto decimal = ReadDecimal(text);
  if (!decimal.has_value()) return std::nullopt;
  if (const auto number = ReadShort(*decimal)) return number;
  double nearest = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), nearest);
  if (parsed.ec == std::errc::result_out_of_range) nearest = decimal->point > 0 ? HUGE_VAL : 0;
  return LiteralOf(nearest, std::isinf(nearest) ? -1 : Compare(*decimal, ExpansionOf(nearest)));
}

}  // namespace

void AppendInt(std::string& out, int64_t value) { AppendDecimal(out, value); }
void AppendUnsigned(std::string& out, uint64_t value) { AppendDecimal(out, value); }

void AppendHexFloat(std::string& out, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (bits >> 63 != 0) out += '-';
  if (exponent == 0 && fraction == 0) {
    out += "0x0p+0";
    return;
  }
  if (exponent == 0) {
    const int shift = std::countl_zero(fraction) - 11;
    fraction = fraction << shift & ((uint64_t{1} << 52) - 1);
    exponent = 1 - shift;
  }
  out += "0x1";
  if (fraction != 0) {
    out += '.';
    for (fraction <<= 12; fraction != 0; fraction <<= 4) out += "0123456789abcdef"[fraction >> 60];
  }
  exponent -= 1023;
  out += exponent < 0 ? "p-" : "p+";
  AppendDecimal(out, exponent < 0 ? -exponent : exponent);
}

std::optional<int64_t> ReadInt(std::string_view text) { return ReadWhole<int64_t>(text); }
std::optional<uint64_t> ReadUnsigned(std::string_view text) { return ReadWhole<uint64_t>(text); }

std::optional<uint64_t> ReadHexBits(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return ReadWhole<uint64_t>(text.substr(2), 16);
}

std::optional<NumberLiteral> ReadNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::optional<NumberLiteral> number;
  if (text.starts_with("0x")) {
    const auto parts = ReadHexParts(text.substr(2));
    if (parts.has_value()) number = RoundHex(*parts);
  } else {
    number = ReadDecimalNumber(text);
  }
  if (number.has_value() && negative) {
    number->nearest = -number->nearest;
    number->odd = -number->odd;
  }
  return number;
}

}  // namespace faultline::ir
