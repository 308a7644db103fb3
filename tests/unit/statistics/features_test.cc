// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/features.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

struct Counters {
  std::array<uint8_t, kFeaturesMax> values = {};
  uint8_t Of(std::string_view name) const {
    for (size_t i = 0; i < values.size(); ++i) {
      if (FeatureName(i) == name) return values[i];
    }
    FAIL("no feature " << name);
    return 0;
  }
};

TEST_CASE("features are few, and each has a name of its own") {
  size_t used = 0;
  for (int f = 0; f < kFeatureFamilyCount; ++f) {
    used += FeatureBlockSize(static_cast<FeatureFamily>(f));
  }
  REQUIRE(used <= kFeaturesMax);
  std::set<std::string> names;
  for (size_t i = 0; i < used; ++i) names.insert(FeatureName(i));
  CHECK(names.size() == used);
  CHECK(FeatureName(used) == "none");
}

TEST_CASE("counters stop at three levels, and an index beyond the block stays in it") {
  Counters counters;
  Features features(counters.values);
  for (int i = 0; i < 300; ++i) features.Hit(FeatureFamily::kVerdict, 0);
  features.Hit(FeatureFamily::kTier, 100000);
  CHECK(counters.Of("verdict agree") == 3);
  CHECK(counters.Of("tier 14") == 1);
}

TEST_CASE("programs leave their ops, layouts, schemes and transactions") {
  const auto program = ir::ParseAndVerify(R"(faultline 1
%a: f32[2,4] = input iota(start=0x0p+0, step=0x1p+0) strides=[1,2]
%b: f32[2,4] = exp %a
%q: q8s[2,4] = quantize %b
%v: q8s[4,2] = reshape %q
read %v %v %b
)");
  REQUIRE(program.has_value());
  Counters counters;
  Features(counters.values).CountProgram(*program);
  CHECK(counters.Of("op exp/f32") == 1);
  CHECK(counters.Of("op reshape/quantized") == 1);
  CHECK(counters.Of("layout permuted elementwise") == 1);
  CHECK(counters.Of("scheme q8s-packed-tensor view") == 1);
  CHECK(counters.Of("scheme q8s-packed-tensor quantize") == 1);
  CHECK(counters.Of("transaction quantized-first of 4 with duplicates") == 1);
}

TEST_CASE("traces leave edges, rules, aliases and cache events") {
  PlanTrace trace;
  trace.blocks.resize(2);
  trace.blocks[0].source_ops = {ir::Opcode::kExp, ir::Opcode::kSumDim};
  trace.blocks[1].source_ops = {ir::Opcode::kSort};
  trace.blocks[1].tier = "sort";
  trace.rules_fired = {{"b", 2}};
  trace.cuts = {{"too large", 1}};
  trace.in_place = 1;
  trace.in_place_refused = {{"not the sole owner", 1}};
  trace.cache_hits = 3;
  const std::array<std::string_view, 2> rules = {"a", "b"};
  Counters counters;
  Features(counters.values).CountTrace(trace, rules);
  CHECK(counters.Of("edge elementwise>reduction fused") == 1);
  CHECK(counters.Of("edge reduction>sort cut") == 1);
  CHECK(counters.Of("rule 1") == 1);
  CHECK(counters.Of("rule 0") == 0);
  size_t cuts = 0;
  for (size_t i = 0; i < FeatureBlockSize(FeatureFamily::kCut); ++i) {
    cuts += counters.values[FeatureBlockBegin(FeatureFamily::kCut) + i];
  }
  CHECK(cuts == 1);
  CHECK(counters.Of("alias granted") == 1);
  CHECK(counters.Of("cache hit") == 1);
  CHECK(counters.Of("cache miss") == 0);
}

TEST_CASE("wider sets reach other counters") {
  CompareStatistics narrow;
  narrow.radii = {0.25f};
  CompareStatistics wide;
  wide.radii = {0.25f, 5000.0f};
  Counters a;
  Counters b;
  Features(a.values).CountComparison(Verdict(), narrow);
  Features(b.values).CountComparison(Verdict(), wide);
  CHECK(a.Of("radius 0") == 1);
  CHECK(b.Of("radius 0") == 0);
  CHECK(a.values != b.values);
}

}  // namespace
}  // namespace faultline::harness
