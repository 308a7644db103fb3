// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/pattern.h"

namespace faultline::harness {
namespace {

// Elements from `first` on, in each row of `width` elements.
bool IsEachRow(std::span<const int64_t> wrong, int64_t elements, int64_t width, int64_t first,
               int64_t last) {
  const int64_t per_row = last - first;
  const int64_t rows = elements / width;
  if (static_cast<int64_t>(wrong.size()) != rows * per_row) return false;
  for (size_t i = 0; i < wrong.size(); ++i) {
    const auto k = static_cast<int64_t>(i);
    if (wrong[i] != k / per_row * width + first + k % per_row) return false;
  }
  return true;
}

bool IsWholeRows(std::span<const int64_t> wrong, int64_t width) {
  if (static_cast<int64_t>(wrong.size()) % width != 0) return false;
  for (size_t i = 0; i < wrong.size(); ++i) {
    const auto k = static_cast<int64_t>(i);
    if (wrong[i] % width != k % width) return false;
    if (k % width != 0 && wrong[i] != wrong[i - 1] + 1) return false;
  }
  return true;
}

bool IsStrided(std::span<const int64_t> wrong) {
  if (wrong.size() < 3) return false;
  const int64_t step = wrong[1] - wrong[0];
  for (size_t i = 2; i < wrong.size(); ++i) {
    if (wrong[i] - wrong[i - 1] != step) return false;
  }
  return step > 1;
}

}  // namespace

MismatchPattern PatternOf(std::span<const int64_t> wrong, const ir::Shape& shape) {
  if (wrong.empty()) return MismatchPattern::kNone;
  if (wrong.size() == 1) return MismatchPattern::kSingle;
  const int64_t elements = shape.NumElements();
  const auto count = static_cast<int64_t>(wrong.size());
  if (count == elements) return MismatchPattern::kAll;
  const int64_t width = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  if (width > 1 && width < elements) {
    if (IsWholeRows(wrong, width)) return MismatchPattern::kRow;
    const int64_t column = wrong[0];
    if (column < width && IsEachRow(wrong, elements, width, column, column + 1)) {
      return column + 1 == width ? MismatchPattern::kRowTail : MismatchPattern::kColumn;
    }
    if (column < width && IsEachRow(wrong, elements, width, column, width)) {
      return MismatchPattern::kRowTail;
    }
  }
  if (wrong.back() == elements - 1 && wrong.front() == elements - count) {
    return MismatchPattern::kTail;
  }
  return IsStrided(wrong) ? MismatchPattern::kStrided : MismatchPattern::kScattered;
}

}  // namespace faultline::harness
