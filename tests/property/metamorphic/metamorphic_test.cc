// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Each identity holds on fusion-cpu, and each notices the seeded fault that stands beside it in its
// table: an identity that nothing breaks proves nothing.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fusion/fault.h"
#include "harness/backend/registry.h"
#include "tests/property/metamorphic/identity.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kSeeds = 300;
// Until a fault shows; each is far more common than this.
constexpr uint64_t kSeedsWithFault = 3000;

// Some seeded faults are errors of memory, at which AddressSanitizer would end the test.
#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr bool kCanBeFaulty = false;
#else
constexpr bool kCanBeFaulty = true;
#endif

std::vector<Identity> AllIdentities() {
  std::vector<Identity> all;
  for (const auto table :
       {ArrangementIdentities(), EngineIdentities(), OpIdentities(), ShapeIdentities()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

TEST_CASE("the identities hold on fusion-cpu") {
  for (const Identity& identity : AllIdentities()) {
    const auto backend = MakeBackend({}).value();
    uint64_t held = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      INFO(identity.name << ", seed " << seed);
      const Broken broken = identity.broken(*backend, seed);
      REQUIRE(broken.value_or("") == "");
      held += broken.has_value() ? 1 : 0;
    }
    INFO(identity.name);
    CHECK(held > kSeeds / 2);
  }
}

TEST_CASE("each identity notices its seeded fault") {
  if (!kCanBeFaulty || !fusion::FaultsAreBuilt()) {
    SUCCEED("no faults in this build, or none that its sanitizer lets run");
    return;
  }
  for (const Identity& identity : AllIdentities()) {
    INFO(identity.name << " under " << identity.fault);
    const auto fault = fusion::FindFault(identity.fault);
    REQUIRE(fault.has_value());
    const auto backend = MakeBackend({}).value();
    fusion::ActivateFault(*fault);
    bool noticed = false;
    for (uint64_t seed = 0; seed < kSeedsWithFault && !noticed; ++seed) {
      noticed = !identity.broken(*backend, seed).value_or("").empty();
    }
    fusion::ActivateFault(fusion::FaultId::kNone);
    CHECK(noticed);
  }
}

}  // namespace
}  // namespace faultline::harness
