// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A deliberately wrong backend, `canary`: the reference adapter with one named fault. It proves
// that the net catches fish, and it is what the tutorial hunts.

#ifndef HARNESS_BACKEND_CANARY_CANARY_BACKEND_H_
#define HARNESS_BACKEND_CANARY_CANARY_BACKEND_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "harness/backend/backend.h"
#include "ir/base/status.h"

namespace faultline::harness {

enum class CanaryFault : uint8_t {
#define FAULTLINE_CANARY_FAULT(id, ...) k_##id,
#include "harness/backend/canary/canary_faults.def"
#undef FAULTLINE_CANARY_FAULT
};

struct CanaryFaultInfo {
  CanaryFault fault;
  std::string_view name;
  std::string_view doc;      // what it does wrong
  std::string_view verdict;  // what the oracle has to say: VerdictName
};
std::span<const CanaryFaultInfo> AllCanaryFaults();
std::optional<CanaryFault> FindCanaryFault(std::string_view name);

inline constexpr CanaryFault kDefaultCanaryFault = CanaryFault::k_tail_dropped;

// With the fault of that name; empty: kDefaultCanaryFault. kUsage if there is no such fault.
ir::Result<std::unique_ptr<Backend>> MakeCanaryBackend(std::string_view fault);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_CANARY_CANARY_BACKEND_H_
