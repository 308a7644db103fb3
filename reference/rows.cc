// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/rows.h"

namespace faultline::reference {

bool PutNaive(const Call<Sets>& call, int64_t i, const Row& row) {
  const Enclosure& x = call.operand(0);
  if (x.is_float() && call.contract().nan_rule != NanRule::kPropagate) return false;
  if (!x.AllPoints()) {
    for (int64_t k = 0; k < row.count; ++k) {
      if (!x.IsPoint(row[k])) return false;
    }
  }
  const Cell cell = call.naive->cells[static_cast<size_t>(i)];
  if (FreesZero(call.op, call.algebra.result())) {
    PutFreeZero(call.result(), i, cell);
  } else {
    call.result().PutCell(i, cell);
  }
  return true;
}

}  // namespace faultline::reference
