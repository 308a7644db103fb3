// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011): four words for each counter and key. docs/random.md says how ops use it.

#ifndef REFERENCE_PHILOX_H_
#define REFERENCE_PHILOX_H_

#include <array>
#include <cstdint>

namespace faultline::reference {

inline std::array<uint32_t, 4> Philox(uint64_t seed, uint64_t block, uint64_t offset) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  std::array<uint32_t, 4> c = {low(block), high(block), low(offset), high(offset)};
  uint32_t key0 = low(seed);
  uint32_t key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xd2511f53} * c[0];
    const uint64_t p1 = uint64_t{0xcd9e8d57} * c[2];
    c = {high(p1) ^ c[1] ^ key0, low(p1), high(p0) ^ c[3] ^ key1, low(p0)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return c;
}

}  // namespace faultline::reference

#endif  // REFERENCE_PHILOX_H_
