// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Shrinks extents: every occurrence of one extent at once, then single axes of single inputs. Types
// stay valid because everything downstream is inferred again.

#include <algorithm>
#include <set>

#include "harness/reduce/edit.h"
#include "harness/reduce/search.h"

namespace faultline::harness {
namespace {

std::vector<int64_t> SmallerThan(int64_t extent) {
  std::vector<int64_t> smaller;
  for (int64_t candidate :
       {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, extent / 2, extent - 1}) {
    if (candidate >= 0 && candidate < extent) smaller.push_back(candidate);
  }
  std::ranges::sort(smaller);
  const auto repeated = std::ranges::unique(smaller);
  smaller.erase(repeated.begin(), repeated.end());
  return smaller;
}

std::vector<int64_t> ExtentsOf(const ir::Program& program) {
  std::set<int64_t, std::greater<>> extents;
  for (const ir::Value& value : program.values) {
    for (int64_t extent : value.type.shape) {
      if (extent > 0) extents.insert(extent);
    }
  }
  return {extents.begin(), extents.end()};
}

bool ShrinkEverywhere(Search& search) {
  bool any = false;
  for (int64_t extent : ExtentsOf(search.current())) {
    for (int64_t smaller : SmallerThan(extent)) {
      if (search.Done()) return any;
      auto candidate = WithMappedExtents(
          search.current(), [&](int64_t old) { return old == extent ? smaller : old; });
      if (candidate && search.Try(std::move(*candidate))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

bool ShrinkInput(Search& search, size_t index) {
  bool any = false;
  const ir::ValueId value = search.current().statements[index].results[0];
  for (int axis = 0; axis < search.current().TypeOf(value).shape.rank(); ++axis) {
    for (int64_t smaller : SmallerThan(search.current().TypeOf(value).shape[axis])) {
      if (search.Done()) return any;
      auto candidate = WithInputExtent(search.current(), static_cast<int>(index), axis, smaller);
      if (candidate && search.Try(std::move(*candidate))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

}  // namespace

bool ShrinkExtents(Search& search) {
  bool any = ShrinkEverywhere(search);
  for (size_t i = 0; i < search.current().statements.size() && !search.Done(); ++i) {
    if (search.current().statements[i].kind == ir::StatementKind::kInput) {
      any = ShrinkInput(search, i) || any;
    }
  }
  return any;
}

}  // namespace faultline::harness
