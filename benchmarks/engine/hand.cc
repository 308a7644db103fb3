// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/engine/hand.h"

#include <sleef.h>

#include <cmath>
#include <limits>

namespace faultline::benchmarks {
namespace {

#if defined(__AVX512F__)
using Vector = __m512;
inline constexpr int64_t kWidth = 16;
inline Vector Exp(Vector x) { return Sleef_expf16_u10avx512f(x); }
inline Vector Erf(Vector x) { return Sleef_erff16_u10avx512f(x); }
inline Vector Set(float x) { return _mm512_set1_ps(x); }
#elif defined(__AVX2__)
using Vector = __m256;
inline constexpr int64_t kWidth = 8;
inline Vector Exp(Vector x) { return Sleef_expf8_u10avx2(x); }
inline Vector Erf(Vector x) { return Sleef_erff8_u10avx2(x); }
inline Vector Set(float x) { return _mm256_set1_ps(x); }
#else
using Vector = __m128;
inline constexpr int64_t kWidth = 4;
inline Vector Exp(Vector x) { return Sleef_expf4_u10sse2(x); }
inline Vector Erf(Vector x) { return Sleef_erff4_u10sse2(x); }
inline Vector Set(float x) { return _mm_set1_ps(x); }
#endif

inline Vector Load(const float* from) {
  Vector v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
inline void Store(float* to, Vector v) { __builtin_memcpy(to, &v, sizeof(v)); }

void Cheap8(const float* __restrict x, const float* __restrict y, float* __restrict out,
            int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = ((((x[i] + y[i]) * y[i] - x[i]) * 0.5f + y[i]) * x[i] - y[i]) * 1.25f + x[i];
  }
}

float Total(Vector v) {
  float sum = 0;
  for (int64_t i = 0; i < kWidth; ++i) sum += v[i];
  return sum;
}

// Rows of a multiple of kWidth elements.
void Softmax(const float* x, float* out, int64_t rows, int64_t row) {
  for (int64_t r = 0; r < rows; ++r, x += row, out += row) {
    Vector best = Set(-std::numeric_limits<float>::infinity());
    for (int64_t i = 0; i < row; i += kWidth) {
      const Vector v = Load(x + i);
      best = v > best ? v : best;
    }
    float most = best[0];
    for (int64_t i = 1; i < kWidth; ++i) most = best[i] > most ? best[i] : most;
    Vector sums = Set(0);
    for (int64_t i = 0; i < row; i += kWidth) {
      const Vector e = Exp(Load(x + i) - Set(most));
      sums += e;
      Store(out + i, e);
    }
    const Vector sum = Set(Total(sums));
    for (int64_t i = 0; i < row; i += kWidth) Store(out + i, Load(out + i) / sum);
  }
}

void LayerNorm(const float* x, const float* gamma, const float* beta, float* out, int64_t rows,
               int64_t row) {
  const float n = static_cast<float>(row);
  for (int64_t r = 0; r < rows; ++r, x += row, out += row) {
    Vector sums = Set(0);
    for (int64_t i = 0; i < row; i += kWidth) sums += Load(x + i);
    const Vector mean = Set(Total(sums) / n);
    sums = Set(0);
    for (int64_t i = 0; i < row; i += kWidth) {
      const Vector d = Load(x + i) - mean;
      sums += d * d;
    }
    const Vector deviation = Set(std::sqrt(Total(sums) / n + 1e-5f));
    for (int64_t i = 0; i < row; i += kWidth) {
      Store(out + i, (Load(x + i) - mean) / deviation * Load(gamma + i) + Load(beta + i));
    }
  }
}

void BiasGelu(const float* bias, float* x, int64_t rows, int64_t row) {
  for (int64_t r = 0; r < rows; ++r, x += row) {
    for (int64_t i = 0; i < row; i += kWidth) {
      const Vector v = Load(x + i) + Load(bias + i);
      Store(x + i, Set(0.5f) * v * (Set(1) + Erf(v * Set(0.70710678f))));
    }
  }
}

}  // namespace

namespace FAULTLINE_ISA {
extern const Hand kHand;
const Hand kHand = {Cheap8, Softmax, LayerNorm, BiasGelu};
}  // namespace FAULTLINE_ISA

}  // namespace faultline::benchmarks
