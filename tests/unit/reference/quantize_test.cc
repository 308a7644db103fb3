// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantization held against values worked out by hand and against a slow formula that searches
// where the code computes.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference/quantize_arithmetic.h"
#include "reference/quantized.h"
#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

using ir::QValue;
using ir::ScaleDtype;

constexpr QValue kIntegerValues[] = {QValue::kQ8f, QValue::kQ8s, QValue::kQ4f,
                                     QValue::kQ4s, QValue::kQ2f, QValue::kQ2s};
constexpr QValue kFloatValues[] = {QValue::kE4m3, QValue::kE5m2, QValue::kE2m1};

// The nearest integer of a few around, ties to the even one, by comparing distances in f64 (exact:
// quotients of f32 are f32 and the candidates small).
int32_t SlowIntegerCode(QValue value, float quotient) {
  int32_t best = ir::CodeMin(value);
  quotient = std::clamp(quotient, -1000.0f, 1000.0f);
  for (int32_t code = ir::CodeMin(value); code <= ir::CodeMax(value); ++code) {
    const double here = std::fabs(double{quotient} - code);
    const double there = std::fabs(double{quotient} - best);
    if (here < there || (here == there && code % 2 == 0)) best = code;
  }
  return best;
}

// All finite codes of that sign; the nearer, of two equally near the even one.
int32_t SlowFloatCode(QValue value, float quotient) {
  const int32_t sign = 1 << (ir::CodeBits(value) - 1);
  // Far beyond every code, distances would round to the same.
  const double magnitude = std::min(std::fabs(double{quotient}), 1e6);
  int32_t best = 0;
  for (int32_t code = 0; code < sign; ++code) {
    if (!std::isfinite(DecodeCode(value, code))) continue;
    const double here = std::fabs(magnitude - double{DecodeCode(value, code)});
    const double there = std::fabs(magnitude - double{DecodeCode(value, best)});
    if (here < there || (here == there && code % 2 == 0)) best = code;
  }
  return std::signbit(quotient) ? best | sign : best;
}

std::vector<float> Interesting() {
  std::vector<float> values = {0.0f,   -0.0f,   0.25f,    0.5f,      0.75f,  1.25f,    1.5f,
                               1.75f,  2.5f,    3.5f,     5.0f,      6.0f,   7.0f,     126.5f,
                               127.5f, 128.0f,  1e-40f,   447.9f,    464.0f, 57344.0f, 61440.0f,
                               3e38f,  0x1p-9f, 0x1p-10f, 0x1.8p-10f};
  const size_t n = values.size();
  for (size_t i = 0; i < n; ++i) {
    values.push_back(-values[i]);
    values.push_back(std::nextafter(values[i], 1e30f));
    values.push_back(std::nextafter(values[i], -1e30f));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    values.push_back(static_cast<float>(std::ldexp(unit, static_cast<int>(random() % 24) - 10)));
  }
  return values;
}

TEST_CASE("codes are the nearest representable") {
  for (const float x : Interesting()) {
    for (const QValue value : kIntegerValues) {
      REQUIRE(CodeOf(value, x, 1) == SlowIntegerCode(value, x));
    }
    for (const QValue value : kFloatValues) {
      INFO(x << " as " << ir::QValueName(value));
      REQUIRE(CodeOf(value, x, 1) == SlowFloatCode(value, x));
    }
  }
}

TEST_CASE("ties of e2m1 are those of the pinned list") {
  const auto decoded = [](float x) {
    return DecodeCode(QValue::kE2m1, CodeOf(QValue::kE2m1, x, 1));
  };
  CHECK(decoded(0.25f) == 0);
  CHECK(decoded(0.75f) == 1);
  CHECK(decoded(1.25f) == 1);
  CHECK(decoded(1.75f) == 2);
  CHECK(decoded(2.5f) == 2);
  CHECK(decoded(3.5f) == 4);
  CHECK(decoded(5.0f) == 4);
  CHECK(CodeOf(QValue::kE2m1, -0.0f, 1) == 0x8);
}

