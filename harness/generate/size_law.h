// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How large programs are. Work (ir::WorkOf) is log-uniform with median 512; 95 % of programs stay
// within 8,192, one in a hundred reaches up to 2^20: small programs find most faults and are run by
// the million, large ones pass tile and thread thresholds.

#ifndef HARNESS_GENERATE_SIZE_LAW_H_
#define HARNESS_GENERATE_SIZE_LAW_H_

#include <cstdint>
#include <span>

#include "harness/generate/choice_stream.h"
#include "harness/generate/swarm.h"
#include "ir/shape.h"

namespace faultline::harness {

struct WorkTarget {
  int64_t aim = 512;
  int64_t max = 8192;  // no application may pass it
};
WorkTarget DrawWork(ChoiceStream& choices);

// Extents that sit at the edges of vectors and tiles.
std::span<const int64_t> InterestingExtents();

// An extent within [0, max].
int64_t DrawExtent(ChoiceStream& choices, const Swarm& swarm, int64_t max);

// A shape of rank `rank` (drawn where negative) with around `elements` elements, never above twice
// that. Extents repeat on purpose: equality patterns are part of a plan's key.
ir::Shape DrawShape(ChoiceStream& choices, const Swarm& swarm, int rank, int64_t elements);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_SIZE_LAW_H_
