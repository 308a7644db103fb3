// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/fault.h"

#include <algorithm>

namespace faultline::fusion {
namespace {

constexpr FaultInfo kFaults[] = {
#define FAULTLINE_FAULT(id, fault_class, place, rules, text) \
  {FaultId::k_##id, #id, fault_class, place, rules, text},
#include "fusion/faults.def"
#undef FAULTLINE_FAULT
};

}  // namespace

std::span<const FaultInfo> AllFaults() { return kFaults; }

std::optional<FaultId> FindFault(std::string_view name) {
  const auto* it = std::ranges::find(kFaults, name, &FaultInfo::name);
  if (it == std::end(kFaults)) return std::nullopt;
  return it->id;
}

#ifdef FAULTLINE_FAULTS
constinit std::atomic<FaultId> active_fault = FaultId::kNone;
bool FaultsAreBuilt() { return true; }
void ActivateFault(FaultId id) { active_fault.store(id, std::memory_order_relaxed); }
#else
bool FaultsAreBuilt() { return false; }
void ActivateFault(FaultId /*id*/) {}
#endif

}  // namespace faultline::fusion
