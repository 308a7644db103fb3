// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Facts about single ops that need no second opinion on values.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "harness/generate/choice_stream.h"
#include "ir/element.h"
#include "tests/property/metamorphic/identity.h"

namespace faultline::harness {
namespace {

using ir::Dtype;

constexpr int64_t kRows = 5;

std::vector<uint64_t> BitsOf(const ir::HostTensor& tensor) {
  std::vector<uint64_t> bits;
  const auto size = static_cast<size_t>(ir::ByteSize(tensor.type.dtype()));
  for (size_t at = 0; at < tensor.bytes.size(); at += size) {
    bits.push_back(ir::LoadElement(tensor.type.dtype(), tensor.bytes.data() + at));
  }
  return bits;
}

int64_t Columns(ChoiceStream& choices) { return choices.Between(1, 70); }

std::string InputText(std::string_view name, Dtype dtype, int64_t columns, ChoiceStream& choices) {
  const std::string type = fmt::format("{}[{},{}]", ir::DtypeName(dtype), kRows, columns);
  const uint64_t seed = choices.Below(1 << 30);
  if (!ir::IsFloat(dtype)) {
    const int64_t low = ir::IsSigned(dtype) ? -9 : 0;
    return fmt::format("%{}: {} = input ints(seed={}, lo={}, hi=9)\n", name, type, seed, low);
  }
  // All negative, all positive, or either.
  const char* bounds[] = {"lo=-0x1p+3, hi=-0x1p+0", "lo=0x1p+0, hi=0x1p+3",
                          "lo=-0x1p+2, hi=0x1p+2"};
  return fmt::format("%{}: {} = input uniform(seed={}, {})\n", name, type, seed,
                     bounds[choices.Below(3)]);
}

// Differences to the maximum are exact before and after, so that every bit stays.
Broken SoftmaxShifted(Backend& backend, uint64_t seed) {
  ChoiceStream choices(seed);
  const int64_t columns = Columns(choices);
  const std::string type = fmt::format("f32[{},{}]", kRows, columns);
  const auto results =
      RunFor(ParseProgram(fmt::format("%x: {0} = input ints(seed={1}, lo=-8, hi=8)\n"
                                      "%s: {0} = add_scalar %x {2}\n"
                                      "%a: {0} = softmax %x dim=1\n"
                                      "%b: {0} = softmax %s dim=1\n"
                                      "read %a %b\n",
                                      type, choices.Below(1 << 30),
                                      choices.OneIn(2) ? "-0x1p+5" : "0x1p+5")),
             backend);
  if (!results.has_value()) return std::nullopt;
  if (results->at("a").bytes == results->at("b").bytes) return "";
  return "softmax of a shifted row differs";
}

// a = b*q + r modulo 2^w, where q truncates and r has the divisor's sign: so r is a - b*q, or one
// divisor more. A row of divisors is broadcast.
Broken DivisionAdds(Backend& backend, uint64_t seed) {
  ChoiceStream choices(seed);
  constexpr Dtype kInts[] = {Dtype::kI64, Dtype::kI32, Dtype::kI16, Dtype::kI8,
                             Dtype::kU64, Dtype::kU32, Dtype::kU16, Dtype::kU8};
  const Dtype dtype = choices.Pick(kInts);
  const int64_t columns = choices.OneIn(2) ? kRows : Columns(choices);
  const std::string_view name = ir::DtypeName(dtype);
  const std::string body =
      InputText("a", dtype, columns, choices) +
      fmt::format(
          "%b: {0}[{2}] = input ints(seed={3}, lo={4}, hi=9)\n"
          "%q: {0}[{1},{2}] = div %a %b\n%r: {0}[{1},{2}] = rem %a %b\n"
          "read %a %b %q %r\n",
          name, kRows, columns, choices.Below(1 << 30), ir::IsSigned(dtype) ? -9 : 0);
  const auto results = RunFor(ParseProgram(body), backend);
  if (!results.has_value()) return std::nullopt;
  const std::vector<uint64_t> a = BitsOf(results->at("a"));
  const std::vector<uint64_t> b = BitsOf(results->at("b"));
  const std::vector<uint64_t> q = BitsOf(results->at("q"));
  const std::vector<uint64_t> r = BitsOf(results->at("r"));
  for (size_t i = 0; i < a.size(); ++i) {
    const uint64_t divisor = b[i % b.size()];
    if (divisor == 0) continue;
    // In 64 bits, of which the low ones count.
    const int64_t rest =
        ir::ToInt(dtype, ir::FromInt(dtype, static_cast<int64_t>(a[i] - divisor * q[i])));
    const int64_t by = ir::ToInt(dtype, divisor);
    const bool turned = ir::IsSigned(dtype) && rest != 0 && (rest < 0) != (by < 0);
    if (r[i] == ir::FromInt(dtype, turned ? rest + by : rest)) continue;
    return fmt::format("element {} of {}: {} is not {} * {} + {}", i, name,
                       ir::PrintElement(dtype, a[i]), ir::PrintElement(dtype, divisor),
                       ir::PrintElement(dtype, q[i]), ir::PrintElement(dtype, r[i]));
  }
  return "";
}

Broken ArgmaxPointsAtMax(Backend& backend, uint64_t seed) {
  ChoiceStream choices(seed);
  constexpr Dtype kDtypes[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16,
                               Dtype::kI64, Dtype::kI32, Dtype::kI8,  Dtype::kU16};
  const Dtype dtype = choices.Pick(kDtypes);
  const int64_t columns = Columns(choices);
  const std::string_view name = ir::DtypeName(dtype);
  const std::string body =
      InputText("x", dtype, columns, choices) +
      fmt::format(
          "%i: i64[{0},1] = argmax %x dim=1\n%g: {1}[{0},1] = gather %x %i dim=1\n"
          "%m: {1}[{0},1] = max_dim %x dim=1\nread %g %m\n",
          kRows, name);
  const auto results = RunFor(ParseProgram(body), backend);
  if (!results.has_value()) return std::nullopt;
  if (results->at("g").bytes == results->at("m").bytes) return "";
  return fmt::format("what argmax points at is not max_dim ({}, {} columns)", name, columns);
}

// NaN of any sign and payload comes last.
bool IsAscending(Dtype dtype, uint64_t a, uint64_t b) {
  if (!ir::IsFloat(dtype)) return ir::ToInt(dtype, a) <= ir::ToInt(dtype, b);
  return ir::IsNan(dtype, b) || ir::ToDouble(dtype, a) <= ir::ToDouble(dtype, b);
}

Broken SortPermutes(Backend& backend, uint64_t seed) {
  ChoiceStream choices(seed);
  constexpr Dtype kDtypes[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kI32, Dtype::kU8};
  const Dtype dtype = choices.Pick(kDtypes);
  const int64_t columns = Columns(choices);
  const std::string type = fmt::format("{}[{},{}]", ir::DtypeName(dtype), kRows, columns);
  std::string body = InputText("x", dtype, columns, choices);
  if (ir::IsFloat(dtype)) {
    // Some elements of each row become a NaN whose sign is set.
    const std::string_view nan = dtype == Dtype::kF64   ? "nan(0xfff8000000000000)"
                                 : dtype == Dtype::kF32 ? "nan(0xffc00000)"
                                                        : "nan(0xfe00)";
    body += fmt::format(
        "%l: bool[{0},{1}] = lower_scalar %x 0x1.8p+1\n"
        "%n: {2} = full {3}\n%t: {2} = mask_where %n %l %x\n",
        kRows, columns, type, nan);
  } else {
    body += fmt::format("%t: {} = neg %x\n", type);
  }
  body += fmt::format("%s: {} = sort %t dim=1\nread %t %s\n", type);
  const auto results = RunFor(ParseProgram(body), backend);
  if (!results.has_value()) return std::nullopt;
  const std::vector<uint64_t> before = BitsOf(results->at("t"));
  const std::vector<uint64_t> after = BitsOf(results->at("s"));
  for (int64_t row = 0; row < kRows; ++row) {
    const auto part = [&](const std::vector<uint64_t>& all) {
      return std::vector<uint64_t>(all.begin() + row * columns, all.begin() + (row + 1) * columns);
    };
    std::vector<uint64_t> taken = part(before);
    std::vector<uint64_t> given = part(after);
    const bool ascending = std::ranges::adjacent_find(given, [&](uint64_t a, uint64_t b) {
                             return !IsAscending(dtype, a, b);
                           }) == given.end();
    std::ranges::sort(taken);
    std::ranges::sort(given);
    if (taken != given) return fmt::format("sort of {} loses or makes elements", type);
    if (!ascending) return fmt::format("sort of {} does not ascend in row {}", type, row);
  }
  return "";
}

constexpr auto kIdentities = std::to_array<Identity>({
    {"softmax of a shifted row", "max_starts_at_zero", SoftmaxShifted},
    {"a = b*q + r", "broadcast_aligned_left", DivisionAdds},
    {"argmax points at max", "max_starts_at_zero", ArgmaxPointsAtMax},
    {"sort orders and permutes", "sort_orders_nan_by_sign", SortPermutes},
});

}  // namespace

std::span<const Identity> OpIdentities() { return kIdentities; }

}  // namespace faultline::harness
