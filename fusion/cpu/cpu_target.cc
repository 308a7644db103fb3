// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/cpu_target.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "fusion/cpu/blas.h"
#include "fusion/cpu/launches.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

class CpuKernel final : public Kernel {
 public:
  explicit CpuKernel(Launch launch) : launch(std::move(launch)) {}

  Launch launch;
  std::unique_ptr<Program> program;  // BlockLaunch; the prologue of a QuantizeLaunch
  MatmulPrograms matmul;
};

class CpuTarget final : public Target {
 public:
  CpuTarget(const TargetOptions& options, const KernelSet* kernels, MemorySource* memory)
      : kernels_(kernels),
        pool_(options.pool, options.pool_seed, memory),
        threads_(options.threads) {}

  std::string_view name() const override { return "cpu"; }

  ir::Result<Buffer*> Allocate(MemoryAccount* account, int64_t bytes) override {
    return pool_.Allocate(account, bytes);
  }
  ir::Result<TensorMemory> AllocateTensor(MemoryAccount* account, ir::Dtype dtype,
                                          const ir::Shape& shape) override {
    return pool_.AllocateTensor(account, ir::ByteSize(dtype), shape);
  }
  void Release(Buffer* buffer) override { pool_.Release(static_cast<CpuBuffer*>(buffer)); }
  void Trim() override { pool_.Trim(); }

  ir::Status Upload(const TensorBinding& to, int element_bytes, const std::byte* bytes) override {
    const int64_t count = to.shape.NumElements();
    if (count > 0) Scatter(element_bytes, DataOf(to), MapOf(to), 0, count, bytes);
    return {};
  }
  ir::Status Download(const TensorBinding& from, int element_bytes, std::byte* bytes) override {
    const int64_t count = from.shape.NumElements();
    if (count > 0) Gather(element_bytes, DataOf(from), MapOf(from), 0, count, bytes);
    return {};
  }

  ir::Result<std::shared_ptr<const Kernel>> Compile(const Launch& launch) override;
  ir::Status Run(const Kernel& kernel, const LaunchBinding& binding,
                 const RunOptions& options) override;
  ir::Status Fence() override { return pool_.Check(); }

  std::string Describe() const override {
    return fmt::format("isa: {}; threads: {}; {}", kernels_->isa, threads_.threads(),
                       GetBlas().description);
  }

 private:
  ir::Result<std::unique_ptr<Program>> CompileOptional(const std::shared_ptr<const Block>& block) {
    std::unique_ptr<Program> program;
    if (block != nullptr) {
      program = std::make_unique<Program>(CompileBlock(block, *kernels_));
    }
    return program;
  }

  const KernelSet* kernels_;
  Pool pool_;
  ThreadPool threads_;
};

ir::Result<std::shared_ptr<const Kernel>> CpuTarget::Compile(const Launch& launch) {
  auto kernel = std::make_shared<CpuKernel>(launch);
  if (const auto* block = std::get_if<BlockLaunch>(&launch)) {
    FAULTLINE_ASSIGN_OR_RETURN(kernel->program, CompileOptional(block->block));
  } else if (const auto* matmul = std::get_if<MatmulLaunch>(&launch)) {
    FAULTLINE_ASSIGN_OR_RETURN(kernel->matmul.left_prologue,
                               CompileOptional(matmul->left_prologue));
    FAULTLINE_ASSIGN_OR_RETURN(kernel->matmul.right_prologue,
                               CompileOptional(matmul->right_prologue));
    FAULTLINE_ASSIGN_OR_RETURN(kernel->matmul.epilogue, CompileOptional(matmul->epilogue));
  } else if (const auto* quantize = std::get_if<QuantizeLaunch>(&launch)) {
    FAULTLINE_ASSIGN_OR_RETURN(kernel->program, CompileOptional(quantize->prologue));
  }
  return kernel;
}

ir::Status CpuTarget::Run(const Kernel& kernel, const LaunchBinding& binding,
                          const RunOptions& options) {
  const auto& made = static_cast<const CpuKernel&>(kernel);
  FAULTLINE_CHECK(made.launch.index() == binding.index(), "a binding of the launch's own kind");
  FAULTLINE_CHECK(options.account != nullptr, "an account for scratch memory");
  if (std::holds_alternative<BlockLaunch>(made.launch)) {
    // Kept between launches for its vectors. Run does not come back here.
    thread_local BlockRun run;
    run.Bind(*made.program, std::get<BlockBinding>(binding), options.small_tiles);
    return run.Run(&threads_, &pool_, options);
  }
  const Context context{kernels_, &threads_, &pool_, options};
  if (const auto* launch = std::get_if<MatmulLaunch>(&made.launch)) {
    return RunMatmul(*launch, made.matmul, std::get<MatmulBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<SortLaunch>(&made.launch)) {
    return RunSort(*launch, std::get<SortBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<ScatterLaunch>(&made.launch)) {
    return RunScatter(*launch, std::get<ScatterBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<GatherPartsLaunch>(&made.launch)) {
    return RunGatherParts(*launch, std::get<GatherPartsBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<CopyLaunch>(&made.launch)) {
    return RunCopy(*launch, std::get<CopyBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<MoveCodesLaunch>(&made.launch)) {
    return RunMoveCodes(*launch, std::get<MoveCodesBinding>(binding), context);
  }
  if (const auto* launch = std::get_if<QMatmulLaunch>(&made.launch)) {
    return RunQMatmul(*launch, std::get<QMatmulBinding>(binding), context);
  }
  return RunQuantize(std::get<QuantizeLaunch>(made.launch), made.program.get(),
                     std::get<QuantizeBinding>(binding), context);
}

}  // namespace

Strided MapOf(const TensorBinding& tensor) {
  return Normalize(tensor.place.offset, tensor.shape.extents(),
                   std::span(tensor.place.strides).first(static_cast<size_t>(tensor.shape.rank())));
}

void Report(const LaunchError& error, const RunOptions& options) {
  if (!error.failed()) return;
  FAULTLINE_CHECK(options.error != nullptr, "a launch with indices has a place for errors");
  IndexContext merged;
  merged.error = *options.error;
  merged.Merge(error);
  *options.error = merged.error;
}

ir::Result<std::unique_ptr<Target>> MakeCpuTarget(const TargetOptions& options,
                                                  MemorySource* memory) {
  const char* forced = std::getenv("FAULTLINE_ISA");
  const std::string isa = !options.isa.empty() || forced == nullptr ? options.isa : forced;
  const KernelSet* kernels = ChooseKernels(isa.c_str());
  if (kernels == nullptr) {
    return ir::Error(ir::StatusCode::kUnsupported,
                     fmt::format("instruction set '{}' is unknown, or this CPU lacks it (known: "
                                 "baseline, avx2, avx512)",
                                 isa));
  }
  return std::make_unique<CpuTarget>(options, kernels, memory);
}

}  // namespace faultline::fusion::cpu
