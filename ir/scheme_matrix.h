// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every combination of a scheme's fields, and whether it is one. What is refused is refused by the
// verifier; the matrix asks it, and adds what cannot even be written.

#ifndef IR_SCHEME_MATRIX_H_
#define IR_SCHEME_MATRIX_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/base/status.h"
#include "ir/scheme.h"

namespace faultline::ir {

enum class ScaleLevel : uint8_t { kTensor, kBlock, kTwoLevel };
enum class QuantMode : uint8_t { kSymmetric, kAsymmetric, kLookup };

std::string_view QStoreName(QStore store);
std::string_view ScaleLevelName(ScaleLevel level);
std::string_view QuantModeName(QuantMode mode);

struct SchemeCase {
  Scheme scheme;  // blocks of [3] where there are blocks
  ScaleLevel level = ScaleLevel::kTensor;
  QuantMode mode = QuantMode::kSymmetric;
  Status refusal;  // ok: it works
};

// Sorted by value, store, level, scale and mode.
std::vector<SchemeCase> SchemeMatrix();

}  // namespace faultline::ir

#endif  // IR_SCHEME_MATRIX_H_
