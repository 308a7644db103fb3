// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What quantizing gives (docs/quantization.md), once more and to the byte: by the range from the
// least to the greatest, or with scales as a program gives them.

#ifndef HARNESS_ORACLE_CERTIFY_ENCODE_H_
#define HARNESS_ORACLE_CERTIFY_ENCODE_H_

#include <span>
#include <vector>

#include "harness/oracle/certify/formula.h"
#include "ir/data.h"
#include "ir/type.h"

namespace faultline::harness {

// Row-major elements of operand 0, then, where scales are given, of the others.
ir::HostTensor EncodeTensor(const ir::Type& quantized,
                            std::span<const std::vector<Element>> operands);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_ENCODE_H_
