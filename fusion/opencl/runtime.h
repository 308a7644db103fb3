// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What all targets of one device share in a process: its context and the interpreter kernel's
// program, built once. Drivers keep what they built on disk, so later processes load it.

#ifndef FUSION_OPENCL_RUNTIME_H_
#define FUSION_OPENCL_RUNTIME_H_

#include <memory>
#include <string_view>

#include "fusion/opencl/api.h"
#include "fusion/opencl/device.h"
#include "fusion/opencl/launch_words.h"
#include "ir/base/status.h"

namespace faultline::fusion::opencl {

class Runtime {
 public:
  // The one of the device that `selector` names; made at the first call.
  static ir::Result<std::shared_ptr<const Runtime>> Get(std::string_view selector);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const Api& api() const { return api_; }
  const Device& device() const { return device_; }
  cl_context context() const { return context_; }
  cl_program program() const { return program_; }
  const Spread& spread() const { return spread_; }
  size_t local_size() const { return local_size_; }
  ir::Status LaunchNothing() const;
  // Compiles what is to follow the preamble, arithmetic.cl and lanes.cl. The caller releases it.
  ir::Result<cl_program> Compile(std::string_view source) const;

 private:
  Runtime(const Api& api, const Device& device) : api_(api), device_(device) {}
  ir::Status Start();

  const Api& api_;
  Device device_;
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
  Spread spread_;
  size_t local_size_ = 1;
};

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_RUNTIME_H_
