// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Damage to a program in memory, of kinds that no text can express: the verifier must refuse it or
// be right to accept it, and never fall over.

#ifndef TESTS_PROPERTY_IR_DAMAGE_PROGRAM_H_
#define TESTS_PROPERTY_IR_DAMAGE_PROGRAM_H_

#include "ir/program.h"
#include "tests/property/ir/random_program.h"

namespace faultline::ir {

// One change to one field, possibly far out of its range.
void DamageProgram(Program& program, Dice& dice);

}  // namespace faultline::ir

#endif  // TESTS_PROPERTY_IR_DAMAGE_PROGRAM_H_
