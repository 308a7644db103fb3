// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/registry.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

TEST_CASE("every built-in backend can be made, under its own name") {
  CHECK(std::ranges::is_sorted(BuiltInBackends(), {}, &BackendRow::name));
  for (const BackendRow& row : BuiltInBackends()) {
    BackendSpec spec;
    spec.name = row.name;
    const auto backend = MakeBackend(spec);
    INFO(row.name);
    if (!backend.has_value() && backend.error().code() == ir::StatusCode::kUnsupported) {
      // Without its device here.
      WARN(row.name << ": " << backend.error().message());
      CHECK(row.name == "fusion-opencl");
      continue;
    }
    REQUIRE(backend.has_value());
    CHECK((*backend)->name() == row.name);
    CHECK_FALSE(ContractText(**backend).empty());
    CHECK((*backend)->Open({}).has_value());
  }
}

TEST_CASE("a backend or a fault that does not exist is a usage error that names it") {
  BackendSpec spec;
  spec.name = "fusion-gpu";
  auto made = MakeBackend(spec);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == ir::StatusCode::kUsage);
  CHECK(made.error().message().find("'fusion-gpu'") != std::string::npos);
  for (const BackendRow& row : BuiltInBackends()) {
    spec.name = row.name;
    spec.fault = "no_such_fault";
    made = MakeBackend(spec);
    INFO(row.name);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == ir::StatusCode::kUsage);
    CHECK(made.error().message().find("'no_such_fault'") != std::string::npos);
  }
}

}  // namespace
}  // namespace faultline::harness
