// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/backend.h"

#include <array>

#include "reference/contract.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, 3> kPoolModeNames = {"plain", "guard", "pitch"};

}  // namespace

std::string_view PoolModeName(PoolMode mode) { return kPoolModeNames[static_cast<size_t>(mode)]; }

std::optional<PoolMode> FindPoolMode(std::string_view name) {
  for (size_t i = 0; i < kPoolModeNames.size(); ++i) {
    if (kPoolModeNames[i] == name) return static_cast<PoolMode>(i);
  }
  return std::nullopt;
}

std::string ContractText(const Backend& backend) {
  return reference::PrintContract(backend.contract());
}

}  // namespace faultline::harness
