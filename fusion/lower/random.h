// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random ops to block instructions, from the position of an element alone.

#ifndef FUSION_LOWER_RANDOM_H_
#define FUSION_LOWER_RANDOM_H_

#include <cstdint>
#include <functional>

#include "fusion/block/builder.h"
#include "ir/dtype.h"
#include "ir/op.h"

namespace faultline::fusion {

struct RandomLowering {
  BlockBuilder& block;
  ir::Opcode op;
  ir::Dtype dtype;  // of the result
  Val position;     // i64: row-major, in the result
  uint64_t seed;
  uint64_t offset;
  // The i-th scalar of the op as a parameter in the register.
  const std::function<Val(int, Reg)>& scalar;
};

// The result in the register of its dtype, rounded or wrapped.
Val LowerRandom(const RandomLowering& in);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_RANDOM_H_
