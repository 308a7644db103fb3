// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/opencl_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fusion/opencl/generate.h"
#include "fusion/opencl/heap.h"
#include "fusion/opencl/runtime.h"
#include "ir/base/check.h"

namespace faultline::fusion::opencl {
namespace {

// Address space of a target's heap where the device would give more.
constexpr int64_t kHeapMax = int64_t{1} << 33;

// 0: the host; 1: the interpreter kernel; 2: a generated kernel for spaces of so many elements and
// more, which pay for a compilation; 3, which no plan asks for: a generated kernel always.
constexpr int kTiers = 3;
constexpr int64_t kGenerateFrom = int64_t{1} << 20;
// Generated kernels that a target keeps.
constexpr size_t kGeneratedMax = 256;

// What the trace says of launches that are no blocks, by the kind of launch.
constexpr std::string_view kHostTiers[] = {
    "block on host",      "matmul on host",       "sort on host",
    "scatter on host",    "gather parts on host", "copy on host",
    "move codes on host", "quantize on host",     "quantized matmul on host"};
static_assert(std::size(kHostTiers) == std::variant_size_v<Launch>);

class OpenClKernel final : public Kernel {
 public:
  int tiers() const override { return program == nullptr ? 1 : kTiers; }
  std::string_view tier_name(int tier) const override {
    if (program == nullptr) return reason;
    return tier == 0   ? "block on host: chosen"
           : tier == 1 ? "block on device: interpreted"
                       : "block on device: generated if large";
  }

  std::shared_ptr<const Block> block;
  std::unique_ptr<const DeviceProgram> program;  // null: runs on the host
  std::string_view reason;
  std::shared_ptr<const Kernel> host;
};

class OpenClTarget final : public Target {
 public:
  OpenClTarget(std::shared_ptr<const Runtime> runtime, PoolMode pool)
      : runtime_(std::move(runtime)), api_(runtime_->api()), guarded_(pool == PoolMode::kGuard) {}

  ~OpenClTarget() override {
    host_.reset();
    heap_.reset();
    ReleaseGenerated();
    if (kernel_ != nullptr) api_.ReleaseKernel(kernel_);
    if (queue_ != nullptr) api_.ReleaseCommandQueue(queue_);
  }

  ir::Status Start(const HostTargetMaker& make_host) {
    const Device& device = runtime_->device();
    cl_int error = CL_SUCCESS;
    queue_ = api_.CreateCommandQueue(runtime_->context(), device.id, 0, &error);
    if (error != CL_SUCCESS) return CallError("clCreateCommandQueue", error);
    kernel_ = api_.CreateKernel(runtime_->program(), "run_block", &error);
    if (error != CL_SUCCESS) return CallError("clCreateKernel", error);
    auto heap = Heap::Make(api_, runtime_->context(), queue_,
                           std::min(device.facts.allocation_bytes, kHeapMax));
    if (!heap.has_value()) return std::move(heap).error();
    heap_ = std::move(*heap);
    auto host = make_host(heap_.get());
    if (!host.has_value()) return std::move(host).error();
    host_ = std::move(*host);
    return {};
  }

  std::string_view name() const override { return "opencl"; }

  ir::Result<Buffer*> Allocate(MemoryAccount* account, int64_t bytes) override {
    const std::lock_guard lock(mutex_);
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(LetPoolWrite());
    return host_->Allocate(account, bytes);
  }
  ir::Result<TensorMemory> AllocateTensor(MemoryAccount* account, ir::Dtype dtype,
                                          const ir::Shape& shape) override {
    const std::lock_guard lock(mutex_);
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(LetPoolWrite());
    return host_->AllocateTensor(account, dtype, shape);
  }
  void Release(Buffer* buffer) override {
    const std::lock_guard lock(mutex_);
    // What failed here fails again where a status can say so.
    static_cast<void>(LetPoolWrite());
    host_->Release(buffer);
  }
  void Trim() override {
    const std::lock_guard lock(mutex_);
    static_cast<void>(LetPoolWrite());
    host_->Trim();
  }

  ir::Status Upload(const TensorBinding& to, int element_bytes, const std::byte* bytes) override {
    const std::lock_guard lock(mutex_);
    FAULTLINE_RETURN_IF_ERROR(heap_->ToHost());
    return host_->Upload(to, element_bytes, bytes);
  }
  ir::Status Download(const TensorBinding& from, int element_bytes, std::byte* bytes) override {
    const std::lock_guard lock(mutex_);
    FAULTLINE_RETURN_IF_ERROR(heap_->ToHost());
    return host_->Download(from, element_bytes, bytes);
  }