TEST_CASE("what is no number has a code of its own") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(CodeOf(QValue::kQ8s, nan, 1) == 0);
  CHECK(CodeOf(QValue::kQ8s, -inf, 1) == -127);
  CHECK(CodeOf(QValue::kQ8f, -inf, 1) == -128);
  CHECK(CodeOf(QValue::kE4m3, nan, 1) == 0x7f);
  CHECK(CodeOf(QValue::kE4m3, inf, 1) == 0x7e);
  CHECK(CodeOf(QValue::kE5m2, -inf, 1) == 0xfb);
  CHECK(CodeOf(QValue::kE2m1, nan, 1) == 0);
  CHECK(CodeOf(QValue::kE2m1, inf, 1) == 7);
  CHECK(std::isinf(DecodeCode(QValue::kE5m2, 0x7c)));
  CHECK(std::isnan(DecodeCode(QValue::kE4m3, 0xff)));
}

TEST_CASE("ranks order the codes by value and lead back") {
  for (const QValue value : kFloatValues) {
    for (int32_t code = 0; code < 1 << ir::CodeBits(value); ++code) {
      REQUIRE(CodeOfRank(value, RankOfCode(value, code)) == code);
      for (int32_t other = 0; other < 1 << ir::CodeBits(value); ++other) {
        if (DecodeCode(value, code) < DecodeCode(value, other)) {
          REQUIRE(RankOfCode(value, code) < RankOfCode(value, other));
        }
      }
    }
  }
}

// The least stored value that is not below, by trying them all.
float SlowRoundUp(ScaleDtype dtype, float scale) {
  const uint32_t count = dtype == ScaleDtype::kUe8m0   ? 0xff
                         : dtype == ScaleDtype::kUe4m3 ? 0x7f
                                                       : 0x7c00;
  float best = std::numeric_limits<float>::infinity();
  float largest = 0;
  for (uint32_t bits = 0; bits < (dtype == ScaleDtype::kBf16 ? 0x7f80 : count); ++bits) {
    const float value = DecodeScale(dtype, bits);
    if (value <= 0) continue;
    largest = std::max(largest, value);
    if (value >= scale && value < best) best = value;
  }
  return std::isinf(best) ? largest : best;
}

TEST_CASE("scales are rounded up to their dtype") {
  for (const ScaleDtype dtype :
       {ScaleDtype::kF16, ScaleDtype::kBf16, ScaleDtype::kUe8m0, ScaleDtype::kUe4m3}) {
    for (const float scale :
         {0.0f, 0x1p-149f, 0x1p-126f, 1e-7f, 0x1p-24f, 0x1.004p-15f, 0.1f, 1.0f,
          std::nextafter(1.0f, 2.0f), 3.0f, 448.0f, 449.0f, 65504.0f, 70000.0f, 0x1p127f, 3e38f}) {
      INFO(ir::ScaleDtypeName(dtype) << " of " << scale);
      REQUIRE(DecodeScale(dtype, RoundUpToScale(dtype, scale)) == SlowRoundUp(dtype, scale));
    }
  }
  CHECK(RoundUpToScale(ScaleDtype::kUe8m0, 1) == 127);
  CHECK(RoundUpToScale(ScaleDtype::kUe4m3, 1e-20f) == 1);
}

TEST_CASE("the scale rule has a floor and no case for zero") {
  CHECK(UnroundedScale(QValue::kQ8s, 127) == 1);
  CHECK(UnroundedScale(QValue::kQ8f, 127.5f) == 1);
  CHECK(UnroundedScale(QValue::kQ8s, 0) == 0x1p-126f);
  CHECK(TensorScale(ScaleDtype::kUe4m3, 0x1p-126f) == 0x1p-100f);
}

