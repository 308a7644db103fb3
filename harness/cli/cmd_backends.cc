// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline backends: what can be tested, and what each promises.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/backend/canary/canary_backend.h"
#include "harness/backend/registry.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(Without --backend: the built-in ones. A contract is what a backend promises of its
arithmetic, and what its results are held to.

Examples:
  faultline backends
  faultline backends --contract --backend fusion-cpu
  faultline backends --contract --backend ./libmine.so
)";

struct Described {
  std::string name;
  std::string doc;
  std::string contract;
};

std::string ToText(const std::vector<Described>& backends, bool contracts) {
  std::string text;
  for (const Described& backend : backends) {
    text += fmt::format("{:<14}{}\n", backend.name, backend.doc);
    if (contracts) text += backend.contract + "\n";
    if (backend.name != "canary") continue;
    for (const CanaryFaultInfo& fault : AllCanaryFaults()) {
      text += fmt::format("  --fault {:<24}{}\n", fault.name, fault.doc);
    }
  }
  return text;
}

json ToJson(const std::vector<Described>& backends) {
  json list = json::array();
  for (const Described& backend : backends) {
    list.push_back({{"name", backend.name}, {"doc", backend.doc}, {"contract", backend.contract}});
  }
  return list;
}

ExitCode RunBackends(const Command& command, Arguments arguments) {
  std::vector<std::string> names;
  std::string json_file;
  bool contracts = false;
  OptionSet set;
  set.Flag("contract", &contracts, "print what each promises");
  set.List("backend", &names, "NAME|FILE.so", "these alone");
  set.ValueOr("json", &json_file, "-", "[FILE]", "as JSON, to stdout without FILE");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  const bool all = names.empty();
  if (all) {
    for (const BackendRow& row : BuiltInBackends()) names.emplace_back(row.name);
  }
  std::vector<Described> described;
  for (const std::string& name : names) {
    BackendSpec spec;
    spec.name = name;
    const auto backend = MakeBackend(spec);
    // In a list of all, what this machine has nothing for is said beside its name.
    const bool missing =
        !backend.has_value() && backend.error().code() == ir::StatusCode::kUnsupported && all;
    if (!backend.has_value() && !missing) return Failed(backend.error());
    Described& one = described.emplace_back();
    one.name = name;
    one.doc = "a plug-in";
    for (const BackendRow& row : BuiltInBackends()) {
      if (row.name == name) one.doc = row.doc;
    }
    if (missing) {
      one.doc += fmt::format(" (not here: {})", backend.error().message());
    } else {
      one.contract = ContractText(**backend);
    }
  }
  const std::string text =
      json_file.empty() ? ToText(described, contracts) : ToJson(described).dump(2) + "\n";
  const ir::Status status = WriteText(json_file.empty() ? "-" : json_file, text);
  return status.ok() ? ExitCode::kOk : Failed(status);
}

}  // namespace

const Command kBackendsCommand = {
    .name = "backends",
    .synopsis = "[--backend NAME|FILE.so]... [--contract] [--json [FILE]]",
    .summary = "list the backends and what they promise",
    .details = kDetails,
    .run = RunBackends,
};

}  // namespace faultline::harness
