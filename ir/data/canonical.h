// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The canonical form of data: what the printer writes. Long lists become a generator form with
// overrides where one fits.

#ifndef IR_DATA_CANONICAL_H_
#define IR_DATA_CANONICAL_H_

#include "ir/data.h"

namespace faultline::ir {

// Lists up to this length are always printed as lists.
inline constexpr size_t kPrintedListMax = 16;

// The same elements: a list over kPrintedListMax elements as a constant or a cycle with few
// overrides, if that fits; everything else unchanged.
DataSpec CanonicalData(const DataSpec& data);

// Equality member by member.
bool SameFields(const DataSpec& a, const DataSpec& b);

}  // namespace faultline::ir

#endif  // IR_DATA_CANONICAL_H_
