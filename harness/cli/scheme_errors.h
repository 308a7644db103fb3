// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How far quantizing and decoding takes data from what they were, measured, beside what it may at
// most.

#ifndef HARNESS_CLI_SCHEME_ERRORS_H_
#define HARNESS_CLI_SCHEME_ERRORS_H_

#include <string>

#include "ir/base/status.h"

namespace faultline::harness {

// A Markdown table, one line a value, level and scale dtype; the store does not matter.
ir::Result<std::string> SchemeErrorTable();

}  // namespace faultline::harness

#endif  // HARNESS_CLI_SCHEME_ERRORS_H_
