// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The six laws of harness/backend/backend.h as checks that run on any backend. No reference and no
// oracle: what is checked is the session, and values only where every correct backend gives the
// same bits.

#ifndef HARNESS_CONFORMANCE_CONFORMANCE_H_
#define HARNESS_CONFORMANCE_CONFORMANCE_H_

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/backend/backend.h"
#include "ir/base/status.h"

namespace faultline::harness {

// What a check gives: it holds, or a status. kUnsupported: the backend does not run what the check
// needs. Anything else: it does not hold, and the message says what was seen.
using Held = ir::Result<std::monostate>;
inline Held Holds() { return std::monostate(); }

struct ConformanceCheck {
  int law;  // number of the law in backend.h
  std::string_view name;
  std::string_view doc;  // what holds if the check passes
  Held (*run)(Backend& backend, const SessionOptions& options);
};

// Sorted by law.
std::span<const ConformanceCheck> AllConformanceChecks();

struct ConformanceResult {
  const ConformanceCheck* check;
  ir::Status status;
};

// Runs every check whose name contains `filter`, each with new sessions of the backend's engine.
// A crash of the backend is a crash of the caller.
std::vector<ConformanceResult> RunConformance(Backend& backend, const SessionOptions& options,
                                              std::string_view filter = {});

// The checks of each law, in files of their own.
std::span<const ConformanceCheck> TransactionChecks();  // law 1
std::span<const ConformanceCheck> MisuseChecks();       // law 2
std::span<const ConformanceCheck> HistoryChecks();      // law 3
std::span<const ConformanceCheck> ArrangementChecks();  // law 4
std::span<const ConformanceCheck> LifetimeChecks();     // law 5
std::span<const ConformanceCheck> OneValueChecks();     // law 6

}  // namespace faultline::harness

#endif  // HARNESS_CONFORMANCE_CONFORMANCE_H_
