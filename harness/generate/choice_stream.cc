// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/choice_stream.h"

#include "ir/base/check.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kIncrement = 0x9e3779b97f4a7c15;

// The finaliser of SplitMix64: bijective, and good enough for choices.
constexpr uint64_t Scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t MixSeed(uint64_t seed, uint64_t index) {
  return Scramble(Scramble(seed + kIncrement) + index * kIncrement);
}

uint64_t ChoiceStream::TakeBytes(int count) {
  uint64_t value = 0;
  for (int i = 0; i < count && position_ < bytes_.size(); ++i) {
    value |= uint64_t{bytes_[position_++]} << (8 * i);
  }
  return value;
}

uint64_t ChoiceStream::Bits() {
  if (from_bytes_) return TakeBytes(8);
  return Scramble(state_ + ++counter_ * kIncrement);
}

uint32_t ChoiceStream::Below(uint32_t n) {
  FAULTLINE_CHECK(n >= 1, "no alternative to choose from");
  if (from_bytes_) {
    const int count = n <= 1u << 8 ? 1 : n <= 1u << 16 ? 2 : 4;
    return static_cast<uint32_t>(TakeBytes(count) % n);
  }
  // The high half of a 32 x 32 bit product: a bias below n/2^32, and no division.
  return static_cast<uint32_t>(((Bits() >> 32) * n) >> 32);
}

int64_t ChoiceStream::Between(int64_t low, int64_t high) {
  FAULTLINE_CHECK(low <= high, "an empty range");
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (span < UINT32_MAX) return low + Below(static_cast<uint32_t>(span) + 1);
  const uint64_t bits = Bits();
  return static_cast<int64_t>(static_cast<uint64_t>(low) +
                              (span == UINT64_MAX ? bits : bits % (span + 1)));
}

size_t ChoiceStream::Weighted(std::span<const uint32_t> weights) {
  uint32_t sum = 0;
  for (const uint32_t weight : weights) sum += weight;
  uint32_t rest = Below(sum);
  size_t index = 0;
  while (rest >= weights[index]) rest -= weights[index++];
  return index;
}

int64_t ChoiceStream::LogUniform(int low_exponent, int high_exponent) {
  const int64_t octave = int64_t{1} << Between(low_exponent, high_exponent - 1);
  return Between(octave, 2 * octave - 1);
}

}  // namespace faultline::harness
