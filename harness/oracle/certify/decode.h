// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a quantized tensor stands for, read from its bytes: formats of codes and scales, and where
// the scale of an element lies, once more. That bytes lie where they do is a fact (ir/scheme.h).

#ifndef HARNESS_ORACLE_CERTIFY_DECODE_H_
#define HARNESS_ORACLE_CERTIFY_DECODE_H_

#include <vector>

#include "ir/data.h"
#include "ir/dtype.h"

namespace faultline::harness {

// Of every element, row-major. Empty where there is none.
struct DecodedTensor {
  std::vector<double> values;  // as an op sees it
  std::vector<double> codes;   // less the zero point
  std::vector<double> scales;
};
// For an op of this dtype.
DecodedTensor DecodeTensor(const ir::HostTensor& quantized, ir::Dtype to);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_DECODE_H_
