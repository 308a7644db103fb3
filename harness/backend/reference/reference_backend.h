// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The reference's evaluation as a Backend: eager, one handle a value, no engine state. As
// `reference` it gives the plain bits, which the canary distorts; as `adversary` it is a legal
// execution under the contract of fusion-cpu, as nasty as that allows: the oracle must never flag
// it.

#ifndef HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_
#define HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_

#include <memory>

#include "harness/backend/backend.h"

namespace faultline::harness {

std::unique_ptr<Backend> MakeReferenceBackend();
// What it chooses follows from the session's chaos seed and its calls.
std::unique_ptr<Backend> MakeAdversaryBackend();

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_REFERENCE_REFERENCE_BACKEND_H_
