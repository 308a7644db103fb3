// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <string>

#include "ir/data/scale_value.h"
#include "ir/element.h"
#include "ir/text/number.h"
#include "ir/text/parser.h"

namespace faultline::ir {
namespace {

using Keys = std::array<std::string_view, 2>;

struct GeneratorForm {
  std::string_view name;
  DataForm form;
  Keys keys;
  bool seeded;
};
constexpr std::array<GeneratorForm, 5> kForms = {
    {{"iota", DataForm::kIota, {"start", "step"}, false},
     {"uniform", DataForm::kUniform, {"lo", "hi"}, true},
     {"normal", DataForm::kNormal, {"mean", "std"}, true},
     {"ints", DataForm::kInts, {"lo", "hi"}, true},
     {"logscale", DataForm::kLogscale, {"lo", "hi"}, true}}};

}  // namespace

bool Parser::ParseElementInto(Dtype dtype, uint64_t& bits) {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view literal = lexer_.TakeLiteral();
  if (literal.empty()) return Fail("expected a value, found " + lexer_.Found(), at);
  const auto element = ParseElement(dtype, literal);
  if (!element.has_value()) {
    return Fail("'" + std::string(literal) + "' is no " + std::string(DtypeName(dtype)) + " value",
                at);
  }
  bits = *element;
  return true;
}

bool Parser::ParseElements(Dtype dtype, bool wildcards, DataSpec& data) {
  return ParseList([&] {
    const bool wildcard = wildcards && lexer_.Take('_');
    uint64_t bits = 0;
    if (!wildcard && !ParseElementInto(dtype, bits)) return false;
    if (wildcard) data.wildcards.resize(data.elements.size() + 1);
    data.elements.push_back(bits);
    if (!data.wildcards.empty()) {
      data.wildcards.resize(data.elements.size());
      data.wildcards.back() = wildcard;
    }
    return true;
  });
}

bool Parser::ParseParameters(std::span<const std::string_view> keys, bool seeded, DataSpec& data) {
  if (!Expect("(")) return false;
  if (seeded) {
    if (!Expect("seed") || !Expect("=")) return false;
    const size_t at = lexer_.at();
    const std::string_view literal = lexer_.TakeLiteral();
    const auto seed = ReadUnsigned(literal);
    if (!seed.has_value()) return Fail("'" + std::string(literal) + "' is no 64-bit seed", at);
    data.seed = *seed;
    if (!Expect(",")) return false;
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && !Expect(",")) return false;
    if (!Expect(keys[i]) || !Expect("=")) return false;
    const size_t at = lexer_.at();
    const std::string_view literal = lexer_.TakeLiteral();
    const auto number = ReadNumber(literal);
    if (!number.has_value() || !std::isfinite(number->nearest)) {
      return Fail("'" + std::string(literal) + "' is no finite number", at);
    }
    data.parameters[i] = number->nearest;
  }
  return Expect(")");
}

bool Parser::ParseForm(const ElementType& element, DataSpec& data) {
  const size_t at = lexer_.at();
  const std::string_view name = lexer_.TakeWord();
  if (name == "constant") {
    data.form = DataForm::kConstant;
    return Expect("(") && ParseElementInto(element.dtype, data.elements.emplace_back()) &&
           Expect(")");
  }
  if (name == "cycle") {
    data.form = DataForm::kCycle;
    return Expect("(") && ParseElements(element.dtype, false, data) && Expect(")");
  }
  for (const GeneratorForm& form : kForms) {
    if (form.name != name) continue;
    data.form = form.form;
    return ParseParameters(form.keys, form.seeded, data);
  }
  if (name.empty()) return Fail("expected data, found " + lexer_.Found(), at);
  return Fail("unknown form of data '" + std::string(name) + "'", at);
}

bool Parser::ParseOverrides(Dtype dtype, DataSpec& data) {
  if (!Expect("{")) return false;
  do {
    int64_t index = 0;
    if (!ParseIntInRange(0, kElementsMax - 1, "index", index) || !Expect(":")) return false;
    uint64_t bits = 0;
    if (!ParseElementInto(dtype, bits)) return false;
    data.overrides.emplace_back(index, bits);
  } while (TakeNext(","));
  return Expect("}");
}

bool Parser::ParseScale(ScaleDtype dtype, uint32_t& bits) {
  const size_t at = lexer_.at();
  const std::string_view literal = lexer_.TakeLiteral();
  const auto number = ReadNumber(literal);
  const auto scale =
      number.has_value() && number->exact ? FindScale(dtype, number->nearest) : std::nullopt;
  if (!scale.has_value()) {
    return Fail(
        "'" + std::string(literal) + "' is no scale of " + std::string(ScaleDtypeName(dtype)), at);
  }
  bits = *scale;
  return true;
}

bool Parser::ParseQuantized(const Scheme& scheme, DataSpec& data) {
  data.form = DataForm::kQuantized;
  if (!Expect("codes=") || !ParseCodeList(data.codes) || !Expect("scales=")) return false;
  if (!ParseList([&] { return ParseScale(scheme.scale, data.scales.emplace_back()); })) {
    return false;
  }
  if (TakeNext("tensor=") && !ParseScale(ScaleDtype::kF32, data.tensor_scale.emplace())) {
    return false;
  }
  return !TakeNext("zeros=") || ParseCodeList(data.zeros);
}

bool Parser::ParseData(const ElementType& element, bool wildcards, DataSpec& data) {
  lexer_.SkipSpaces();
  if (element.quantized()) return ParseQuantized(element.scheme, data);
  const bool list = lexer_.Peek() == '[';
  if (list ? !ParseElements(element.dtype, wildcards, data) : !ParseForm(element, data)) {
    return false;
  }
  return !TakeNext("with") || ParseOverrides(element.dtype, data);
}

bool Parser::ParseLayout(Layout& layout) {
  if (TakeNext("strides=") && !ParseIntList(layout.strides)) return false;
  if (TakeNext("offset=") && !ParseInt(layout.offset)) return false;
  if (!TakeNext("storage=")) return true;
  return ParseIntInRange(0, kElementsMax, "storage", layout.storage);
}

}  // namespace faultline::ir
