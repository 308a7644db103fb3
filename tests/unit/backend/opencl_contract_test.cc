// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What fusion-opencl promises, from what a device says.

#include "harness/backend/fusion/opencl_contract.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

using fusion::opencl::DeviceFacts;
using reference::Function;

DeviceFacts Full() {
  DeviceFacts facts;
  facts.f64 = true;
  facts.f32_subnormals = true;
  facts.f64_subnormals = true;
  facts.f32_divides_correctly = true;
  return facts;
}

TEST_CASE("a device that keeps subnormals and divides correctly promises what is pinned") {
  const reference::Contract contract = ContractOf(Full());
  CHECK(contract.name == "fusion-opencl");
  CHECK(contract.one_value);
  CHECK_FALSE(contract.may_flush);
  CHECK_FALSE(contract.contraction);
  CHECK(contract.division_ulp == 0);
  CHECK(contract.sqrt_ulp == 0);
  CHECK(contract.ulp(Function::kExp) == 3);
  CHECK(contract.ulp(Function::kErf) == 16);
}

TEST_CASE("no function is promised closer than fusion-cpu has it, whose code runs on the host") {
  const reference::Contract host = reference::FusionCpuContract();
  const reference::Contract contract = ContractOf(Full());
  for (int f = 0; f < reference::kFunctionCount; ++f) {
    CHECK(contract.ulp(static_cast<Function>(f)) >= host.ulp(static_cast<Function>(f)));
  }
}

TEST_CASE("what a device does not say loosens the contract") {
  DeviceFacts facts = Full();
  facts.f32_subnormals = false;
  CHECK(ContractOf(facts).may_flush);
  facts = Full();
  facts.f64_subnormals = false;
  CHECK(ContractOf(facts).may_flush);
  // Quotients are corrected in f64 where there is f64.
  facts = Full();
  facts.f32_divides_correctly = false;
  CHECK(ContractOf(facts).division_ulp == 0);
  facts.f64 = false;
  CHECK(ContractOf(facts).division_ulp == 2.5);
  CHECK(ContractOf(facts).sqrt_ulp == 3);
}

}  // namespace
}  // namespace faultline::harness
