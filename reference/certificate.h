// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Rule R6 of the oracle beyond single elements: whether the indices that a sort, a top k or a
// search for an extreme gave could belong to one order of its operand, and the values to the same
// order. An index may be admissible by itself and the whole no permutation; a certificate says so.

#ifndef REFERENCE_CERTIFICATE_H_
#define REFERENCE_CERTIFICATE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ir/data.h"
#include "ir/program.h"
#include "reference/contract.h"
#include "reference/enclosure.h"

namespace faultline::reference {

struct Uncertified {
  size_t result;       // which of the results
  int64_t element;     // row-major
  std::string reason;  // "its values are ...", without the names
};

// Holds what was observed of the results of `application` (null: nothing) against `operand`, as the
// op may have seen it. Nothing where no result holds indices, or none of those was observed.
// Requires that what was observed is admissible element by element.
std::optional<Uncertified> CheckOrder(const ir::Statement& application, const Enclosure& operand,
                                      std::span<const ir::HostTensor* const> results,
                                      const Contract& contract);

}  // namespace faultline::reference

#endif  // REFERENCE_CERTIFICATE_H_
