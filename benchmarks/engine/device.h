// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A target with buffers for one benchmark: the CPU's, or with FAULTLINE_BENCH_TARGET=opencl that of
// the default OpenCL device.

#ifndef BENCHMARKS_ENGINE_DEVICE_H_
#define BENCHMARKS_ENGINE_DEVICE_H_

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "fusion/block/builder.h"
#include "fusion/cpu/cpu_target.h"
#include "fusion/opencl/opencl_target.h"
#include "ir/base/check.h"

namespace faultline::benchmarks {

class Device {
 public:
  explicit Device(int threads = 1) {
    fusion::TargetOptions options;
    options.threads = threads;
    auto made = MakeTarget(options);
    FAULTLINE_CHECK(made.has_value(), "a target");
    target_ = std::move(*made);
    run_.tier = 2;  // as plans prefer
    run_.account = &account_;
    run_.error = &error_;
  }
  ~Device() {
    for (fusion::Buffer* buffer : buffers_) target_->Release(buffer);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  fusion::Buffer* Floats(const std::vector<float>& values) {
    auto buffer = target_->Allocate(&account_, static_cast<int64_t>(values.size() * 4));
    FAULTLINE_CHECK(buffer.has_value(), "memory");
    buffers_.push_back(*buffer);
    fusion::TensorBinding all;
    all.buffer = *buffer;
    all.shape = {static_cast<int64_t>(values.size())};
    all.place.strides[0] = 1;
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    FAULTLINE_CHECK(target_->Upload(all, 4, bytes).ok(), "upload");
    return *buffer;
  }
  std::shared_ptr<const fusion::Kernel> Compile(const fusion::Launch& launch) {
    auto kernel = target_->Compile(launch);
    FAULTLINE_CHECK(kernel.has_value(), "a kernel");
    return *kernel;
  }
  void Run(const fusion::Kernel& kernel, const fusion::LaunchBinding& binding) {
    FAULTLINE_CHECK(target_->Run(kernel, binding, run_).ok(), "a launch");
    FAULTLINE_CHECK(target_->Fence().ok(), "a fence");
  }

 private:
  static ir::Result<std::unique_ptr<fusion::Target>> MakeTarget(
      const fusion::TargetOptions& options) {
    if (std::getenv("FAULTLINE_BENCH_TARGET") == nullptr) {
      return fusion::cpu::MakeCpuTarget(options);
    }
    return fusion::opencl::MakeOpenClTarget("", options, [&](fusion::MemorySource* memory) {
      return fusion::cpu::MakeCpuTarget(options, memory);
    });
  }

  std::unique_ptr<fusion::Target> target_;
  fusion::MemoryAccount account_;
  fusion::LaunchError error_;
  fusion::RunOptions run_;
  std::vector<fusion::Buffer*> buffers_;
};

inline fusion::AccessBinding Map(std::initializer_list<int64_t> extents,
                                 std::initializer_list<int64_t> strides) {
  fusion::AccessBinding binding;
  for (int64_t extent : extents) binding.extents[static_cast<size_t>(binding.rank++)] = extent;
  size_t k = 0;
  for (int64_t stride : strides) binding.strides[k++] = stride;
  return binding;
}

inline std::vector<float> Ramp(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i % 203) - 101) * 0.01f;
  }
  return values;
}

}  // namespace faultline::benchmarks

#endif  // BENCHMARKS_ENGINE_DEVICE_H_
