// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Program to canonical text: Parse(Print(p)) == p, and Print(Parse(t)) == t for canonical t.

#ifndef IR_PRINT_H_
#define IR_PRINT_H_

#include <string>

#include "ir/program.h"

namespace faultline::ir {

std::string Print(const Program& program);
// One line, without the newline.
std::string PrintStatement(const Program& program, const Statement& statement);

}  // namespace faultline::ir

#endif  // IR_PRINT_H_
