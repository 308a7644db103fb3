// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How the wrong elements of a tensor lie: the shape of a mistake often names its cause.

#ifndef HARNESS_ORACLE_PATTERN_H_
#define HARNESS_ORACLE_PATTERN_H_

#include <cstdint>
#include <span>

#include "harness/oracle/verdict.h"
#include "ir/shape.h"

namespace faultline::harness {

// `wrong` are flat row-major indices, ascending, each below the number of elements.
MismatchPattern PatternOf(std::span<const int64_t> wrong, const ir::Shape& shape);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_PATTERN_H_
