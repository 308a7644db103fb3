// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/stream/parts.h"

#include "ir/base/check.h"

namespace faultline::fusion {

ir::Opcode PartOf(ir::Opcode op, size_t result) {
  using ir::Opcode;
  switch (op) {
    case Opcode::kMaxDimWithIndices:
      return result == 0 ? Opcode::kMaxDim : Opcode::kArgmax;
    case Opcode::kMinDimWithIndices:
      return result == 0 ? Opcode::kMinDim : Opcode::kArgmin;
    case Opcode::kSortWithIndices:
      return result == 0 ? Opcode::kSort : Opcode::kArgsort;
    case Opcode::kTopkWithIndices:
      return result == 0 ? Opcode::kTopk : Opcode::kArgtopk;
    default:
      FAULTLINE_CHECK(result == 0, "an op with several results and no parts");
      return op;
  }
}

}  // namespace faultline::fusion