  ir::Result<std::shared_ptr<const Kernel>> Compile(const Launch& launch) override;
  ir::Status Run(const Kernel& kernel, const LaunchBinding& binding,
                 const RunOptions& options) override;
  ir::Status Fence() override {
    const std::lock_guard lock(mutex_);
    if (guarded_ || runtime_->device().facts.unified_memory) {
      FAULTLINE_RETURN_IF_ERROR(heap_->ToHost());
    } else if (const cl_int error = api_.Finish(queue_); error != CL_SUCCESS) {
      return CallError("clFinish", error);
    }
    return host_->Fence();
  }

  std::string Describe() const override {
    const DeviceFacts& facts = runtime_->device().facts;
    return fmt::format("device: {}, {}, driver {}; host: {}", facts.platform, facts.name,
                       facts.driver, host_->Describe());
  }

 private:
  // Guard zones are painted and looked at by the host.
  ir::Status LetPoolWrite() { return guarded_ ? heap_->ToHost() : ir::Status(); }
  ir::Status RunOnDevice(const OpenClKernel& kernel, const BlockBinding& binding,
                         const LaunchShape& shape, const RunOptions& options);
  // The generated kernel of a block with accesses of such forms.
  ir::Result<cl_kernel> Generate(const OpenClKernel& kernel, const BlockBinding& binding);
  void ReleaseGenerated() {
    for (const auto& [key, kernel] : generated_) api_.ReleaseKernel(kernel);
    generated_.clear();
  }
  ir::Status Enqueue(cl_kernel kernel, const std::vector<int64_t>& words, const LaunchShape& shape,
                     std::vector<int64_t>* errors);

