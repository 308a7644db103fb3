// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fusion/opencl/kernel_source.h"
#include "fusion/opencl/words.h"

namespace faultline::fusion::opencl {
namespace {

// A tile of a CPU's work item is what its vector units take a few times over; a GPU's items are the
// lanes themselves.
constexpr int kCpuLanes = 16;
constexpr int64_t kCpuItemsPerUnit = 8;
constexpr int64_t kGpuItems = int64_t{1} << 18;
constexpr size_t kGpuLocalSize = 64;

std::string OptionsFor(const DeviceFacts& facts) {
  std::string options = "-cl-std=CL1.2";
  if (facts.f64) options += " -D FP64";
  // Its interpreter lacks some of what its compiler makes of optimised code.
  if (facts.platform == "Oclgrind") options += " -cl-opt-disable";
  if (facts.f32_divides_correctly) {
    options += " -D DIVIDES_CORRECTLY -cl-fp32-correctly-rounded-divide-sqrt";
  }
  return options;
}

}  // namespace

ir::Result<std::shared_ptr<const Runtime>> Runtime::Get(std::string_view selector) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Runtime>, std::less<>> made;
  const std::lock_guard lock(mutex);
  FAULTLINE_ASSIGN_OR_RETURN(const Api* const api, LoadApi());
  if (const auto it = made.find(selector); it != made.end()) return it->second;
  FAULTLINE_ASSIGN_OR_RETURN(const Device device, FindDevice(selector));
  std::shared_ptr<Runtime> runtime(new Runtime(*api, device));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(runtime->Start());
  made.emplace(selector, runtime);
  return runtime;
}

ir::Status Runtime::Start() {
  const bool cpu = device_.facts.kind == "cpu";
  spread_.lanes = cpu ? kCpuLanes : 1;
  spread_.items_max = cpu ? kCpuItemsPerUnit * std::max(device_.facts.compute_units, 1) : kGpuItems;
  local_size_ = cpu ? 1 : kGpuLocalSize;
  cl_int error = CL_SUCCESS;
  context_ = api_.CreateContext(nullptr, 1, &device_.id, nullptr, nullptr, &error);
  if (error != CL_SUCCESS) return CallError("clCreateContext", error);
  auto program = Compile(std::string(kInterpreterSource) + kStepsSource + "    }\n  }\n}\n");
  if (!program.has_value()) return std::move(program).error();
  program_ = *program;
  return {};
}

ir::Result<cl_program> Runtime::Compile(std::string_view source) const {
  const std::string text =
      PreambleOf(spread_.lanes) + kArithmeticSource + kLanesSource + std::string(source);
  const char* begin = text.c_str();
  cl_int error = CL_SUCCESS;
  cl_program program = api_.CreateProgramWithSource(context_, 1, &begin, nullptr, &error);
  if (error != CL_SUCCESS) return std::unexpected(CallError("clCreateProgramWithSource", error));
  error = api_.BuildProgram(program, 1, &device_.id, OptionsFor(device_.facts).c_str(), nullptr,
                            nullptr);
  if (error == CL_SUCCESS) return program;
  size_t size = 0;
  api_.GetProgramBuildInfo(program, device_.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  api_.GetProgramBuildInfo(program, device_.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  api_.ReleaseProgram(program);
  return ir::Error(ir::StatusCode::kDeviceLost,
                   fmt::format("a kernel does not build for {} ({}): {}", device_.facts.name,
                               ErrorName(error), log));
}

// Drivers compile late, some at the first launch: this one has no items.
ir::Status Runtime::LaunchNothing() const {
  const std::vector<int64_t> words(kHeaderWords, 0);
  cl_int error = CL_SUCCESS;
  cl_command_queue queue = api_.CreateCommandQueue(context_, device_.id, 0, &error);
  if (error != CL_SUCCESS) return CallError("clCreateCommandQueue", error);
  cl_kernel kernel = api_.CreateKernel(program_, "run_block", &error);
  cl_mem launch = nullptr;
  if (error == CL_SUCCESS) {
    launch = api_.CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               words.size() * sizeof(int64_t), const_cast<int64_t*>(words.data()),
                               &error);
  }
  if (error == CL_SUCCESS) {
    api_.SetKernelArg(kernel, 0, sizeof(launch), &launch);
    api_.SetKernelArg(kernel, 1, sizeof(launch), &launch);
    api_.SetKernelArg(kernel, 2, sizeof(launch), nullptr);
    error = api_.EnqueueNDRangeKernel(queue, kernel, 1, nullptr, &local_size_, &local_size_, 0,
                                      nullptr, nullptr);
  }
  if (error == CL_SUCCESS) error = api_.Finish(queue);
  if (launch != nullptr) api_.ReleaseMemObject(launch);
  if (kernel != nullptr) api_.ReleaseKernel(kernel);
  api_.ReleaseCommandQueue(queue);
  return error == CL_SUCCESS ? ir::Status() : CallError("a launch of nothing", error);
}

ir::Status PrepareDevice(std::string_view selector) {
  const auto runtime = Runtime::Get(selector);
  return runtime.has_value() ? (*runtime)->LaunchNothing() : runtime.error();
}

Runtime::~Runtime() {
  if (program_ != nullptr) api_.ReleaseProgram(program_);
  if (context_ != nullptr) api_.ReleaseContext(context_);
}

}  // namespace faultline::fusion::opencl
