// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random numbers, from the words of docs/random.md on. Philox is integers throughout, so it is
// written once more here: MPFR would have nothing to say about it.

#include <array>
#include <bit>
#include <numbers>

#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/real.h"
#include "harness/oracle/certify/steps.h"

namespace faultline::harness {
namespace {

using Words = std::array<uint64_t, 4>;  // of 32 bits each

Words BlockOf(const Context& context, int64_t block) {
  constexpr uint64_t kLow = 0xffffffff;
  const auto attribute = [&](ir::AttributeKey key) {
    return std::bit_cast<uint64_t>(context.attributes.Int(key));
  };
  const uint64_t seed = attribute(ir::AttributeKey::kSeed);
  const uint64_t offset = attribute(ir::AttributeKey::kOffset);
  const auto b = static_cast<uint64_t>(block);
  Words x = {b & kLow, b >> 32, offset & kLow, offset >> 32};
  for (uint64_t round = 0; round < 10; ++round) {
    const uint64_t key_low = (seed + round * 0x9e3779b9) & kLow;
    const uint64_t key_high = ((seed >> 32) + round * 0xbb67ae85) & kLow;
    const uint64_t left = x[0] * 0xd2511f53;
    const uint64_t right = x[2] * 0xcd9e8d57;
    x = {(right >> 32) ^ x[1] ^ key_low, right & kLow, (left >> 32) ^ x[3] ^ key_high, left & kLow};
  }
  return x;
}

bool IsWide(const Context& context) { return context.compute == ir::Dtype::kF64; }
double Fraction(const Context& context, uint64_t low, uint64_t high) {
  return IsWide(context) ? static_cast<double>((high << 32 | low) >> 11) * 0x1p-53
                         : static_cast<double>(low >> 8) * 0x1p-24;
}

// from + factor*step.
Element Affine(const Context& context, double from, double factor, double step) {
  return Result(context, Real(from) + Step(context, Real(factor) * step));
}

Element Uniform(const Context& context, Elements) {
  const auto j = static_cast<size_t>(context.position);
  const size_t made = IsWide(context) ? 2 : 4;  // by a block
  const Words w = BlockOf(context, static_cast<int64_t>(j / made));
  const size_t at = j % made * (4 / made);
  const double low = context.scalars[0].real;
  const double range = Step(context, Real(context.scalars[1].real) - low);
  return Affine(context, low, Fraction(context, w[at], w[(at + 1) % 4]), range);
}

Element Normal(const Context& context, Elements) {
  const Words w = BlockOf(context, context.position / 2);
  const double unit = IsWide(context) ? 0x1p-53 : 0x1p-24;
  const size_t second = IsWide(context) ? 2 : 1;
  const double u1 = Fraction(context, w[0], w[1]) + unit;
  const double u2 = Fraction(context, w[second], w[3]);
  const double tau = RoundTo(context.compute, 2 * std::numbers::pi);
  const double radius =
      Step(context, Of<mpfr_sqrt>(Step(context, Real(-2) * Step(context, Of<mpfr_log>(u1)))));
  const double angle = Step(context, Real(tau) * u2);
  const Real wave = context.position % 2 == 0 ? Of<mpfr_cos>(angle) : Of<mpfr_sin>(angle);
  const double z = Step(context, Real(radius) * Step(context, wave));
  return Affine(context, context.scalars[0].real, context.scalars[1].real, z);
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kRandomNormal, .element = Normal},
    {.op = Op::kRandomUniform, .element = Uniform},
});

}  // namespace

std::span<const Formula> RandomFormulas() { return kFormulas; }

}  // namespace faultline::harness
