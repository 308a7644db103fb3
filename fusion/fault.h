// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// FAULT(id): whether a seeded fault of fusion/faults.def is active; AnyFault(): whether one is.
// Constant false unless the build has FAULTLINE_FAULTS, else one relaxed load. Ask when planning,
// lowering or per tile, never per element.

#ifndef FUSION_FAULT_H_
#define FUSION_FAULT_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace faultline::fusion {

enum class FaultId : uint16_t {
  kNone,
#define FAULTLINE_FAULT(id, ...) k_##id,
#include "fusion/faults.def"
#undef FAULTLINE_FAULT
};

struct FaultInfo {
  FaultId id;
  std::string_view name;
  std::string_view fault_class;
  std::string_view place;
  std::string_view rules;  // comma-separated
  std::string_view text;
};
std::span<const FaultInfo> AllFaults();
std::optional<FaultId> FindFault(std::string_view name);
// Whether this build has the faults compiled in.
bool FaultsAreBuilt();
// Process-wide; kNone switches off. No effect unless FaultsAreBuilt().
void ActivateFault(FaultId id);

#ifdef FAULTLINE_FAULTS
extern std::atomic<FaultId> active_fault;
inline bool IsActive(FaultId id) { return active_fault.load(std::memory_order_relaxed) == id; }
#define FAULT(id) (::faultline::fusion::IsActive(::faultline::fusion::FaultId::k_##id))
inline bool AnyFault() { return !IsActive(FaultId::kNone); }
#else
#define FAULT(id) false
constexpr bool AnyFault() { return false; }
#endif

}  // namespace faultline::fusion

#endif  // FUSION_FAULT_H_