TEST_CASE("quantizing points gives points") {
  CHECK(DescribeY("%a: f32[4] = input [127, -63.5, 0.5, 1.5]\n%y: q8s[4] = quantize %a\n") ==
        "127 -64 0 2 | 0x1p+0");
  // q8f clamps the positive end: 127.5 -> 128 -> 127.
  CHECK(DescribeY("%a: f32[2] = input [127.5, -127.5]\n%y: q8f[2] = quantize %a\n") ==
        "127 -128 | 0x1p+0");
  CHECK(DescribeY("%a: f32[3] = input [7, -3.5, 0.5]\n%y: q4s[3] = quantize %a\n") ==
        "7 -4 0 | 0x1p+0");
  CHECK(DescribeY("%a: f32[3] = input [1, -0.5, -0.75]\n%y: q2s[3] = quantize %a\n") ==
        "1 0 -1 | 0x1p+0");
  CHECK(DescribeY("%a: f32[2] = input [0, 0]\n%y: q8s[2] = quantize %a\n") == "0 0 | 0x1p-126");
  CHECK(DescribeY("%a: f32[0] = input []\n%y: q8s[0] = quantize %a\n") == " | 0x1p-126");
  CHECK(DescribeY("%a: f32[4] = input [nan, inf, -inf, 127]\n%y: q8s[4] = quantize %a\n") ==
        "0 127 -127 127 | 0x1p+0");
  CHECK(DescribeY("%a: f16[2] = input [127, 1]\n%y: q8s[2] = quantize %a\n") == "127 1 | 0x1p+0");
}

TEST_CASE("blocks have scales of their own, the last one partial") {
  CHECK(DescribeY("%a: f32[2,3] = input [127, 254, 381, 508, 0, 127]\n"
                  "%y: q8s<block=[2]>[2,3] = quantize %a\n") ==
        "64 127 127 127 0 127 | 0x1p+1 0x1.8p+1 0x1p+2 0x1p+0");
  CHECK(DescribeY("%a: f32[3,2] = input [127, 254, 381, 508, 0, 127]\n"
                  "%y: q8s<block=[2,1]>[3,2] = quantize %a\n") ==
        "42 64 127 127 0 127 | 0x1.8p+1 0x1p+2 0x1p-126 0x1p+0");
}

TEST_CASE("dequantizing is one product and one rounding") {
  CHECK(DescribeY("%q: q8s[3] = input codes=[127, -1, 0] scales=[0x1.8p+0]\n"
                  "%y: f32[3] = dequantize %q\n") == "0x1.7dp+7 -0x1.8p+0 0x0p+0");
  CHECK(DescribeY("%q: q8s[1] = input codes=[127] scales=[0x1.fffffep+127]\n"
                  "%y: f32[1] = dequantize %q\n") == "inf");
  CHECK(DescribeY("%q: q8s[1] = input codes=[3] scales=[0x1.555556p-2]\n"
                  "%y: bf16[1] = dequantize %q\n") == "0x1p+0");
}

// Two ends of one ULP around 127 make the scale ambiguous, the codes with a given scale not.
TEST_CASE("an ambiguous absmax makes a set of scales") {
  const std::string body =
      "%l: f32[1] = input [0x1.360414p+2]\n%e: f32[1] = exp %l\n"
      "%c: f32[2] = input [1, -30]\n%b: f32[3] = cat %e %c dim=0\n"
      "%y: q8s[3] = quantize %b\n";
  const Evaluation evaluation = Evaluate(ParseOrFail(body), FusionCpuContract());
  const ir::Program program = ParseOrFail(body);
  const Enclosure& y = *evaluation.values[*program.Find("y")].enclosure;
  REQUIRE_FALSE(y.AllPoints());
  REQUIRE(y.quantized()->source != nullptr);
  CHECK_FALSE(y.quantized()->scales->IsPoint(0));
  const ir::HostTensor naive = evaluation.Naive(*program.Find("y"));
  CHECK(Check(y, naive, FusionCpuContract()).ok());
  // Another code for -30, another scale: each is caught.
  ir::QuantizedParts parts = ir::DecodeQuantized(naive);
  parts.codes[2] += 1;
  CHECK_FALSE(Check(y, ir::EncodeQuantized(naive.type, parts), FusionCpuContract()).ok());
  parts = ir::DecodeQuantized(naive);
  parts.scales[0] += 4;
  CHECK_FALSE(Check(y, ir::EncodeQuantized(naive.type, parts), FusionCpuContract()).ok());
}