  std::shared_ptr<const Runtime> runtime_;
  const Api& api_;
  const bool guarded_;
  std::mutex mutex_;  // of all below
  cl_command_queue queue_ = nullptr;
  cl_kernel kernel_ = nullptr;
  // By everything that their source depends on.
  std::map<std::vector<int64_t>, cl_kernel> generated_;
  std::unique_ptr<Heap> heap_;
  std::unique_ptr<Target> host_;
};

ir::Result<std::shared_ptr<const Kernel>> OpenClTarget::Compile(const Launch& launch) {
  auto kernel = std::make_shared<OpenClKernel>();
  FAULTLINE_ASSIGN_OR_RETURN(kernel->host, host_->Compile(launch));
  kernel->reason = kHostTiers[launch.index()];
  const auto* block = std::get_if<BlockLaunch>(&launch);
  if (block == nullptr) return kernel;
  kernel->block = block->block;
  const std::string_view why = WhyOnHost(*block->block, runtime_->device().facts.f64);
  if (!why.empty()) {
    kernel->reason = why;
    return kernel;
  }
  kernel->program = EncodeBlock(*block->block);
  if (kernel->program == nullptr) kernel->reason = "block on host: too many values alive";
  return kernel;
}

ir::Status OpenClTarget::Run(const Kernel& kernel, const LaunchBinding& binding,
                             const RunOptions& options) {
  const auto& made = static_cast<const OpenClKernel&>(kernel);
  FAULTLINE_CHECK(options.account != nullptr, "an account for scratch memory");
  const std::lock_guard lock(mutex_);
  if (made.program != nullptr && options.tier > 0) {
    const auto& block = std::get<BlockBinding>(binding);
    LaunchShape shape;
    if (ShapeOf(*made.block, *made.program, block, runtime_->spread(), &shape)) {
      return shape.items == 0 ? ir::Status() : RunOnDevice(made, block, shape, options);
    }
  }
  FAULTLINE_RETURN_IF_ERROR(heap_->ToHost());
  return host_->Run(*made.host, binding, options);
}

ir::Status OpenClTarget::RunOnDevice(const OpenClKernel& kernel, const BlockBinding& binding,
                                     const LaunchShape& shape, const RunOptions& options) {
  const auto offset_of = [&](Buffer* buffer) {
    return heap_->OffsetOf(static_cast<HostBuffer*>(buffer)->data());
  };
  cl_kernel code = kernel_;
  const int64_t space = shape.units * (kernel.block->has_row ? shape.row : 1);
  if (options.tier > 2 || (options.tier == 2 && space >= kGenerateFrom)) {
    auto generated = Generate(kernel, binding);
    if (!generated.has_value()) return std::move(generated).error();
    code = *generated;
  }
  Buffer* scratch = nullptr;
  if (shape.scratch_stride > 0) {
    FAULTLINE_RETURN_IF_ERROR(LetPoolWrite());
    auto made = host_->Allocate(options.account, shape.items * shape.scratch_stride);
    if (!made.has_value()) return std::move(made).error();
    scratch = *made;
  }
  const std::vector<int64_t> words =
      WriteLaunch(*kernel.block, *kernel.program, binding, shape, offset_of,
                  scratch == nullptr ? 0 : offset_of(scratch));
  // Source, position, index and bound of what each item found first.
  std::vector<int64_t> errors(kernel.program->indexed ? static_cast<size_t>(4 * shape.items) : 0);
  ir::Status status = Enqueue(code, words, shape, &errors);
  if (scratch != nullptr) {
    // The queue is in order: whoever gets this memory next comes after the launch.
    if (status.ok()) status = LetPoolWrite();
    host_->Release(scratch);
  }
  FAULTLINE_RETURN_IF_ERROR(status);
  for (size_t i = 0; i + 3 < errors.size(); i += 4) {
    const LaunchError found{static_cast<int32_t>(errors[i]), errors[i + 1], errors[i + 2],
                            errors[i + 3]};
    if (!found.failed()) continue;
    FAULTLINE_CHECK(options.error != nullptr, "a launch with indices has a place for errors");
    LaunchError& first = *options.error;
    const bool before = found.source != first.source ? found.source < first.source
                                                     : found.position < first.position;
    if (!first.failed() || before) first = found;
  }
  return {};
}

ir::Result<cl_kernel> OpenClTarget::Generate(const OpenClKernel& kernel,
                                             const BlockBinding& binding) {
  const std::vector<AccessForm> forms = FormsOf(*kernel.block, binding);
  std::vector<int64_t> key = kernel.program->code;
  key.push_back(kernel.block->has_row ? 1 : 0);
  for (AccessForm form : forms) key.push_back(static_cast<int64_t>(form));
  if (const auto it = generated_.find(key); it != generated_.end()) return it->second;
  FAULTLINE_ASSIGN_OR_RETURN(
      cl_program program, runtime_->Compile(GenerateKernel(*kernel.block, *kernel.program, forms)));
  cl_int error = CL_SUCCESS;
  cl_kernel made = api_.CreateKernel(program, "run_block", &error);
  api_.ReleaseProgram(program);  // the kernel keeps it
  if (error != CL_SUCCESS) return std::unexpected(CallError("clCreateKernel", error));
  if (generated_.size() == kGeneratedMax) ReleaseGenerated();
  generated_.emplace(std::move(key), made);
  return made;
}

// Waits only if there are errors to read.
ir::Status OpenClTarget::Enqueue(cl_kernel kernel, const std::vector<int64_t>& words,
                                 const LaunchShape& shape, std::vector<int64_t>* errors) {
  FAULTLINE_RETURN_IF_ERROR(heap_->ToDevice());
  cl_int error = CL_SUCCESS;
  const auto make = [&](cl_mem_flags flags, size_t bytes, const void* from) {
    // The copy is the driver's: CL_MEM_COPY_HOST_PTR reads, whatever the signature says.
    return api_.CreateBuffer(runtime_->context(), flags, bytes, const_cast<void*>(from), &error);
  };
  cl_mem launch =
      make(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, words.size() * sizeof(int64_t), words.data());
  if (error != CL_SUCCESS) return CallError("clCreateBuffer", error);
  const size_t error_bytes = errors->size() * sizeof(int64_t);
  cl_mem found = nullptr;
  if (error_bytes > 0) found = make(CL_MEM_WRITE_ONLY, error_bytes, nullptr);
  std::string_view call = "clCreateBuffer";
  const auto then = [&](std::string_view name, const auto& body) {
    if (error != CL_SUCCESS) return;
    call = name;
    error = body();
  };
  const cl_mem heap = heap_->object();
  then("clSetKernelArg", [&] { return api_.SetKernelArg(kernel, 0, sizeof(heap), &heap); });
  then("clSetKernelArg", [&] { return api_.SetKernelArg(kernel, 1, sizeof(launch), &launch); });
  then("clSetKernelArg", [&] {
    return api_.SetKernelArg(kernel, 2, sizeof(found), found == nullptr ? nullptr : &found);
  });
  const size_t local = runtime_->local_size();
  const size_t global = (static_cast<size_t>(shape.items) + local - 1) / local * local;
  then("clEnqueueNDRangeKernel", [&] {
    return api_.EnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                     nullptr);
  });
  if (error_bytes > 0) {
    then("clEnqueueReadBuffer", [&] {
      return api_.EnqueueReadBuffer(queue_, found, CL_TRUE, 0, error_bytes, errors->data(), 0,
                                    nullptr, nullptr);
    });
  }
  // Kept by the driver until the launch is done.
  api_.ReleaseMemObject(launch);
  if (found != nullptr) api_.ReleaseMemObject(found);
  return error == CL_SUCCESS ? ir::Status() : CallError(call, error);
}

}  // namespace

ir::Result<std::unique_ptr<Target>> MakeOpenClTarget(std::string_view selector,
                                                     const TargetOptions& options,
                                                     const HostTargetMaker& make_host) {
  FAULTLINE_ASSIGN_OR_RETURN(std::shared_ptr<const Runtime> runtime, Runtime::Get(selector));
  auto target = std::make_unique<OpenClTarget>(std::move(runtime), options.pool);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(target->Start(make_host));
  return target;
}

}  // namespace faultline::fusion::opencl
