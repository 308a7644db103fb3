// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/opencl_contract.h"

namespace faultline::harness {
namespace {

using reference::Function;

// OpenCL C, "Relative error as ULPs", full profile, in f32 and f64. Launches that run on the host
// keep the contract of fusion-cpu, which is closer.
struct Row {
  Function function;
  double ulp;
};
constexpr Row kSpecification[] = {
    {Function::kExp, 3},   {Function::kLog, 3},   {Function::kTanh, 5},  {Function::kErf, 16},
    {Function::kPow, 16},  {Function::kLog1p, 2}, {Function::kSin, 4},   {Function::kCos, 4},
    {Function::kTan, 5},   {Function::kSinh, 4},  {Function::kCosh, 4},  {Function::kAsin, 4},
    {Function::kAcos, 4},  {Function::kAtan, 5},  {Function::kAsinh, 4}, {Function::kAcosh, 4},
    {Function::kAtanh, 5}, {Function::kAtan2, 6}, {Function::kHypot, 4},
};
static_assert(std::size(kSpecification) == reference::kFunctionCount);

}  // namespace

reference::Contract ContractOf(const fusion::opencl::DeviceFacts& facts) {
  reference::Contract contract = reference::FusionCpuContract();
  contract.name = "fusion-opencl";
  for (const Row& row : kSpecification) {
    contract.function_ulp[static_cast<size_t>(row.function)] = row.ulp;
  }
  contract.bounded_functions = false;
  contract.may_flush = !facts.f32_subnormals || (facts.f64 && !facts.f64_subnormals);
  // Without either the kernel divides as the device does.
  if (!facts.f32_divides_correctly && !facts.f64) {
    contract.division_ulp = 2.5;
    contract.sqrt_ulp = 3;
  }
  return contract;
}

}  // namespace faultline::harness
