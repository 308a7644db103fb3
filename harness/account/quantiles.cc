// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/quantiles.h"

#include <bit>
#include <cmath>

namespace faultline::harness {
namespace {

// A bin is named by the sign, exponent and first four fraction bits of its upper edge.
constexpr int kDropped = 48;

}  // namespace

void Quantiles::Add(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value) + ((uint64_t{1} << kDropped) - 1);
  AddBin(static_cast<uint32_t>(bits >> kDropped), 1);
}

void Quantiles::AddBin(uint32_t bin, int64_t count) {
  bins_[bin] += count;
  count_ += count;
}

void Quantiles::Merge(const Quantiles& other) {
  for (const auto& [bin, count] : other.bins_) AddBin(bin, count);
}

double Quantiles::At(double share) const {
  const auto wanted = static_cast<int64_t>(std::ceil(share * static_cast<double>(count_)));
  int64_t below = 0;
  for (const auto& [bin, count] : bins_) {
    below += count;
    if (below >= wanted) return std::bit_cast<double>(uint64_t{bin} << kDropped);
  }
  return 0;
}

}  // namespace faultline::harness
