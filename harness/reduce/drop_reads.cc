// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Shrinks the lists of values that reads name, one value at a time; the read itself stays.

#include "harness/reduce/search.h"

namespace faultline::harness {

bool DropReads(Search& search) {
  bool any = false;
  for (size_t i = 0; i < search.current().statements.size(); ++i) {
    if (search.current().statements[i].kind != ir::StatementKind::kRead) continue;
    for (size_t at = search.current().statements[i].operands.size(); at-- > 0;) {
      ir::Program candidate = search.current();
      auto& operands = candidate.statements[i].operands;
      if (operands.size() < 2) break;
      operands.erase(operands.begin() + static_cast<ptrdiff_t>(at));
      any = search.Try(std::move(candidate)) || any;
      if (search.Done()) return any;
    }
  }
  return any;
}

}  // namespace faultline::harness
