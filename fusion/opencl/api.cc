// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace faultline::fusion::opencl {
namespace {

struct Named {
  cl_int error;
  std::string_view name;
};
constexpr Named kErrors[] = {
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
};

std::atomic<pid_t> opened_by = 0;

struct Loaded {
  Api api;
  ir::Status status;
  pid_t owner = 0;
};

Loaded Open() {
  Loaded loaded;
  loaded.owner = getpid();
  opened_by = loaded.owner;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.status = ir::Status(ir::StatusCode::kUnsupported,
                               "no OpenCL runtime: libOpenCL.so.1 is not installed (Debian: "
                               "ocl-icd-libopencl1, and pocl-opencl-icd for a device)");
    return loaded;
  }
  const auto find = [&](const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr && loaded.status.ok()) {
      loaded.status =
          ir::Status(ir::StatusCode::kUnsupported, fmt::format("libOpenCL.so.1 has no {}", name));
    }
    return symbol;
  };
#define FAULTLINE_OPENCL_FUNCTION(name) \
  loaded.api.name = reinterpret_cast<decltype(&::cl##name)>(find("cl" #name));
#include "fusion/opencl/functions.def"
#undef FAULTLINE_OPENCL_FUNCTION
  return loaded;
}

}  // namespace

ir::Result<const Api*> LoadApi() {
  static const Loaded loaded = Open();
  if (!loaded.status.ok()) return std::unexpected(loaded.status);
  if (loaded.owner != getpid()) {
    return ir::Error(ir::StatusCode::kUnsupported,
                     "OpenCL was opened before this process was forked, and a driver does not "
                     "outlive a fork");
  }
  return &loaded.api;
}

bool ApiIsOpen() { return opened_by == getpid(); }

std::string ErrorName(cl_int error) {
  const auto* it = std::ranges::find(kErrors, error, &Named::error);
  if (it == std::end(kErrors)) return fmt::format("OpenCL error {}", error);
  return fmt::format("{} ({})", it->name, error);
}

ir::Status CallError(std::string_view call, cl_int error) {
  const bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY ||
                      error == CL_OUT_OF_RESOURCES;
  return ir::Status(memory ? ir::StatusCode::kOutOfMemory : ir::StatusCode::kDeviceLost,
                    fmt::format("{}: {}", call, ErrorName(error)));
}

}  // namespace faultline::fusion::opencl
