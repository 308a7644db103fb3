// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/backend/canary/canary_backend.h"
#include "harness/backend/fusion/fusion_backend.h"
#include "harness/backend/plugin/plugin_backend.h"
#include "harness/backend/reference/reference_backend.h"

namespace faultline::harness {
namespace {

using Made = ir::Result<std::unique_ptr<Backend>>;

Made MakeAdversary(const BackendSpec& spec) {
  if (spec.fault.empty()) return MakeAdversaryBackend();
  return ir::Error(ir::StatusCode::kUsage,
                   fmt::format("adversary has no seeded fault '{}'", spec.fault));
}

Made MakeCanary(const BackendSpec& spec) { return MakeCanaryBackend(spec.fault); }

Made MakeFusionCpu(const BackendSpec& spec) { return MakeFusionBackend(spec.fault); }

Made MakeFusionOpenCl(const BackendSpec& spec) {
  return MakeFusionOpenClBackend(spec.device, spec.fault);
}

Made MakeReference(const BackendSpec& spec) {
  if (spec.fault.empty()) return MakeReferenceBackend();
  return ir::Error(ir::StatusCode::kUsage,
                   fmt::format("reference has no seeded fault '{}'", spec.fault));
}

struct Row {
  BackendRow row;
  Made (*make)(const BackendSpec& spec);
};

constexpr auto kRows = std::to_array<Row>({
    {{"adversary", "a legal execution as nasty as the contract of fusion-cpu allows"},
     MakeAdversary},
    {{"canary", "the reference with one named fault (--fault NAME)"}, MakeCanary},
    {{"fusion-cpu", "the fused backend on the CPU"}, MakeFusionCpu},
    {{"fusion-opencl", "the fused backend on an OpenCL device (--device NAME)"}, MakeFusionOpenCl},
    {{"reference", "the plain reference, run eagerly"}, MakeReference},
});

constexpr auto kBuiltIn = [] {
  std::array<BackendRow, kRows.size()> rows;
  std::ranges::transform(kRows, rows.begin(), &Row::row);
  return rows;
}();

}  // namespace

std::span<const BackendRow> BuiltInBackends() { return kBuiltIn; }

std::vector<SeededFault> SeededFaults(std::string_view backend) {
  std::vector<SeededFault> faults;
  if (backend == "canary") {
    for (const CanaryFaultInfo& fault : AllCanaryFaults()) {
      faults.push_back({fault.name, {}, {}, fault.doc});
    }
  } else if (backend.starts_with("fusion-")) {
    faults = FusionFaults(backend);
  }
  return faults;
}

Made MakeBackend(const BackendSpec& spec) {
  for (const Row& row : kRows) {
    if (row.row.name == spec.name) return row.make(spec);
  }
  if (spec.name.contains('/') || spec.name.ends_with(".so")) {
    if (spec.fault.empty()) return LoadPluginBackend(spec.name, spec.contract_text);
    return ir::Error(ir::StatusCode::kUsage, "a plug-in has no seeded faults");
  }
  std::string names;
  for (const BackendRow& row : kBuiltIn) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return ir::Error(
      ir::StatusCode::kUsage,
      fmt::format("unknown backend '{}'; there are {} and plug-ins (a path)", spec.name, names));
}

}  // namespace faultline::harness
