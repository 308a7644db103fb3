// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/engine/hand.h"

namespace faultline::benchmarks {

namespace baseline {
extern const Hand kHand;
}
namespace avx2 {
extern const Hand kHand;
}
namespace avx512 {
extern const Hand kHand;
}

const Hand& GetHand() {
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512::kHand;
  }
  return wide ? avx2::kHand : baseline::kHand;
}

}  // namespace faultline::benchmarks
