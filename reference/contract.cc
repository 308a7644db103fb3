// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/contract.h"

#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace faultline::reference {
namespace {

constexpr std::string_view kFunctionNames[] = {
    "exp",  "log",  "tanh", "erf",  "pow",   "log1p", "sin",   "cos",   "tan",  "sinh",
    "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2", "hypot"};
static_assert(std::size(kFunctionNames) == kFunctionCount);

// Larger allowances would say nothing about f32.
constexpr double kUlpMax = 1 << 24;
constexpr int kSoftmaxBlocksMax = 1 << 16;

// Visits every key but the name with `visit(key, member, words)`: words spell an enum's
// enumerators; bools and numbers have none.
template <class C, class Visit>
void ForEachKey(C& c, const Visit& visit) {
  using Words = std::span<const std::string_view>;
  static constexpr std::string_view kOrders[] = {"fixed", "free"};
  static constexpr std::string_view kSoftmaxes[] = {"two_pass", "online"};
  static constexpr std::string_view kRoundings[] = {"half_even", "half_away", "either"};
  static constexpr std::string_view kNanRules[] = {"propagate", "either"};
  static constexpr std::string_view kCastRules[] = {"saturate", "unspecified"};
  visit("one_value", c.one_value, Words{});
  visit("contraction", c.contraction, Words{});
  visit("wider_intermediates", c.wider_intermediates, Words{});
  visit("may_flush", c.may_flush, Words{});
  visit("bounded_functions", c.bounded_functions, Words{});
  visit("reciprocal_scale", c.reciprocal_scale, Words{});
  visit("division_ulp", c.division_ulp, Words{});
  visit("sqrt_ulp", c.sqrt_ulp, Words{});
  for (int i = 0; i < kFunctionCount; ++i) {
    visit(std::string(kFunctionNames[i]) + "_ulp", c.function_ulp[static_cast<size_t>(i)], Words{});
  }
  visit("order", c.order, Words{kOrders});
  visit("softmax", c.softmax, Words{kSoftmaxes});
  visit("softmax_blocks", c.softmax_blocks, Words{});
  visit("quantize", c.quantize, Words{kRoundings});
  visit("nan_rule", c.nan_rule, Words{kNanRules});
  visit("cast_rule", c.cast_rule, Words{kCastRules});
}

std::string PrintNumber(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

struct Printer {
  std::string* text;
  template <class Member>
  void operator()(std::string_view key, const Member& member,
                  std::span<const std::string_view> words) const {
    text->append(key).append(" = ");
    if constexpr (std::is_same_v<Member, bool>) {
      text->append(member ? "true" : "false");
    } else if constexpr (std::is_enum_v<Member>) {
      text->append(words[static_cast<size_t>(member)]);
    } else {
      text->append(PrintNumber(static_cast<double>(member)));
    }
    text->push_back('\n');
  }
};

template <class Number>
bool ParseNumber(std::string_view text, Number min, Number max, Number& to) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= min && value <= max)) return false;
  to = value;
  return true;
}

// Sets the member whose key is asked for.
struct Setter {
  std::string_view wanted;
  std::string_view value;
  bool* known;
  bool* good;

  template <class Member>
  void operator()(std::string_view key, Member& member,
                  std::span<const std::string_view> words) const {
    if (key != wanted) return;
    *known = true;
    if constexpr (std::is_same_v<Member, bool>) {
      *good = value == "true" || value == "false";
      member = value == "true";
    } else if constexpr (std::is_enum_v<Member>) {
      for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] != value) continue;
        member = static_cast<Member>(i);
        *good = true;
      }
    } else if constexpr (std::is_same_v<Member, int>) {
      *good = ParseNumber(value, 1, kSoftmaxBlocksMax, member);
    } else {
      *good = ParseNumber(value, 0.0, kUlpMax, member);
    }
  }
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::string_view FunctionName(Function function) {
  return kFunctionNames[static_cast<size_t>(function)];
}

Contract FusionCpuContract() {
  Contract contract;
  contract.name = "fusion-cpu";
  // SLEEF u10 is documented at 1.0 ULP; its erf was seen at 1.92.
  contract.function_ulp[static_cast<size_t>(Function::kErf)] = 2;
  contract.order = ReductionOrder::kFree;
  return contract;
}

Contract PluginDefaultContract() {
  Contract contract;
  contract.name = "plugin-default";
  contract.one_value = false;
  contract.contraction = true;
  contract.wider_intermediates = true;
  contract.bounded_functions = false;
  contract.function_ulp = EveryFunction(4);
  contract.order = ReductionOrder::kFree;
  return contract;
}

Contract ExactContract() { return {}; }

std::string PrintContract(const Contract& contract) {
  std::string text = "name = " + contract.name + "\n";
  ForEachKey(contract, Printer{&text});
  return text;
}

ir::Result<Contract> ParseContract(std::string_view text, const Contract& base) {
  Contract contract = base;
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const std::string_view row = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (row.empty() || row.front() == '#') continue;
    const size_t equals = row.find('=');
    if (equals == std::string_view::npos) {
      return ir::Error(ir::StatusCode::kSyntax,
                       "expected `key = value`, got '" + std::string(row) + "'", {line, 1});
    }
    const std::string_view key = Trim(row.substr(0, equals));
    const std::string_view value = Trim(row.substr(equals + 1));
    if (key == "name") {
      contract.name = value;
      continue;
    }
    bool known = false;
    bool good = false;
    ForEachKey(contract, Setter{key, value, &known, &good});
    if (!known) {
      return ir::Error(ir::StatusCode::kSyntax, "unknown contract key '" + std::string(key) + "'",
                       {line, 1});
    }
    if (!good) {
      return ir::Error(ir::StatusCode::kSyntax,
                       "bad value '" + std::string(value) + "' of '" + std::string(key) + "'",
                       {line, static_cast<int>(equals) + 2});
    }
  }
  return contract;
}

}  // namespace faultline::reference