// What %q of a body may be, and its naive bits, of which parts are then changed.
struct Ambiguous {
  explicit Ambiguous(const std::string& body)
      : program(ParseOrFail(body)), evaluation(Evaluate(program, FusionCpuContract())) {}
  const Enclosure& enclosure() const { return *evaluation.values[*program.Find("q")].enclosure; }
  ir::HostTensor naive() const { return evaluation.Naive(*program.Find("q")); }
  ir::QuantizedParts parts() const { return ir::DecodeQuantized(naive()); }
  bool Admits(const ir::QuantizedParts& changed) const {
    return Check(enclosure(), ir::EncodeQuantized(naive().type, changed), FusionCpuContract()).ok();
  }
  ir::Program program;
  Evaluation evaluation;
};

// The tensor's scale in its set, each block scale given that, codes given both.
TEST_CASE("two levels are held one given the other") {
  const Ambiguous q(
      "%l: f32[1] = input [0x1.360414p+2]\n%e: f32[1] = exp %l\n"
      "%c: f32[3] = input [1, -30, 0x1p-3]\n%b: f32[4] = cat %e %c dim=0\n"
      "%q: q8s<block=[2],scale=f16,tensor=f32>[4] = quantize %b\n");
  REQUIRE_FALSE(q.enclosure().AllPoints());
  CHECK_FALSE(q.enclosure().quantized()->tensor_scale.IsPoint());
  REQUIRE(q.Admits(q.parts()));
  ir::QuantizedParts parts = q.parts();
  *parts.tensor_scale += 64;
  CHECK_FALSE(q.Admits(parts));
  for (size_t block = 0; block < 2; ++block) {
    parts = q.parts();
    parts.scales[block] += 4;
    CHECK_FALSE(q.Admits(parts));
  }
  for (size_t i = 0; i < 4; ++i) {
    parts = q.parts();
    parts.codes[i] += parts.codes[i] > 0 ? -2 : 2;
    CHECK_FALSE(q.Admits(parts));
  }
}

TEST_CASE("zero points are held given the scale, codes given both") {
  const Ambiguous q(
      "%l: f32[1] = input [0x1.360414p+2]\n%e: f32[1] = exp %l\n"
      "%c: f32[2] = input [1, -0x1p-1]\n%b: f32[3] = cat %e %c dim=0\n"
      "%q: u8<store=native>[3] = quantize %b\n");
  REQUIRE_FALSE(q.enclosure().AllPoints());
  REQUIRE(q.Admits(q.parts()));
  ir::QuantizedParts parts = q.parts();
  parts.zeros[0] += 1;
  CHECK_FALSE(q.Admits(parts));
  parts = q.parts();
  parts.codes[1] += 1;
  CHECK_FALSE(q.Admits(parts));
}

TEST_CASE("abs-mean takes the mean magnitude, in any order") {
  CHECK(DescribeY("%a: f32[4] = input [127, -254, 381, -254]\n"
                  "%y: q8s[4] = quantize %a range=abs_mean\n") == "64 -127 127 -127 | 0x1p+1");
}

// The mean is the sum of the magnitudes in any order, divided once.
TEST_CASE("every order of an abs-mean gives an admissible scale") {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    ir::Type type(ir::Dtype::kF32, ir::Shape{1 + static_cast<int64_t>(random() % 20)});
    Points x;
    x.type = type;
    std::vector<float> magnitudes;
    for (int64_t i = 0; i < type.NumElements(); ++i) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      magnitudes.push_back(static_cast<float>(std::fabs(unit)));
      x.cells.push_back(ToCell(double{static_cast<float>(unit)}));
    }
    Enclosure result = Enclosure::ToFill({ir::ElementType(ir::Scheme{}), type.shape});
    Quantize(FusionCpuContract(), Enclosure(std::make_shared<const Points>(x)), ir::Range::kAbsMean,
             result);
    std::shuffle(magnitudes.begin(), magnitudes.end(), random);
    float sum = 0;
    for (const float magnitude : magnitudes) sum += magnitude;
    const float scale = sum / static_cast<float>(magnitudes.size()) / 127.0f;
    REQUIRE(result.quantized()->scales->FloatAt(0).Contains(double{scale}));
  }
}

