// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A mistake that `--fault` switches on in a backend, for campaigns that prove that they find it.

#ifndef HARNESS_BACKEND_SEEDED_FAULT_H_
#define HARNESS_BACKEND_SEEDED_FAULT_H_

#include <string_view>

namespace faultline::harness {

struct SeededFault {
  std::string_view id;
  std::string_view fault_class;  // of the catalogue; empty for the canary's
  std::string_view rules;        // comma-separated: bisection has to name one; empty: no rule's
  std::string_view text;         // one line
};

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_SEEDED_FAULT_H_
