// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The options that every command with a backend takes: which one, how its sessions run, which
// contract it is held to.

#ifndef HARNESS_CLI_BACKEND_OPTIONS_H_
#define HARNESS_CLI_BACKEND_OPTIONS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/cli/option_set.h"
#include "ir/base/status.h"

namespace faultline::harness {

struct BackendOptions {
  std::vector<std::string> names = {std::string(kDefaultBackend)};
  std::string device;
  std::string fault;
  std::string contract_file;
  int64_t max_decisions = -1;
  std::vector<std::string> deny;

  // --backend, --contract, --deny, --device, --fault, --max-decisions
  void AddTo(OptionSet& options);
  // Reads the contract file. Requires that the options were parsed.
  ir::Result<BackendSpec> Spec(const std::string& name) const;
  SessionOptions Session() const;
  // The only backend; kUsage if several were given.
  ir::Result<std::unique_ptr<Backend>> MakeOnly() const;
};

// --stream-mode: "baton" or "free".
std::optional<StreamMode> FindStreamMode(std::string_view name);
ir::Status UnknownStreamMode(std::string_view name);

// --jobs, with its default: the processors this process may use.
int DefaultJobs();

}  // namespace faultline::harness

#endif  // HARNESS_CLI_BACKEND_OPTIONS_H_
