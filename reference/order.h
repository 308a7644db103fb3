// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The pinned order of elements, and what is known of an element that is a set: for sorts, top k and
// the certificates of their index results (rule R6 of the oracle). A NaN stands beyond every number
// and ties with every NaN; -0 ties with +0.

#ifndef REFERENCE_ORDER_H_
#define REFERENCE_ORDER_H_

#include <cstdint>
#include <vector>

#include "ir/attributes.h"
#include "ir/op.h"
#include "reference/enclosure.h"

namespace faultline::reference {

// A key that ints and floats share.
struct SortKey {
  bool nan = false;
  int64_t number = 0;
  auto operator<=>(const SortKey&) const = default;
};

// What comes first.
struct Direction {
  bool descending = false;
  bool nan_first = false;
};
// Of a sort, a top k, or a search for an extreme: there the first of all is what is looked for.
Direction DirectionOf(ir::Opcode op, const ir::Attributes& attributes);

// What comes first has the least key.
SortKey KeyOf(ir::Dtype dtype, Cell cell, Direction direction);

// Between which keys an element may be.
struct KeyRange {
  SortKey lo;
  SortKey hi;
};
KeyRange KeyRangeOf(const Enclosure& x, int64_t i, Direction direction);

// Where each element of a stable sort may end up, given the ranges of all: ranks [first, last].
struct RankRange {
  int64_t first;
  int64_t last;
};
std::vector<RankRange> RanksOf(const std::vector<KeyRange>& ranges);

}  // namespace faultline::reference

#endif  // REFERENCE_ORDER_H_
