// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Programs for a backend: what it takes, under its contract. All else here knows no backend.

#ifndef HARNESS_GENERATE_FOR_BACKEND_H_
#define HARNESS_GENERATE_FOR_BACKEND_H_

#include <span>

#include "harness/backend/backend.h"
#include "harness/generate/generate.h"

namespace faultline::harness {

// The backend must outlive the options.
inline GenerateOptions OptionsFor(const Backend& backend) {
  GenerateOptions options;
  options.supports = [&backend](ir::Opcode op, const ir::Attributes& attributes,
                                std::span<const ir::Type> operands,
                                std::span<const ir::Type> results) {
    return backend.Supports(op, attributes, operands, results).ok();
  };
  options.contract = &backend.contract();
  return options;
}

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_FOR_BACKEND_H_
