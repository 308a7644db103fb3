// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Enclosures of a small program as text, for tests that hold them against what is expected by hand.

#ifndef TESTS_UNIT_REFERENCE_DESCRIBE_H_
#define TESTS_UNIT_REFERENCE_DESCRIBE_H_

#include <string>

#include "ir/program.h"
#include "reference/evaluate.h"

namespace faultline::reference {

// The program with this text behind its version line. Fails the test if it does not verify.
ir::Program ParseOrFail(const std::string& body);
// Enclosures of the elements of %y: "0x1p+0 [0x1p+1, 0x1.8p+1]"; of a quantized one the codes, then
// "| " and the scales.
std::string DescribeY(const std::string& body, const Contract& contract = FusionCpuContract());
// Naive elements of %y as the text form prints them.
std::string NaiveY(const std::string& body);

}  // namespace faultline::reference

#endif  // TESTS_UNIT_REFERENCE_DESCRIBE_H_
