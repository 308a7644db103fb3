// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The OpenCL loader, opened at run time: the program links no OpenCL library, and says so where
// there is none. Calls are made through Api::function, as in api.CreateContext(...).

#ifndef FUSION_OPENCL_API_H_
#define FUSION_OPENCL_API_H_

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <string>
#include <string_view>

#include "ir/base/status.h"

namespace faultline::fusion::opencl {

struct Api {
#define FAULTLINE_OPENCL_FUNCTION(name) decltype(&::cl##name) name = nullptr;
#include "fusion/opencl/functions.def"
#undef FAULTLINE_OPENCL_FUNCTION
};

// libOpenCL.so.1, opened once a process. kUnsupported if it is missing or lacks a function, or if
// another process opened it and forked this one: what a driver's threads did does not cross a fork.
ir::Result<const Api*> LoadApi();

// Whether LoadApi was called in this process, successfully or not.
bool ApiIsOpen();

// "CL_OUT_OF_RESOURCES (-5)", or the number alone.
std::string ErrorName(cl_int error);
// Of a call that failed: kOutOfMemory where the error says so, kDeviceLost otherwise.
ir::Status CallError(std::string_view call, cl_int error);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_API_H_
