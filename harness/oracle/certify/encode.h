// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What quantizing gives, by the range from the least to the greatest (docs/quantization.md), once
// more and to the byte.

#ifndef HARNESS_ORACLE_CERTIFY_ENCODE_H_
#define HARNESS_ORACLE_CERTIFY_ENCODE_H_

#include <span>

#include "ir/data.h"
#include "ir/type.h"

namespace faultline::harness {

// Elements row-major, values of f32.
ir::HostTensor EncodeTensor(const ir::Type& quantized, std::span<const double> elements);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_ENCODE_H_
