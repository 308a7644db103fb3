// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Replaces an application by inputs of the same types, which cuts off all that only fed it. Types
// stay valid because those of the results do not change.

#include "harness/reduce/data_forms.h"
#include "harness/reduce/edit.h"
#include "harness/reduce/search.h"

namespace faultline::harness {

bool ReplaceByInput(Search& search) {
  bool any = false;
  for (size_t i = search.current().statements.size(); i-- > 0;) {
    if (i >= search.current().statements.size()) continue;
    const ir::Statement& statement = search.current().statements[i];
    if (statement.kind != ir::StatementKind::kApply) continue;
    const ir::Program program = search.current();
    std::vector<std::vector<ir::DataPtr>> forms;
    for (const ir::ValueId result : statement.results) {
      forms.push_back(SimpleForms(program.TypeOf(result)));
    }
    // The most telling data first: a fault rarely shows on constants.
    for (size_t form = forms[0].size(); form-- > 0 && !search.Done();) {
      std::vector<ir::DataPtr> data;
      for (const auto& of_result : forms)
        data.push_back(of_result[std::min(form, of_result.size() - 1)]);
      if (search.Try(WithInputsAt(program, static_cast<int>(i), data))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

}  // namespace faultline::harness
