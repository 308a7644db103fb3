// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What fusion-opencl promises on a device: the device's own answers, and the accuracy that the
// OpenCL specification asks of the functions.

#ifndef HARNESS_BACKEND_FUSION_OPENCL_CONTRACT_H_
#define HARNESS_BACKEND_FUSION_OPENCL_CONTRACT_H_

#include "fusion/opencl/device_facts.h"
#include "reference/contract.h"

namespace faultline::harness {

reference::Contract ContractOf(const fusion::opencl::DeviceFacts& facts);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FUSION_OPENCL_CONTRACT_H_
