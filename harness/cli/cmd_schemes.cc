// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline schemes: the matrix of quantization schemes.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/scheme_errors.h"
#include "ir/scheme_matrix.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(One line a combination of value, store, level, scale dtype and mode that works, by reference
and fusion-cpu alike; then what is refused, and why.

Examples:
  faultline schemes
  faultline schemes --json -
  faultline schemes --errors
)";

json SchemesToJson() {
  json list = json::array();
  for (const ir::SchemeCase& it : ir::SchemeMatrix()) {
    list.push_back({{"value", ir::QValueName(it.scheme.value)},
                    {"store", ir::QStoreName(it.scheme.store)},
                    {"level", ir::ScaleLevelName(it.level)},
                    {"scale", ir::ScaleDtypeName(it.scheme.scale)},
                    {"mode", ir::QuantModeName(it.mode)},
                    {"status", it.refusal.ok() ? "works" : "refused"},
                    {"reason", it.refusal.message()}});
  }
  return list;
}

std::string SchemesToText() {
  std::string works;
  std::vector<std::string> reasons;
  for (const ir::SchemeCase& it : ir::SchemeMatrix()) {
    if (it.refusal.ok()) {
      works += fmt::format("{:<6}{:<15}{:<11}{:<7}{}\n", ir::QValueName(it.scheme.value),
                           ir::QStoreName(it.scheme.store), ir::ScaleLevelName(it.level),
                           ir::ScaleDtypeName(it.scheme.scale), ir::QuantModeName(it.mode));
    } else if (std::ranges::find(reasons, it.refusal.message()) == reasons.end()) {
      reasons.push_back(it.refusal.message());
    }
  }
  std::string text = works + "\nrefused:\n";
  for (const std::string& reason : reasons) text += "  " + reason + "\n";
  return text;
}

ExitCode RunSchemes(const Command& command, Arguments arguments) {
  std::string json_file;
  bool errors = false;
  OptionSet set;
  set.Flag("errors", &errors, "measured errors beside their bounds, as a Markdown table");
  set.ValueOr("json", &json_file, "-", "[FILE]", "as JSON, to stdout without FILE");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (errors) {
    const auto table = SchemeErrorTable();
    if (!table.has_value()) return Failed(table.error());
    const ir::Status status = WriteText("-", *table);
    return status.ok() ? ExitCode::kOk : Failed(status);
  }
  const bool as_json = !json_file.empty();
  const ir::Status status = WriteText(as_json ? json_file : "-",
                                      as_json ? SchemesToJson().dump(2) + "\n" : SchemesToText());
  return status.ok() ? ExitCode::kOk : Failed(status);
}

}  // namespace

const Command kSchemesCommand = {
    .name = "schemes",
    .synopsis = "[--errors] [--json [FILE]]",
    .summary = "list the quantization schemes and what is refused",
    .details = kDetails,
    .run = RunSchemes,
};

}  // namespace faultline::harness
