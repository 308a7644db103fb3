// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Shrinks the list of statements. Types stay valid because whatever needs a lost value is lost with
// it.

#include "harness/reduce/edit.h"
#include "harness/reduce/search.h"

namespace faultline::harness {

bool DropStatements(Search& search) {
  return RemoveInChunks(
      search, [&] { return search.current().statements.size(); },
      [&](const std::vector<bool>& removed) {
        return WithoutStatements(search.current(), removed);
      });
}

}  // namespace faultline::harness
