// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline ops: the op table.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "ir/dtype.h"
#include "ir/op.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(One line an op: mnemonic, family, dtypes of its operands, what it does.

Examples:
  faultline ops
  faultline ops --json
)";

// Dtypes of operands; of results where an op has no operands.
std::vector<std::string_view> DtypesOf(const ir::OpInfo& info) {
  std::vector<std::string_view> names;
  for (ir::Dtype dtype : ir::kPlainDtypes) {
    if (ir::IsIn(dtype, info.operand_dtypes)) names.push_back(ir::DtypeName(dtype));
  }
  if (ir::IsIn(ir::Dtype::kQuantized, info.operand_dtypes)) {
    names.push_back(ir::DtypeName(ir::Dtype::kQuantized));
  }
  return names;
}

json OpsToJson() {
  // The built-in backends run every row of the table; what a plug-in runs depends on types.
  std::vector<std::string_view> backends;
  for (const BackendRow& row : BuiltInBackends()) backends.push_back(row.name);
  json list = json::array();
  for (const ir::OpInfo& info : ir::AllOps()) {
    list.push_back({{"mnemonic", info.mnemonic},
                    {"family", ir::FamilyName(info.family)},
                    {"dtypes", DtypesOf(info)},
                    {"backends", backends},
                    {"doc", info.doc}});
  }
  return list;
}

std::string OpsToText() {
  std::string text;
  for (const ir::OpInfo& info : ir::AllOps()) {
    text += fmt::format("{:<26}{:<12}{}\n{:26}{}\n", info.mnemonic, ir::FamilyName(info.family),
                        fmt::join(DtypesOf(info), " "), "", info.doc);
  }
  return text;
}

ExitCode RunOps(const Command& command, Arguments arguments) {
  std::string json_file;
  OptionSet set;
  set.ValueOr("json", &json_file, "-", "[FILE]", "as JSON, to stdout without FILE");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  const bool as_json = !json_file.empty();
  const ir::Status status =
      WriteText(as_json ? json_file : "-", as_json ? OpsToJson().dump(2) + "\n" : OpsToText());
  return status.ok() ? ExitCode::kOk : Failed(status);
}

}  // namespace

const Command kOpsCommand = {
    .name = "ops",
    .synopsis = "[--json [FILE]]",
    .summary = "list the operations and their dtypes",
    .details = kDetails,
    .run = RunOps,
};

}  // namespace faultline::harness
