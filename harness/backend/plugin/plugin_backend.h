// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A shared library with the interface of plugin.h as a Backend. What an eager plug-in reports from
// `apply` as an index error becomes an error of the values it spoils, as the laws of a backend ask;
// clones are counted here.

#ifndef HARNESS_BACKEND_PLUGIN_PLUGIN_BACKEND_H_
#define HARNESS_BACKEND_PLUGIN_PLUGIN_BACKEND_H_

#include <memory>
#include <string>
#include <string_view>

#include "harness/backend/backend.h"
#include "ir/base/status.h"

namespace faultline::harness {

// `contract_text` replaces the plug-in's own contract unless empty. kIo if the library cannot be
// loaded, kUnsupported if it has another ABI, kSyntax if a contract cannot be read.
ir::Result<std::unique_ptr<Backend>> LoadPluginBackend(const std::string& path,
                                                       std::string_view contract_text);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_PLUGIN_PLUGIN_BACKEND_H_
