// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/conformance/conformance.h"

#include <algorithm>
#include <iterator>

namespace faultline::harness {

std::span<const ConformanceCheck> AllConformanceChecks() {
  static const std::vector<ConformanceCheck> kChecks = [] {
    std::vector<ConformanceCheck> checks;
    for (const auto law : {TransactionChecks(), MisuseChecks(), HistoryChecks(),
                           ArrangementChecks(), LifetimeChecks(), OneValueChecks()}) {
      std::ranges::copy(law, std::back_inserter(checks));
    }
    return checks;
  }();
  return kChecks;
}

std::vector<ConformanceResult> RunConformance(Backend& backend, const SessionOptions& options,
                                              std::string_view filter) {
  std::vector<ConformanceResult> results;
  for (const ConformanceCheck& check : AllConformanceChecks()) {
    if (check.name.find(filter) == std::string_view::npos) continue;
    const Held held = check.run(backend, options);
    results.push_back({&check, held.has_value() ? ir::Status() : held.error()});
  }
  return results;
}

}  // namespace faultline::harness
