// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/opencl_devices.h"

#include "fusion/opencl/device_facts.h"
#include "harness/backend/fusion/opencl_contract.h"

namespace faultline::harness {

ir::Result<std::vector<OpenClDevice>> ListOpenClDevices() {
  FAULTLINE_ASSIGN_OR_RETURN(const std::vector<fusion::opencl::DeviceFacts> found,
                             fusion::opencl::ListDevices());
  std::vector<OpenClDevice> devices;
  for (const fusion::opencl::DeviceFacts& facts : found) {
    devices.push_back({.platform = facts.platform,
                       .name = facts.name,
                       .version = facts.version,
                       .driver = facts.driver,
                       .kind = facts.kind,
                       .compute_units = facts.compute_units,
                       .memory_bytes = facts.memory_bytes,
                       .f64 = facts.f64,
                       .contract = reference::PrintContract(ContractOf(facts))});
  }
  return devices;
}

}  // namespace faultline::harness
