// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The canonical text of data and layouts (ir/print.h is the entry).

#ifndef IR_TEXT_DATA_H_
#define IR_TEXT_DATA_H_

#include <string>

#include "ir/data.h"

namespace faultline::ir {

// `[0x1p+0, _]`, `uniform(seed=1, lo=0, hi=1) with {3: nan}`, `codes=[1,2] scales=[0x1p-3]`.
void AppendData(std::string& out, const DataSpec& data, const ElementType& element);

// ` strides=[1,4] offset=2 storage=20`, each only where it is not the default.
void AppendLayout(std::string& out, const Layout& layout);

}  // namespace faultline::ir

#endif  // IR_TEXT_DATA_H_