TEST_CASE("scales are found block by block") {
  ir::Scheme scheme;
  scheme.block_rank = 2;
  scheme.block = {2, 3};
  const ir::Shape shape{2, 3, 4};
  const std::vector<int64_t> indices = ScaleIndices(scheme, shape);
  REQUIRE(ScaleCount(scheme, shape) == 8);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        REQUIRE(indices[static_cast<size_t>((i * 3 + j) * 4 + k)] == (i * 2 + j / 2) * 2 + k / 3);
      }
    }
  }
}

// A contract whose division may be off: quantizing gives sets, and so does a layout op that has to
// quantize anew, but not one that moves codes.
TEST_CASE("a looser contract loosens what is quantized anew") {
  const std::string q =
      "%q: q8s<block=[2]>[4] = input codes=[1, 2, 3, 4] scales=[0x1p+0, 0x1p+1]\n";
  const std::string moved = q + "%y: q8s<block=[2]>[2] = slice %q slices=[2:4:1]\n";
  const std::string anew = q + "%y: q8s<block=[2]>[2] = slice %q slices=[1:3:1]\n";
  CHECK(DescribeY(moved, PluginDefaultContract()) == "3 4 | 0x1p+1");
  CHECK(DescribeY(anew) == "42 127 | 0x1.83060cp-5");
  Contract loose = FusionCpuContract();
  loose.division_ulp = 2.5;
  CHECK(DescribeY(anew, loose) == "42 127 | [0x1.830608p-5, 0x1.83061p-5]");
}

TEST_CASE("layout ops move codes where blocks stay whole, else requantize") {
  const std::string q =
      "%q: q8s<block=[2]>[2,4] = input codes=[1, 2, 3, 4, 5, 6, 7, 8] "
      "scales=[0x1p+0, 0x1p+1, 0x1p+2, 0x1p+3]\n";
  CHECK(DescribeY(q + "%y: q8s<block=[2]>[2,2] = slice %q slices=[0:2:1, 2:4:1]\n") ==
        "3 4 7 8 | 0x1p+1 0x1p+3");
  CHECK(DescribeY(q + "%y: q8s<block=[2]>[2,4] = flip %q axes=[1]\n") ==
        "4 3 2 1 8 7 6 5 | 0x1p+1 0x1p+0 0x1p+3 0x1p+2");
  CHECK(DescribeY(q + "%i: i64[1] = input [1]\n"
                      "%y: q8s<block=[2]>[1,4] = select %q %i dim=0\n") ==
        "5 6 7 8 | 0x1p+2 0x1p+3");
  // Off the block boundary: 2, 6 and 24, 56 are quantized anew: 6/127, 56/127.
  const std::string off =
      DescribeY(q + "%y: q8s<block=[2]>[2,2] = slice %q slices=[0:2:1, 1:3:1]\n");
  CHECK(off == "42 127 54 127 | 0x1.83060cp-5 0x1.c3870ep-2");
  CHECK(DescribeY("%q: q8s[4] = input codes=[1, 2, 3, 4] scales=[0x1p-1]\n"
                  "%y: q8s[2] = slice %q slices=[1:3:1]\n") == "2 3 | 0x1p-1");
}

TEST_CASE("two tensors with scales of their own join by requantizing") {
  CHECK(DescribeY("%q: q8s[2] = input codes=[127, 0] scales=[0x1p+0]\n"
                  "%r: q8s[1] = input codes=[127] scales=[0x1p+1]\n"
                  "%y: q8s[3] = cat %q %r dim=0\n") == "64 0 127 | 0x1p+1");
  CHECK(DescribeY("%q: q8s[2] = input codes=[127, 0] scales=[0x1p+0]\n"
                  "%r: q8s[0] = input codes=[] scales=[0x1p+1]\n"
                  "%y: q8s[2] = cat %r %q dim=0\n") == "127 0 | 0x1p+0");
}

}  // namespace
}  // namespace faultline::reference
