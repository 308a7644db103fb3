// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where the generator and the mutator take every choice from: a counter-based PRNG of our own or
// given bytes. No standard distribution and no libm, so that the same source makes the same choices
// on every machine and compiler. Not for tensor data, which is a form with a seed (ir/data.h).

#ifndef HARNESS_GENERATE_CHOICE_STREAM_H_
#define HARNESS_GENERATE_CHOICE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace faultline::harness {

// The seed of case `index` of a run with seed `seed`.
uint64_t MixSeed(uint64_t seed, uint64_t index);

class ChoiceStream {
 public:
  // An endless stream: word i is a bijective hash of seed and i.
  explicit ChoiceStream(uint64_t seed) : state_(seed) {}
  // Choices are taken from the bytes in order; after the last one every choice is the first
  // alternative. The bytes must outlive the stream.
  explicit ChoiceStream(std::span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  uint64_t Bits();
  // Uniform in [0, n). Requires n >= 1. Takes a byte from a byte source where n <= 256.
  uint32_t Below(uint32_t n);
  // Uniform in [low, high]. Requires low <= high.
  int64_t Between(int64_t low, int64_t high);
  // True in `percent` of a hundred. A used-up byte source says no, so that "once more?" ends.
  bool Percent(uint32_t percent) { return Below(100) >= 100 - percent; }
  // True once in n; a used-up byte source says no.
  bool OneIn(uint32_t n) { return Below(n) == n - 1; }
  template <typename T>
  T Pick(std::span<const T> items) {
    return items[Below(static_cast<uint32_t>(items.size()))];
  }
  template <typename T, size_t N>
  T Pick(const T (&items)[N]) {
    return items[Below(static_cast<uint32_t>(N))];
  }
  // An index drawn by weight. Requires a positive sum.
  size_t Weighted(std::span<const uint32_t> weights);
  // In [2^low, 2^high), uniform in the octave and then within it.
  int64_t LogUniform(int low_exponent, int high_exponent);

  // Whether a byte source has been used up. A generator may stop early then; it need not.
  bool exhausted() const { return from_bytes_ && position_ >= bytes_.size(); }

 private:
  uint64_t TakeBytes(int count);

  uint64_t state_ = 0;
  uint64_t counter_ = 0;
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool from_bytes_ = false;
};

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_CHOICE_STREAM_H_
