// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The appending half of ir/element.h, for printers that write many elements into one string.

#ifndef IR_TEXT_ELEMENT_H_
#define IR_TEXT_ELEMENT_H_

#include <cstdint>
#include <string>

#include "ir/dtype.h"

namespace faultline::ir {

// Whether these are the bits of some element: nothing above the width, 0 or 1 for bool.
bool IsElement(Dtype dtype, uint64_t bits);

// Appends PrintElement(dtype, bits). Requires a plain dtype.
void AppendElement(std::string& out, Dtype dtype, uint64_t bits);

}  // namespace faultline::ir

#endif  // IR_TEXT_ELEMENT_H_
