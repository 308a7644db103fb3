// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What the tests of the targets share: a target with an account, buffers from vectors and back, and
// bindings of the common maps. FAULTLINE_TEST_TARGET=opencl runs the same tests on the default
// OpenCL device, =opencl-generated with a kernel of its own for each block.

#ifndef TESTS_UNIT_FUSION_TARGET_FIXTURE_H_
#define TESTS_UNIT_FUSION_TARGET_FIXTURE_H_

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fusion/block/builder.h"
#include "fusion/cpu/cpu_target.h"
#include "fusion/opencl/opencl_target.h"
#include "fusion/target.h"

namespace faultline::fusion {

// A target and the buffers of one test, released when it ends.
class TargetFixture {
 public:
  explicit TargetFixture(TargetOptions options = {}) {
    auto made = MakeTarget(options);
    if (!made.has_value()) FAIL(made.error().message());
    target_ = std::move(*made);
    const char* name = std::getenv("FAULTLINE_TEST_TARGET");
    if (name != nullptr && std::string(name) == "opencl-generated") options_.tier = 3;
    options_.account = &account_;
    options_.error = &error_;
  }
  ~TargetFixture() {
    for (Buffer* buffer : buffers_) target_->Release(buffer);
    CHECK(target_->Fence() == ir::Status());
    CHECK(account_.live_bytes == 0);
  }
  TargetFixture(const TargetFixture&) = delete;
  TargetFixture& operator=(const TargetFixture&) = delete;

  Buffer* Bytes(int64_t bytes) {
    auto buffer = target_->Allocate(&account_, bytes);
    REQUIRE(buffer.has_value());
    buffers_.push_back(*buffer);
    return *buffer;
  }
  template <typename T>
  Buffer* From(const std::vector<T>& values) {
    Buffer* buffer = Bytes(static_cast<int64_t>(values.size() * sizeof(T)));
    const TensorBinding all = Dense(buffer, {static_cast<int64_t>(values.size())});
    REQUIRE(target_
                ->Upload(all, static_cast<int>(sizeof(T)),
                         reinterpret_cast<const std::byte*>(values.data()))
                .ok());
    return buffer;
  }
  template <typename T>
  std::vector<T> To(Buffer* buffer, int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    const TensorBinding all = Dense(buffer, {count});
    REQUIRE(target_
                ->Download(all, static_cast<int>(sizeof(T)),
                           reinterpret_cast<std::byte*>(values.data()))
                .ok());
    return values;
  }

  static TensorBinding Dense(Buffer* buffer, ir::Shape shape) {
    TensorBinding tensor;
    tensor.buffer = buffer;
    tensor.shape = shape;
    tensor.place.strides = shape.RowMajorStrides();
    return tensor;
  }

  ir::Status Run(const Launch& launch, const LaunchBinding& binding) {
    auto kernel = target_->Compile(launch);
    if (!kernel.has_value()) return kernel.error();
    return target_->Run(**kernel, binding, options_);
  }
  // A block with its bindings; fails the test if the launch does.
  void RunBlock(Block block, std::vector<int64_t> extents, std::vector<Buffer*> buffers,
                std::vector<AccessBinding> accesses, std::vector<uint64_t> parameters = {}) {
    const BlockLaunch launch{std::make_shared<const Block>(std::move(block))};
    const ir::Status status = Run(launch, BlockBinding{extents, buffers, accesses, parameters});
    REQUIRE(status == ir::Status());
  }

  Target& target() { return *target_; }
  MemoryAccount& account() { return account_; }
  LaunchError& error() { return error_; }
  RunOptions& options() { return options_; }

 private:
  static ir::Result<std::unique_ptr<Target>> MakeTarget(const TargetOptions& options) {
    const char* name = std::getenv("FAULTLINE_TEST_TARGET");
    if (name == nullptr) return cpu::MakeCpuTarget(options);
    REQUIRE(std::string(name).starts_with("opencl"));
    return opencl::MakeOpenClTarget(
        "", options, [&](MemorySource* memory) { return cpu::MakeCpuTarget(options, memory); });
  }

  std::unique_ptr<Target> target_;
  MemoryAccount account_;
  LaunchError error_;
  RunOptions options_;
  std::vector<Buffer*> buffers_;
};

inline AccessBinding Strides(std::initializer_list<int64_t> extents,
                             std::initializer_list<int64_t> strides, int64_t offset = 0) {
  AccessBinding binding;
  binding.offset = offset;
  for (int64_t extent : extents) binding.extents[static_cast<size_t>(binding.rank++)] = extent;
  size_t k = 0;
  for (int64_t stride : strides) binding.strides[k++] = stride;
  return binding;
}
inline AccessBinding Contiguous(int64_t count) { return Strides({count}, {1}); }
inline AccessBinding Broadcast() { return Strides({}, {}); }

}  // namespace faultline::fusion

#endif  // TESTS_UNIT_FUSION_TARGET_FIXTURE_H_
