// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Optional operands away, attributes toward their defaults, scalars toward 0 and 1, statements
// toward stream 0. What no longer infers is rejected by the verifier.

#include "harness/reduce/search.h"
#include "ir/element.h"

namespace faultline::harness {
namespace {

bool SimplifyScalars(Search& search, size_t index) {
  bool any = false;
  for (size_t at = 0; at < search.current().statements[index].scalars.size(); ++at) {
    for (int64_t simple : {0, 1, 2}) {
      if (search.Done()) return any;
      ir::Program candidate = search.current();
      ir::Scalar& scalar = candidate.statements[index].scalars[at];
      scalar = ir::IsFloat(scalar.dtype)
                   ? ir::FloatScalar(scalar.dtype, static_cast<double>(simple))
                   : ir::IntScalar(scalar.dtype,
                                   scalar.dtype == ir::Dtype::kBool && simple > 1 ? 1 : simple);
      if (search.Try(std::move(candidate))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

bool SimplifyAttributes(Search& search, size_t index) {
  bool any = false;
  const ir::Attributes attributes = search.current().statements[index].attributes;
  for (const ir::Attributes::Entry& entry : attributes.entries()) {
    ir::Program candidate = search.current();
    if (ir::InfoOf(entry.key).default_value.has_value()) {
      candidate.statements[index].attributes.Clear(entry.key);
    } else if (entry.values.size() == 1 && entry.values[0] != 0) {
      candidate.statements[index].attributes.Set(entry.key, 0);
    } else {
      continue;
    }
    any = search.Try(std::move(candidate)) || any;
  }
  return any;
}

// Operands that may be left out are, from the last.
bool DropOptionalOperands(Search& search, size_t index) {
  bool any = false;
  while (!search.Done()) {
    ir::Program candidate = search.current();
    ir::Statement& statement = candidate.statements[index];
    const auto count = static_cast<int>(statement.operands.size());
    if (ir::InfoOf(statement.op).optional == 0 ||
        !ir::InfoOf(statement.op).TakesOperands(count - 1)) {
      break;
    }
    statement.operands.pop_back();
    if (!search.Try(std::move(candidate))) break;
    any = true;
  }
  return any;
}

}  // namespace

bool SimplifyArguments(Search& search) {
  bool any = false;
  for (size_t i = 0; i < search.current().statements.size() && !search.Done(); ++i) {
    const ir::Statement& statement = search.current().statements[i];
    if (statement.kind == ir::StatementKind::kStream && statement.stream != 0) {
      ir::Program candidate = search.current();
      candidate.statements[i].stream = 0;
      any = search.Try(std::move(candidate)) || any;
    }
    if (statement.kind != ir::StatementKind::kApply) continue;
    any = DropOptionalOperands(search, i) || any;
    any = SimplifyScalars(search, i) || any;
    any = SimplifyAttributes(search, i) || any;
  }
  return any;
}

}  // namespace faultline::harness
