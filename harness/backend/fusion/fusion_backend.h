// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The fused engine as a Backend, `fusion-cpu` and `fusion-opencl`: words are translated, nothing is
// added.

#ifndef HARNESS_BACKEND_FUSION_FUSION_BACKEND_H_
#define HARNESS_BACKEND_FUSION_FUSION_BACKEND_H_

#include <memory>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/seeded_fault.h"
#include "ir/base/status.h"

namespace faultline::harness {

// With `fault` (an id of fusion/faults.def) switched on, for the whole process; empty: none.
// kUsage if there is no such fault, kUnsupported if this build has none compiled in.
ir::Result<std::unique_ptr<Backend>> MakeFusionBackend(std::string_view fault);

// `device`: a selector of fusion/opencl/device.h, empty for the default one; its answers make the
// contract. kUnsupported where there is no such device, or no OpenCL runtime.
ir::Result<std::unique_ptr<Backend>> MakeFusionOpenClBackend(std::string_view device,
                                                             std::string_view fault);

// The seeded faults that are scored on `backend`: those of its target, and on fusion-cpu those of
// all that the targets share. None if this build has none compiled in.
std::vector<SeededFault> FusionFaults(std::string_view backend);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FUSION_FUSION_BACKEND_H_
