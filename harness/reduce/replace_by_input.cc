// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Replaces an application by an input of the same type, which cuts off all that only fed it. Types
// stay valid because the result's type does not change.

#include "harness/reduce/data_forms.h"
#include "harness/reduce/edit.h"
#include "harness/reduce/search.h"

namespace faultline::harness {

bool ReplaceByInput(Search& search) {
  bool any = false;
  for (size_t i = search.current().statements.size(); i-- > 0;) {
    if (i >= search.current().statements.size()) continue;
    const ir::Statement& statement = search.current().statements[i];
    if (statement.kind != ir::StatementKind::kApply || statement.results.size() != 1) continue;
    const ir::Type type = search.current().TypeOf(statement.results[0]);
    const ir::Program program = search.current();
    // The most telling data first: a fault rarely shows on constants.
    const auto forms = SimpleForms(type);
    for (size_t form = forms.size(); form-- > 0 && !search.Done();) {
      if (search.Try(WithInputAt(program, static_cast<int>(i), forms[form]))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

}  // namespace faultline::harness
