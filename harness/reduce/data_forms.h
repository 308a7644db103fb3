// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Simple data for a type, simplest first: what a reduction would like an input to be.

#ifndef HARNESS_REDUCE_DATA_FORMS_H_
#define HARNESS_REDUCE_DATA_FORMS_H_

#include <vector>

#include "ir/data.h"
#include "ir/type.h"

namespace faultline::harness {

// All zero, all one, 0 1 2 ..., small integers at random.
std::vector<ir::DataPtr> SimpleForms(const ir::Type& type);

}  // namespace faultline::harness

#endif  // HARNESS_REDUCE_DATA_FORMS_H_
