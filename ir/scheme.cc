// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/scheme.h"

#include <algorithm>

namespace faultline::ir {
namespace {

struct ValueFacts {
  std::string_view name;
  int bits;
  bool integer;
  int min;
  int max;
  double divisor;
};

// The divisor of an asymmetric value is the width of its range.
constexpr std::array<ValueFacts, kQValueCount> kValues = {{
    {"q8f", 8, true, -128, 127, 127.5},
    {"q8s", 8, true, -127, 127, 127},
    {"q4f", 4, true, -8, 7, 7.5},
    {"q4s", 4, true, -7, 7, 7},
    {"q2f", 2, true, -2, 1, 1.5},
    {"q2s", 2, true, -1, 1, 1},
    {"e4m3", 8, false, 0, 255, 448},
    {"e5m2", 8, false, 0, 255, 57344},
    {"e2m1", 4, false, 0, 15, 6},
    {"i8", 8, true, -128, 127, 255},
    {"u8", 8, true, 0, 255, 255},
}};

struct ScaleFacts {
  std::string_view name;
  int bytes;
};

constexpr std::array<ScaleFacts, 5> kScales = {
    {{"f32", 4}, {"f16", 2}, {"bf16", 2}, {"ue8m0", 1}, {"ue4m3", 1}}};

const ValueFacts& FactsOf(QValue value) { return kValues[static_cast<size_t>(value)]; }

}  // namespace

int CodeBits(QValue value) { return FactsOf(value).bits; }
bool IsIntegerCode(QValue value) { return FactsOf(value).integer; }
int CodeMin(QValue value) { return FactsOf(value).min; }
int CodeMax(QValue value) { return FactsOf(value).max; }
double ScaleDivisor(QValue value) { return FactsOf(value).divisor; }
std::string_view QValueName(QValue value) { return FactsOf(value).name; }
int ScaleBytes(ScaleDtype dtype) { return kScales[static_cast<size_t>(dtype)].bytes; }
std::string_view ScaleDtypeName(ScaleDtype dtype) {
  return kScales[static_cast<size_t>(dtype)].name;
}

std::optional<QValue> FindQValue(std::string_view name) {
  for (size_t i = 0; i < kValues.size(); ++i) {
    if (kValues[i].name == name) return static_cast<QValue>(i);
  }
  return std::nullopt;
}

std::optional<ScaleDtype> FindScaleDtype(std::string_view name) {
  for (size_t i = 0; i < kScales.size(); ++i) {
    if (kScales[i].name == name) return static_cast<ScaleDtype>(i);
  }
  return std::nullopt;
}

std::string PrintScheme(const Scheme& scheme) {
  std::string fields;
  const auto add = [&fields](std::string_view text) {
    fields += fields.empty() ? '<' : ',';
    fields += text;
  };
  if (!scheme.per_tensor()) {
    std::string block = "block=[";
    for (size_t i = 0; i < scheme.block_rank; ++i) {
      if (i > 0) block += ',';
      block += std::to_string(scheme.block[i]);
    }
    add(block + "]");
  }
  if (scheme.scale != ScaleDtype::kF32) {
    add("scale=" + std::string(ScaleDtypeName(scheme.scale)));
  }
  if (scheme.two_level) add("tensor=f32");
  const std::string dim = "(" + std::to_string(scheme.packed_dim) + ")";
  switch (scheme.store) {
    case QStore::kNative:
      add("store=native");
      break;
    case QStore::kPackedNative:
      add("store=packed_native" + dim);
      break;
    case QStore::kPackedU32:
      // i8 and u8 are plain dtypes too: angle brackets tell the asymmetric scheme from them.
      if (scheme.packed_dim != 0 || scheme.asymmetric()) add("store=packed_u32" + dim);
      break;
  }
  std::string text(QValueName(scheme.value));
  if (!fields.empty()) text += fields + ">";
  return text;
}

}  // namespace faultline::ir
