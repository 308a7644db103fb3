// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/chooser.h"

namespace faultline::fusion {

uint8_t ChaosChooser::Choose(const PlanDecision& proposal) {
  uint64_t state = seed_ ^ (static_cast<uint64_t>(proposal.kind) << 56) ^
                   (static_cast<uint64_t>(proposal.a) << 28) ^ proposal.b;
  // The finaliser of splitmix64, twice, so that neighbouring decisions are unrelated.
  for (int i = 0; i < 2; ++i) {
    state += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    state ^= state >> 31;
  }
  return static_cast<uint8_t>(state % proposal.alternatives);
}

}  // namespace faultline::fusion
