// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/scheme_matrix.h"

#include <array>
#include <string>

namespace faultline::ir {
namespace {

constexpr std::array<std::string_view, 3> kStores = {"native", "packed_native", "packed_u32"};
constexpr std::array<std::string_view, 3> kLevels = {"tensor", "block", "two_level"};
constexpr std::array<std::string_view, 3> kModes = {"symmetric", "asymmetric", "lookup"};
constexpr int kScaleDtypes = 5;

// The value says what its mode is: there is no other way to write it.
Status CheckMode(const Scheme& scheme, QuantMode mode) {
  if (mode == QuantMode::kLookup) {
    return {StatusCode::kUnsupported, "there are no codebooks yet"};
  }
  if (scheme.asymmetric() == (mode == QuantMode::kAsymmetric)) return {};
  const std::string name(QValueName(scheme.value));
  return {StatusCode::kInvalidProgram, scheme.asymmetric()
                                           ? name + " always has a zero point"
                                           : name + " has no zero point; u8 and i8 have"};
}

SchemeCase CaseOf(QValue value, QStore store, ScaleLevel level, ScaleDtype scale, QuantMode mode) {
  SchemeCase made;
  made.scheme.value = value;
  made.scheme.store = store;
  made.scheme.scale = scale;
  made.scheme.two_level = level == ScaleLevel::kTwoLevel;
  if (level != ScaleLevel::kTensor) {
    made.scheme.block_rank = 1;
    made.scheme.block = {3};
  }
  made.level = level;
  made.mode = mode;
  made.refusal = CheckMode(made.scheme, mode);
  if (made.refusal.ok()) made.refusal = VerifyScheme(made.scheme, Shape{4, 8});
  return made;
}

}  // namespace

std::string_view QStoreName(QStore store) { return kStores[static_cast<size_t>(store)]; }
std::string_view ScaleLevelName(ScaleLevel level) { return kLevels[static_cast<size_t>(level)]; }
std::string_view QuantModeName(QuantMode mode) { return kModes[static_cast<size_t>(mode)]; }

std::vector<SchemeCase> SchemeMatrix() {
  std::vector<SchemeCase> matrix;
  for (int value = 0; value < kQValueCount; ++value) {
    for (size_t store = 0; store < kStores.size(); ++store) {
      for (size_t level = 0; level < kLevels.size(); ++level) {
        for (int scale = 0; scale < kScaleDtypes; ++scale) {
          for (size_t mode = 0; mode < kModes.size(); ++mode) {
            matrix.push_back(CaseOf(static_cast<QValue>(value), static_cast<QStore>(store),
                                    static_cast<ScaleLevel>(level), static_cast<ScaleDtype>(scale),
                                    static_cast<QuantMode>(mode)));
          }
        }
      }
    }
  }
  return matrix;
}

}  // namespace faultline::ir
