// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The bounds of sums, dots and products held against executions that draw their order, lanes and
// FMAs, and against wrong ones. What is random is drawn from fixed seeds.

#include "reference/bounds.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace faultline::reference {
namespace {

using Random = std::mt19937_64;

size_t Below(Random& random, size_t n) { return random() % n; }
double Unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// Families of data: reals of one size, of many sizes, small integers, cancelling pairs.
template <class T>
std::vector<T> Draw(Random& random, int family, size_t n) {
  std::vector<T> values;
  for (size_t i = 0; i < n; ++i) {
    const double real = 2 * Unit(random) - 1;
    double value = real;
    if (family == 1) value = std::ldexp(real, static_cast<int>(Below(random, 60)) - 30);
    if (family == 2) value = std::round(real * 100);
    if (family == 3) value = i % 2 == 1 ? -values[i - 1] * (1 + real * 0x1p-12) : real;
    values.push_back(static_cast<T>(value));
  }
  return values;
}

// Combines values two at a time in a random order, or lane by lane.
template <class T, class Op>
T Combine(Random& random, std::vector<T> values, T start, const Op& op) {
  if (Below(random, 2) == 0) {
    const size_t lanes = 1 + Below(random, 8);
    std::vector<T> lane(lanes, start);
    for (size_t i = 0; i < values.size(); ++i) lane[i % lanes] = op(lane[i % lanes], values[i]);
    values = lane;
  }
  while (values.size() > 1) {
    std::swap(values[Below(random, values.size())], values.back());
    const T last = values.back();
    values.pop_back();
    T& other = values[Below(random, values.size())];
    other = op(other, last);
  }
  return values.empty() ? start : values[0];
}

template <class T>
constexpr ir::Dtype kDtype = std::is_same_v<T, double> ? ir::Dtype::kF64 : ir::Dtype::kF32;

template <class T>
FloatSet SumOf(const std::vector<T>& values) {
  return SumSet(kDtype<T>, FusionCpuContract(), [&](auto& bound) {
    for (const T value : values) bound.Add(double{value});
  });
}

template <class T>
FloatSet DotOf(const std::vector<T>& a, const std::vector<T>& b) {
  return SumSet(kDtype<T>, FusionCpuContract(), [&](auto& bound) {
    for (size_t i = 0; i < a.size(); ++i) bound.AddProduct(double{a[i]}, double{b[i]});
  });
}

template <class T>
FloatSet ProductOf(const std::vector<T>& values) {
  const Contract contract = FusionCpuContract();
  ProductBound bound(kDtype<T>, contract);
  for (const T value : values) bound.Multiply(FloatSet::Of(double{value}));
  return bound.Result();
}

// A dot whose products are rounded or fused at random, in random lanes and a random tree of them.
template <class T>
T DotLike(Random& random, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<size_t> order(a.size());
  for (size_t i = 0; i < a.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<T> lane(1 + Below(random, 6), T{0});
  for (size_t i = 0; i < a.size(); ++i) {
    T& sum = lane[i % lane.size()];
    const size_t k = order[i];
    sum = Below(random, 2) == 0 ? std::fma(a[k], b[k], sum) : sum + static_cast<T>(a[k] * b[k]);
  }
  return Combine(random, lane, T{0}, [](T x, T y) { return x + y; });
}

float ToBf16(float x) { return static_cast<float>(Round(ir::Dtype::kBf16, double{x})); }

template <class T>
void CheckSums(uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const std::vector<T> values = Draw<T>(random, trial % 4, Below(random, 40));
    const FloatSet set = SumOf(values);
    for (int order = 0; order < 8; ++order) {
      const T sum = Combine(random, values, T{0}, [](T x, T y) { return x + y; });
      INFO("trial " << trial << ": " << double{sum} << " not in " << Describe(kDtype<T>, set));
      if (!set.Contains(double{sum})) FAIL("a correct sum is outside");
    }
  }
  SUCCEED();
}

TEST_CASE("sums of any order, tree and number of lanes are admissible") {
  CheckSums<float>(1);
  CheckSums<double>(2);
}

template <class T>
void CheckDots(uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const size_t n = Below(random, 40);
    const std::vector<T> a = Draw<T>(random, trial % 4, n);
    const std::vector<T> b = Draw<T>(random, trial / 4 % 4, n);
    const FloatSet set = DotOf(a, b);
    for (int order = 0; order < 8; ++order) {
      const T dot = DotLike(random, a, b);
      INFO("trial " << trial << ": " << double{dot} << " not in " << Describe(kDtype<T>, set));
      if (!set.Contains(double{dot})) FAIL("a correct dot is outside");
    }
  }
  SUCCEED();
}

TEST_CASE("dots with and without FMA are admissible") {
  CheckDots<float>(3);
  CheckDots<double>(4);
}

TEST_CASE("dots whose products underflow are admissible") {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<float> a = Draw<float>(random, 0, 1 + Below(random, 20));
    std::vector<float> b = Draw<float>(random, 0, a.size());
    for (float& value : a) value = std::ldexp(value, -70);
    for (float& value : b) value = std::ldexp(value, -70);
    const FloatSet set = DotOf(a, b);
    const float dot = DotLike(random, a, b);
    INFO(double{dot} << " not in " << Describe(ir::Dtype::kF32, set));
    if (!set.Contains(double{dot})) FAIL("a correct dot is outside");
  }
  SUCCEED();
}

