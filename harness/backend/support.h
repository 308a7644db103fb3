// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Which op x dtype pairs a backend takes, found out by asking it about one small application of
// each: for tables, coverage and the list of what a campaign never met.

#ifndef HARNESS_BACKEND_SUPPORT_H_
#define HARNESS_BACKEND_SUPPORT_H_

#include <optional>
#include <utility>
#include <vector>

#include "harness/backend/backend.h"
#include "ir/attributes.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::harness {

// A small, legal application of `op` whose first operand (or result, if there is none) has this
// dtype; a quantized one is per tensor q8s.
struct SampleApplication {
  std::vector<ir::Type> operands;
  std::vector<ir::Scalar> scalars;
  ir::Attributes attributes;
  std::vector<ir::Type> results;
};
// Nothing if the op does not take the dtype.
std::optional<SampleApplication> MakeSample(ir::Opcode op, ir::Dtype dtype);

// In the op table's order, then in that of the dtypes.
std::vector<std::pair<ir::Opcode, ir::Dtype>> SupportedOpDtypes(const Backend& backend);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_SUPPORT_H_
