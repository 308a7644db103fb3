// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random programs straight from the op table, for the properties of text and verifier. It tries
// until inference agrees; the campaign's generator is another one, and cleverer.

#ifndef TESTS_PROPERTY_IR_RANDOM_PROGRAM_H_
#define TESTS_PROPERTY_IR_RANDOM_PROGRAM_H_

#include <cstdint>
#include <random>

#include "ir/program.h"

namespace faultline::ir {

// The engine's numbers are the same everywhere; the distributions of the library are not used.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  uint64_t Bits() { return engine_(); }
  // In [0, count).
  int Below(int count) { return static_cast<int>(engine_() % static_cast<uint64_t>(count)); }
  bool OneIn(int count) { return Below(count) == 0; }
  template <typename Container>
  auto& Pick(Container& container) {
    return container[static_cast<size_t>(Below(static_cast<int>(container.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

// Verifies, and has a statement of every kind more often than not.
Program RandomProgram(Dice& dice);

// Any bits that are an element of the dtype.
uint64_t RandomElement(Dice& dice, Dtype dtype);

}  // namespace faultline::ir

#endif  // TESTS_PROPERTY_IR_RANDOM_PROGRAM_H_
