// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A Judge that survives what it judges: each program runs in a forked child with an engine of its
// own, so that a crash is a verdict and a hang ends after a while.

#ifndef HARNESS_ORACLE_FORKED_JUDGE_H_
#define HARNESS_ORACLE_FORKED_JUDGE_H_

#include <functional>
#include <memory>

#include "harness/backend/backend.h"
#include "harness/oracle/judge.h"
#include "ir/base/status.h"

namespace faultline::harness {

// Makes the backend under test; called in each child.
using BackendMaker = std::function<ir::Result<std::unique_ptr<Backend>>()>;

// The verdict and what the trace says of launches, decisions and rules come back; tensors do not.
// Requires that the calling process has no other threads.
Judge ForkedJudge(BackendMaker make, double timeout_s);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_FORKED_JUDGE_H_
