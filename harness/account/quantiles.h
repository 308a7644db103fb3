// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A distribution of positive numbers over many decades in little memory: counts in bins of 16 an
// octave, so that quantiles are right to a sixteenth and small multiples of a half are exact.

#ifndef HARNESS_ACCOUNT_QUANTILES_H_
#define HARNESS_ACCOUNT_QUANTILES_H_

#include <cstdint>
#include <map>

namespace faultline::harness {

class Quantiles {
 public:
  // Requires a finite number that is not negative.
  void Add(double value);
  void Merge(const Quantiles& other);

  int64_t count() const { return count_; }
  // The least bin edge that at least this share of the numbers does not exceed; 0 of nothing.
  double At(double share) const;

  // Counts by bin, to be carried between processes.
  const std::map<uint32_t, int64_t>& bins() const { return bins_; }
  void AddBin(uint32_t bin, int64_t count);

 private:
  std::map<uint32_t, int64_t> bins_;
  int64_t count_ = 0;
};

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_QUANTILES_H_
