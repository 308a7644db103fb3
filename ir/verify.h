// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The verifier: everything a program must satisfy before anything runs it. Total on any Program.

#ifndef IR_VERIFY_H_
#define IR_VERIFY_H_

#include "ir/base/status.h"
#include "ir/program.h"

namespace faultline::ir {

// Types against inference, names, single definition, use after drop, limits, data, layouts,
// streams, expects. The status carries the position of the first offending statement.
Status Verify(const Program& program);

}  // namespace faultline::ir

#endif  // IR_VERIFY_H_
