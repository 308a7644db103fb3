// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How the memory pool of an engine lays buffers out: shared by the engine's interface and by its
// targets.

#ifndef FUSION_POOL_MODE_H_
#define FUSION_POOL_MODE_H_

#include <cstdint>

namespace faultline::fusion {

enum class PoolMode : uint8_t {
  kPlain,
  kGuard,  // zones with a changing pattern around each buffer, poison on free
  kPitch,  // rows of intermediate buffers padded at random, with random offsets
};

}  // namespace faultline::fusion

#endif  // FUSION_POOL_MODE_H_
