// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A point of an element's set, the same one whenever the element is asked for again in one trial:
// a value that is consumed twice has one value.

#ifndef HARNESS_ORACLE_CERTIFY_DRAW_H_
#define HARNESS_ORACLE_CERTIFY_DRAW_H_

#include <cstdint>

#include "harness/oracle/certify/formula.h"
#include "reference/enclosure.h"

namespace faultline::harness {

uint64_t Mix(uint64_t bits);

// `key` names the value and the trial.
Element DrawElement(const reference::Enclosure& enclosure, int64_t index, uint64_t key);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_DRAW_H_
