// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One program file replayed on one backend, and its result as a JSON object: what a child process
// of `faultline replay` sends and what --json lists (docs/cli.md has the meaning of each field).

#ifndef HARNESS_CLI_REPLAY_CASE_H_
#define HARNESS_CLI_REPLAY_CASE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/backend/backend.h"
#include "harness/oracle/forked_judge.h"
#include "harness/oracle/verdict.h"

namespace faultline::harness {

// Reads, verifies and judges the file in this process. A text marked `# status: rejected CODE LINE`
// has to be rejected with that code at that line. Never throws on bad input: it is a result,
// "bad_input".
nlohmann::json ReplayCase(const std::string& path, Backend& backend, const RunOptions& run);

// The first wrong op of a divergence of values, by runs on backends that `make` gives: members to
// add to the result, none where the divergence is not seen again. Each run is in a forked child,
// and a backend may have threads, which do not survive a fork: it must not have run in this
// process.
nlohmann::json LocaliseCase(const std::string& path, const BackendMaker& make,
                            const RunOptions& run);

// The members of a result that tell of a verdict.
nlohmann::json VerdictToJson(const Verdict& verdict);

// A result without a judgement: a backend that cannot be made, a process that died.
nlohmann::json UnjudgedCase(const std::string& path, const std::string& backend,
                            const Verdict& verdict);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_REPLAY_CASE_H_
