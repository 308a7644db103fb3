// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// FAULTLINE_CHECK: a broken invariant of our own code. Always on; prints where and why, then
// aborts. Not for bad input (ir/base/status.h) and not for disagreement between backends (a
// Verdict).

#ifndef IR_BASE_CHECK_H_
#define IR_BASE_CHECK_H_

namespace faultline::ir {

// Prints `file:line: check failed: condition: message` to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const char* message);

}  // namespace faultline::ir

#define FAULTLINE_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0)       \
               : ::faultline::ir::CheckFailed(__FILE__, __LINE__, #condition, message))

#endif  // IR_BASE_CHECK_H_
