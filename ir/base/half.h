// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Decoding and representability of the 16-bit float formats, for text and host data only. Rounding
// *arithmetic* lives in reference/ and in fusion/, each in its own code, so that neither hides the
// other's mistake.

#ifndef IR_BASE_HALF_H_
#define IR_BASE_HALF_H_

#include <cstdint>

namespace faultline::ir {

// Exact value of the IEEE binary16 or bfloat16 with these bits; NaN payloads move to the top bits.
double DecodeF16(uint16_t bits);
double DecodeBf16(uint16_t bits);

// Bits of the value nearest to `value`, ties to even, overflow to infinity. Any NaN gives the quiet
// NaN 0x7e00 (f16) or 0x7fc0 (bf16) with the sign kept.
uint16_t EncodeF16(double value);
uint16_t EncodeBf16(double value);

}  // namespace faultline::ir

#endif  // IR_BASE_HALF_H_