template <class T>
void CheckProducts(uint64_t seed, int exponent) {
  Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<T> values = Draw<T>(random, trial % 3, Below(random, 24));
    for (T& value : values)
      value = static_cast<T>(std::ldexp(value, static_cast<int>(Below(random, 5)) * exponent));
    const FloatSet set = ProductOf(values);
    for (int order = 0; order < 8; ++order) {
      const T product = Combine(random, values, T{1}, [](T x, T y) { return x * y; });
      INFO("trial " << trial << ": " << double{product} << " not in " << Describe(kDtype<T>, set));
      if (!set.Contains(double{product})) FAIL("a correct product is outside");
    }
  }
  SUCCEED();
}

TEST_CASE("products of any order are admissible, overflow and underflow included") {
  CheckProducts<float>(6, 0);
  CheckProducts<float>(7, 9);
  CheckProducts<float>(8, -9);
  CheckProducts<double>(9, 0);
  CheckProducts<double>(10, 90);
  CheckProducts<double>(11, -90);
}

TEST_CASE("sums near the threshold of overflow are admissible") {
  Random random(12);
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<float> values = Draw<float>(random, trial % 2 * 3, 1 + Below(random, 9));
    for (float& value : values) value *= 0x1.8p127f;
    const FloatSet set = SumOf(values);
    const float sum = Combine(random, values, 0.0f, [](float x, float y) { return x + y; });
    INFO(double{sum} << " not in " << Describe(ir::Dtype::kF32, set));
    if (!set.Contains(double{sum})) FAIL("a correct sum is outside");
  }
  SUCCEED();
}

TEST_CASE("sums of boxes hold every sum of their members") {
  Random random(13);
  for (int trial = 0; trial < 4000; ++trial) {
    const std::vector<float> ends = Draw<float>(random, trial % 4, 2 * (1 + Below(random, 12)));
    std::vector<float> members;
    const FloatSet set = SumSet(ir::Dtype::kF32, FusionCpuContract(), [&](auto& bound) {
      for (size_t i = 0; i < ends.size(); i += 2) {
        const auto [lo, hi] = std::minmax(ends[i], ends[i + 1]);
        bound.Add(FloatSet::Between(double{lo}, double{hi}));
        members.push_back(Below(random, 3) == 0 ? lo : hi);
      }
    });
    const float sum = Combine(random, members, 0.0f, [](float x, float y) { return x + y; });
    if (!set.Contains(double{sum})) FAIL("a correct sum is outside");
  }
  SUCCEED();
}

TEST_CASE("integers and other grids give points") {
  Random random(14);
  for (int trial = 0; trial < 1000; ++trial) {
    const size_t n = 1 + Below(random, 40);
    const std::vector<float> a = Draw<float>(random, 2, n);
    const std::vector<float> b = Draw<float>(random, 2, n);
    const FloatSet sum = SumOf(a);
    const FloatSet dot = DotOf(a, b);
    REQUIRE(sum.count == 1);
    REQUIRE(sum.lo() == sum.hi());
    REQUIRE(dot.lo() == dot.hi());
  }
}

// Shares of wrong results that the sets rule out. They are figures of merit, so each is printed and
// must not fall below what it was when it was written.
struct Power {
  int wrong = 0;
  int found = 0;
  void Note(const FloatSet& set, float right, float result) {
    if (result == right) return;
    ++wrong;
    if (!set.Contains(double{result})) ++found;
  }
  double share() const { return wrong == 0 ? 0 : static_cast<double>(found) / wrong; }
};

TEST_CASE("wrong dots are mostly ruled out") {
  Random random(15);
  for (const size_t n : {size_t{4}, size_t{16}, size_t{64}, size_t{512}}) {
    Power dropped;
    Power narrowed;
    Power doubled;
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<float> a = Draw<float>(random, 0, n);
      std::vector<float> b = Draw<float>(random, 0, n);
      const FloatSet set = DotOf(a, b);
      const float right = DotLike(random, a, b);
      std::vector<float> rounded;
      for (const float value : a) rounded.push_back(ToBf16(value));
      narrowed.Note(set, right, DotLike(random, rounded, b));
      const size_t at = Below(random, n);
      const float kept = a[at];
      a[at] = 0;
      dropped.Note(set, right, DotLike(random, a, b));
      a[at] = 2 * kept;
      doubled.Note(set, right, DotLike(random, a, b));
    }
    WARN("dots of " << n << ": one product dropped " << 100 * dropped.share()
                    << " %, one counted twice " << 100 * doubled.share()
                    << " %, inputs rounded to bf16 " << 100 * narrowed.share() << " % ruled out");
    CHECK(dropped.share() > 0.95);
    CHECK(doubled.share() > 0.95);
    CHECK(narrowed.share() > (n > 100 ? 0.65 : 0.98));
  }
}

}  // namespace
}  // namespace faultline::reference
