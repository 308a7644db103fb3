// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Text to program. Total: any bytes give a program or a status with a position.

#ifndef IR_PARSE_H_
#define IR_PARSE_H_

#include <string_view>

#include "ir/base/status.h"
#include "ir/program.h"

namespace faultline::ir {

// Syntax only; the result may not verify.
Result<Program> Parse(std::string_view text);
// Parse, then Verify.
Result<Program> ParseAndVerify(std::string_view text);

Result<Type> ParseType(std::string_view text);

}  // namespace faultline::ir

#endif  // IR_PARSE_H_
