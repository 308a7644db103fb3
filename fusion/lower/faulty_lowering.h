// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Lowerings that a seeded fault gets wrong, each by the formula that real backends have had.
// Nothing here runs unless the fault is active.

#ifndef FUSION_LOWER_FAULTY_LOWERING_H_
#define FUSION_LOWER_FAULTY_LOWERING_H_

#include <optional>

#include "fusion/lower/elementwise.h"

namespace faultline::fusion {

// What the active fault makes of the op; nothing where it is not about this op.
std::optional<Val> FaultyElementwise(const OpLowering& in);

// The element as it is folded, and the folded value as a result.
Val FaultyElement(const OpLowering& in, Val x);
std::optional<Val> FaultyFolded(const OpLowering& in, Val folded,
                                const std::function<Val(Reg)>& count);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_FAULTY_LOWERING_H_
