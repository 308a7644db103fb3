// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Means, sums of squares and variances of a row of floats, in the dtype that an op computes in.

#ifndef REFERENCE_MOMENTS_H_
#define REFERENCE_MOMENTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/algebra.h"
#include "reference/kernel.h"
#include "reference/rows.h"

namespace faultline::reference {

template <class A>
std::vector<typename A::Float> RowOf(const typename A::Tensor& tensor, const Row& row) {
  std::vector<typename A::Float> floats;
  floats.reserve(static_cast<size_t>(row.count));
  for (int64_t k = 0; k < row.count; ++k) floats.push_back(FloatAt(tensor, row[k]));
  return floats;
}

// The sum, divided once by the number of elements; NaN of nothing.
double MeanOf(const Exact& algebra, std::span<const double> x);
FloatSet MeanOf(const Sets& algebra, std::span<const FloatSet> x);
// The sum of x*x, in any order where the contract leaves it free.
double SquaresOf(const Exact& algebra, std::span<const double> x);
FloatSet SquaresOf(const Sets& algebra, std::span<const FloatSet> x);
// Their sum, divided once by the number of elements; NaN of nothing.
double MeanSquareOf(const Exact& algebra, std::span<const double> x);
FloatSet MeanSquareOf(const Sets& algebra, std::span<const FloatSet> x);
// The sum of (x - mean)^2, divided by the number of elements less `ddof`; NaN if that is not above
// 0. `mean` is MeanOf the same row.
double VarianceOf(const Exact& algebra, std::span<const double> x, double mean, int64_t ddof);
FloatSet VarianceOf(const Sets& algebra, std::span<const FloatSet> x, const FloatSet& mean,
                    int64_t ddof);

}  // namespace faultline::reference

#endif  // REFERENCE_MOMENTS_H_
