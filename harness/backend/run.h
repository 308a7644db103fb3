// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a program's statements through a session and records what came back. Compares nothing.

#ifndef HARNESS_BACKEND_RUN_H_
#define HARNESS_BACKEND_RUN_H_

#include <cstdint>
#include <span>

#include "harness/backend/backend.h"
#include "harness/backend/observation.h"
#include "ir/data.h"
#include "ir/program.h"

namespace faultline::harness {

inline constexpr uint8_t kDefaultPoison = 0xa5;

enum class StreamMode : uint8_t {
  kBaton,  // one client thread, statements in program order
  kFree,   // a client thread a stream, ordered by data alone (free_streams.h)
};

struct RunOptions {
  SessionOptions session = {};
  // A new engine before the run: nothing of earlier programs can matter.
  bool fresh = false;
  // Fill in Observation::trace.
  bool trace = true;
  // Byte that fills the storage of an input around its logical elements, and stands for true in
  // the inputs of bools (0: those have 1).
  uint8_t poison = kDefaultPoison;
  StreamMode streams = StreamMode::kBaton;
};

// Requires a verified program. `inputs`, by value id, are the materialised inputs where the caller
// has them already (nullptr entries are materialised here); it may be empty. Values alive at the
// end are dropped.
Observation RunProgram(const ir::Program& program, Session& session, const RunOptions& options,
                       std::span<const ir::HostTensor* const> inputs = {});

// Opens a session with options.session (Renew first if options.fresh) and runs the program in it.
Observation RunProgram(const ir::Program& program, Backend& backend, const RunOptions& options,
                       std::span<const ir::HostTensor* const> inputs = {});

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_RUN_H_
