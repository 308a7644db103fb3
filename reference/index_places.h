// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What the elements of an index operand name. An index out of range is reported, and what it would
// have moved is left at the first place; the value is spoiled anyway. An ambiguous index names
// several places (rule R5 of the oracle).

#ifndef REFERENCE_INDEX_PLACES_H_
#define REFERENCE_INDEX_PLACES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "reference/kernel.h"

namespace faultline::reference {

struct Indices {
  std::vector<int64_t> first;  // one place in range; 0 if there is none
  // Number of the index -> places, if it may name several; none listed: it may name any.
  std::map<int64_t, std::vector<int64_t>> several;
  bool anywhere = false;  // some index may name any place
};

// Of operand 1: places along an axis of extent `bound`.
Indices ReadIndices(const Call<Exact>& call, int64_t bound);
Indices ReadIndices(const Call<Sets>& call, int64_t bound);

// Of operand 1, whose last axis holds tuples: row-major numbers of places in the leading axes of
// operand 0.
Indices ReadTuples(const Call<Exact>& call);
Indices ReadTuples(const Call<Sets>& call);

// Elements of operand 0 in each place that a tuple of operand 1 names.
int64_t ElementsOfPart(const ir::Shape& operand, const ir::Shape& index);

}  // namespace faultline::reference

#endif  // REFERENCE_INDEX_PLACES_H_
