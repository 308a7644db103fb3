// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The backends that come with Faultline, by the name that `--backend` takes.

#ifndef HARNESS_BACKEND_REGISTRY_H_
#define HARNESS_BACKEND_REGISTRY_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/seeded_fault.h"
#include "ir/base/status.h"

namespace faultline::harness {

struct BackendRow {
  std::string_view name;
  std::string_view doc;  // one line
};

// Built-in backends, sorted by name.
std::span<const BackendRow> BuiltInBackends();

inline constexpr std::string_view kDefaultBackend = "fusion-cpu";

struct BackendSpec {
  // A built-in name, or a file (anything with a '/' or ending in ".so"): a plug-in.
  std::string name = std::string(kDefaultBackend);
  // A fault to switch on: canary's by name, fusion-cpu's seeded one by id; empty: canary's default
  // fault, and none in the others.
  std::string fault;
  // Of fusion-opencl: which device (fusion/opencl/device.h); empty: the default one.
  std::string device;
  // Text of a contract that replaces a plug-in's own; empty: its own.
  std::string contract_text;
};

// Those of a built-in backend, sorted by id; none where this build has them not compiled in.
std::vector<SeededFault> SeededFaults(std::string_view backend);

// A backend with a new engine. kUsage if there is no such backend or fault, kIo if a plug-in cannot
// be loaded, kUnsupported if this machine has no device for it.
ir::Result<std::unique_ptr<Backend>> MakeBackend(const BackendSpec& spec);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_REGISTRY_H_
