// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/quantiles.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

TEST_CASE("quantiles of nothing are 0") { CHECK(Quantiles().At(0.5) == 0); }

TEST_CASE("small multiples of a half come back as they are") {
  Quantiles quantiles;
  for (double value : {0.5, 0.5, 1.0, 1.5, 7.5}) quantiles.Add(value);
  CHECK(quantiles.At(0.2) == 0.5);
  CHECK(quantiles.At(0.5) == 1.0);
  CHECK(quantiles.At(0.8) == 1.5);
  CHECK(quantiles.At(1) == 7.5);
}

TEST_CASE("other numbers are rounded up by at most a sixteenth") {
  for (double value : {0.3, 1.234, 99.9, 1e9, 4.7e15}) {
    Quantiles quantiles;
    quantiles.Add(value);
    CHECK(quantiles.At(0.5) >= value);
    CHECK(quantiles.At(0.5) <= value * 17 / 16);
  }
}

TEST_CASE("merging counts both") {
  Quantiles low;
  Quantiles high;
  for (int i = 0; i < 99; ++i) low.Add(1);
  high.Add(64);
  low.Merge(high);
  CHECK(low.count() == 100);
  CHECK(low.At(0.99) == 1);
  CHECK(low.At(0.995) == 64);
}

}  // namespace
}  // namespace faultline::harness
