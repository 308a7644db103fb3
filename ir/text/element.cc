// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The text of single elements.

#include "ir/text/element.h"

#include <bit>
#include <cmath>

#include "ir/element.h"
#include "ir/text/number.h"

namespace faultline::ir {
namespace {

uint64_t QuietNan(Dtype float_dtype) {
  switch (float_dtype) {
    case Dtype::kF64:
      return 0x7ff8000000000000ull;
    case Dtype::kF16:
      return 0x7e00;
    case Dtype::kBf16:
      return 0x7fc0;
    default:
      return 0x7fc00000;
  }
}

// inf, -inf, nan, nan(0xBITS): what is no number.
std::optional<uint64_t> ParseSpecial(Dtype float_dtype, std::string_view text) {
  if (text == "nan") return QuietNan(float_dtype);
  if (text == "inf") return FromDouble(float_dtype, HUGE_VAL);
  if (text == "-inf") return FromDouble(float_dtype, -HUGE_VAL);
  if (!text.starts_with("nan(") || !text.ends_with(')')) return std::nullopt;
  const auto bits = ReadHexBits(text.substr(4, text.size() - 5));
  if (!bits.has_value() || !IsElement(float_dtype, *bits) || !IsNan(float_dtype, *bits)) {
    return std::nullopt;
  }
  return bits;
}

std::optional<uint64_t> ParseInt(Dtype dtype, std::string_view text) {
  if (dtype == Dtype::kBool) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    return std::nullopt;
  }
  if (IsUnsigned(dtype)) {
    const auto value = ReadUnsigned(text);
    return value.has_value() && *value <= IntMax(dtype) ? value : std::nullopt;
  }
  const auto value = ReadInt(text);
  if (!value.has_value() || *value < IntMin(dtype) ||
      *value > static_cast<int64_t>(IntMax(dtype))) {
    return std::nullopt;
  }
  return FromInt(dtype, *value);
}

}  // namespace

bool IsElement(Dtype dtype, uint64_t bits) {
  if (dtype == Dtype::kBool) return bits <= 1;
  return BitWidth(dtype) == 64 || bits >> BitWidth(dtype) == 0;
}

void AppendElement(std::string& out, Dtype dtype, uint64_t bits) {
  if (dtype == Dtype::kBool) {
    out += bits != 0 ? "true" : "false";
  } else if (IsUnsigned(dtype)) {
    AppendUnsigned(out, bits);
  } else if (IsSigned(dtype)) {
    AppendInt(out, ToInt(dtype, bits));
  } else if (const double value = ToDouble(dtype, bits); std::isfinite(value)) {
    AppendHexFloat(out, value);
  } else if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else if (bits == QuietNan(dtype)) {
    out += "nan";
  } else {
    out += "nan(0x";
    int shift = BitWidth(dtype) - 4;
    for (; shift >= 0; shift -= 4) out += "0123456789abcdef"[bits >> shift & 15];
    out += ')';
  }
}

std::string PrintElement(Dtype dtype, uint64_t bits) {
  std::string text;
  AppendElement(text, dtype, bits);
  return text;
}

std::optional<uint64_t> ParseElement(Dtype dtype, std::string_view text) {
  if (dtype == Dtype::kQuantized) return std::nullopt;
  if (!IsFloat(dtype)) return ParseInt(dtype, text);
  if (const auto special = ParseSpecial(dtype, text)) return special;
  const auto number = ReadNumber(text);
  if (!number.has_value() || !number->exact || !IsRepresentable(dtype, number->nearest)) {
    return std::nullopt;
  }
  return FromDouble(dtype, number->nearest);
}

std::optional<uint64_t> ParseScalar(Dtype dtype, std::string_view text) {
  if (!IsFloat(dtype)) return ParseElement(dtype, text);
  if (const auto special = ParseSpecial(dtype, text)) return special;
  const auto number = ReadNumber(text);
  if (!number.has_value()) return std::nullopt;
  return FromDouble(dtype, dtype == Dtype::kF64 ? number->nearest : number->odd);
}

}  // namespace faultline::ir
