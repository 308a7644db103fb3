// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// From a failed membership to what a person wants to see: the worst elements in words, how the
// wrong ones lie, and which aspect is wrong.

#ifndef HARNESS_ORACLE_EVIDENCE_H_
#define HARNESS_ORACLE_EVIDENCE_H_

#include <string>
#include <string_view>

#include "harness/oracle/verdict.h"
#include "ir/data.h"
#include "ir/program.h"
#include "reference/enclosure.h"
#include "reference/evaluate.h"

namespace faultline::harness {

// Verdict fields that follow from the value alone: value, type, op, dtype_class, elements.
void DescribeValue(const ir::Program& program, ir::ValueId value, Verdict& verdict);

// Aspect, pattern, counts, worst elements and message of a value that is not admissible. Requires
// that `membership`, of `observed` against `evaluated`, is not ok.
void DescribeMismatch(const reference::Evaluated& evaluated,
                      const reference::Membership& membership, const ir::HostTensor& observed,
                      Verdict& verdict);

// Storage bits of an element, a code or a scale, as text.
std::string PrintPart(const ir::Type& type, reference::Part part, uint64_t bits);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_EVIDENCE_H_
