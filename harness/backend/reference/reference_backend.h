// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The reference's plain evaluation as a Backend, `reference`: eager, one handle a value, no engine
// state. What the other adapters are compared with in conformance, and what the canary distorts.

#ifndef HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_
#define HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_

#include <memory>

#include "harness/backend/backend.h"

namespace faultline::harness {

std::unique_ptr<Backend> MakeReferenceBackend();

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_
