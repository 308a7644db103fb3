// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where the extremes of rows stand: the lowest index of an extreme, the first NaN if there is one.

#ifndef REFERENCE_ARG_H_
#define REFERENCE_ARG_H_

#include "reference/kernel.h"

namespace faultline::reference {

// Fills the result with the indices of the greatest elements, or, negated, of the lowest.
void PutArgmax(const Call<Exact>& call, bool negate);
void PutArgmax(const Call<Sets>& call, bool negate);

}  // namespace faultline::reference

#endif  // REFERENCE_ARG_H_
