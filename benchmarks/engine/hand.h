// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What one would write by hand for a single computation: the yardstick of the engine's benchmarks,
// compiled for the same instruction sets as the engine's own kernels.

#ifndef BENCHMARKS_ENGINE_HAND_H_
#define BENCHMARKS_ENGINE_HAND_H_

#include <cstdint>

namespace faultline::benchmarks {

struct Hand {
  // ((((x + y) * y - x) * 0.5 + y) * x - y) * 1.25 + x
  void (*cheap8)(const float* x, const float* y, float* out, int64_t count);
  // rows of softmax; exp by the engine's own library
  void (*softmax)(const float* x, float* out, int64_t rows, int64_t row);
  // ((x - mean) / sqrt(var + 1e-5)) * gamma + beta
  void (*layer_norm)(const float* x, const float* gamma, const float* beta, float* out,
                     int64_t rows, int64_t row);
  // gelu(x + bias) in place
  void (*bias_gelu)(const float* bias, float* x, int64_t rows, int64_t row);
};

// For the widest instruction set of this CPU.
const Hand& GetHand();

}  // namespace faultline::benchmarks

#endif  // BENCHMARKS_ENGINE_HAND_H_
