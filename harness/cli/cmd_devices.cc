// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline devices: what fusion-opencl can run on here.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/backend/fusion/opencl_devices.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(`--device` of other commands takes a number of this list or a part of a name. Without it
fusion-opencl runs on PoCL where that is installed, and on the first device elsewhere.

Examples:
  faultline devices
  faultline devices --contract
  faultline replay --backend fusion-opencl --device 0 corpus
)";

std::string ToText(const std::vector<OpenClDevice>& devices, bool contracts) {
  std::string text;
  for (size_t i = 0; i < devices.size(); ++i) {
    const OpenClDevice& device = devices[i];
    text += fmt::format("{}  {}: {}\n   {}, {}, {} units, {:.1f} GiB, {}, driver {}\n", i,
                        device.platform, device.name, device.kind, device.version,
                        device.compute_units, static_cast<double>(device.memory_bytes) / (1 << 30),
                        device.f64 ? "f64" : "no f64", device.driver);
    if (contracts) text += device.contract + "\n";
  }
  return text;
}

json ToJson(const std::vector<OpenClDevice>& devices) {
  json list = json::array();
  for (const OpenClDevice& device : devices) {
    list.push_back({{"number", list.size()},
                    {"platform", device.platform},
                    {"name", device.name},
                    {"kind", device.kind},
                    {"version", device.version},
                    {"driver", device.driver},
                    {"compute_units", device.compute_units},
                    {"memory_bytes", device.memory_bytes},
                    {"f64", device.f64},
                    {"contract", device.contract}});
  }
  return list;
}

ExitCode RunDevices(const Command& command, Arguments arguments) {
  std::string json_file;
  bool contracts = false;
  OptionSet set;
  set.Flag("contract", &contracts, "print what fusion-opencl promises on each");
  set.ValueOr("json", &json_file, "-", "[FILE]", "as JSON, to stdout without FILE");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  const auto devices = ListOpenClDevices();
  if (!devices.has_value()) return Failed(devices.error());
  const std::string text =
      json_file.empty() ? ToText(*devices, contracts) : ToJson(*devices).dump(2) + "\n";
  const ir::Status status = WriteText(json_file.empty() ? "-" : json_file, text);
  return status.ok() ? ExitCode::kOk : Failed(status);
}

}  // namespace

const Command kDevicesCommand = {
    .name = "devices",
    .synopsis = "[--contract] [--json [FILE]]",
    .summary = "list the OpenCL devices that fusion-opencl can run on",
    .details = kDetails,
    .run = RunDevices,
};

}  // namespace faultline::harness
