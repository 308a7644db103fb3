// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/backend_options.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "harness/cli/files.h"

namespace faultline::harness {

void BackendOptions::AddTo(OptionSet& options) {
  options.List("backend", &names, "NAME|FILE.so", "what to test (default fusion-cpu)");
  options.Value("contract", &contract_file, "FILE", "hold a plug-in to this contract");
  options.List("deny", &deny, "NAME,...", "planner decisions that take the safe choice");
  options.Value("device", &device, "NAME", "device of the backend");
  options.Value("fault", &fault, "NAME", "switch on a fault of the canary, or a seeded one");
  options.Value("max-decisions", &max_decisions, "N", "the planner's later decisions are safe");
}

ir::Result<BackendSpec> BackendOptions::Spec(const std::string& name) const {
  BackendSpec spec;
  spec.name = name;
  spec.fault = fault;
  spec.device = device;
  if (contract_file.empty()) return spec;
  ir::Result<std::string> text = ReadProgramText(contract_file);
  if (!text.has_value()) {
    return ir::Error(text.error().code(),
                     fmt::format("{}: {}", contract_file, text.error().message()));
  }
  spec.contract_text = std::move(*text);
  return spec;
}

SessionOptions BackendOptions::Session() const {
  SessionOptions session;
  session.device = device;
  session.max_decisions = max_decisions;
  session.deny = deny;
  return session;
}

ir::Result<std::unique_ptr<Backend>> BackendOptions::MakeOnly() const {
  if (names.size() != 1) {
    return ir::Error(ir::StatusCode::kUsage, "the command takes one --backend");
  }
  FAULTLINE_ASSIGN_OR_RETURN(const BackendSpec spec, Spec(names.front()));
  return MakeBackend(spec);
}

std::optional<StreamMode> FindStreamMode(std::string_view name) {
  if (name == "baton") return StreamMode::kBaton;
  if (name == "free") return StreamMode::kFree;
  return std::nullopt;
}

ir::Status UnknownStreamMode(std::string_view name) {
  return {ir::StatusCode::kUsage, fmt::format("--stream-mode takes baton or free, got '{}'", name)};
}

int DefaultJobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace faultline::harness
