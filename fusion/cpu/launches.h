// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How the CPU target runs the launches that are no blocks; one function a launch, each in its own
// unit. They return when the work is done.

#ifndef FUSION_CPU_LAUNCHES_H_
#define FUSION_CPU_LAUNCHES_H_

#include <array>
#include <memory>

#include "fusion/cpu/block_run.h"
#include "fusion/cpu/kernels/kernels.h"
#include "fusion/cpu/pool.h"
#include "fusion/cpu/program.h"
#include "fusion/cpu/thread_pool.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion::cpu {

// What every launch is given.
struct Context {
  const KernelSet* kernels = nullptr;
  ThreadPool* threads = nullptr;
  Pool* pool = nullptr;
  RunOptions options;
};

struct MatmulPrograms {
  std::unique_ptr<Program> left_prologue;
  std::unique_ptr<Program> right_prologue;
  std::unique_ptr<Program> epilogue;
};

ir::Status RunMatmul(const MatmulLaunch& launch, const MatmulPrograms& programs,
                     const MatmulBinding& binding, const Context& context);
// Runs a block whose slot 0 is a dense tensor of elements of `width` bytes, which it makes in
// scratch memory.
ir::Result<std::byte*> RunPrologue(const Program& program, const BlockBinding& block, int width,
                                   const Context& context, Scratch* scratch);
ir::Status RunSort(const SortLaunch& launch, const SortBinding& binding, const Context& context);
ir::Status RunScatter(const ScatterLaunch& launch, const ScatterBinding& binding,
                      const Context& context);
ir::Status RunGatherParts(const GatherPartsLaunch& launch, const GatherPartsBinding& binding,
                          const Context& context);
ir::Status RunCopy(const CopyLaunch& launch, const CopyBinding& binding, const Context& context);
ir::Status RunMoveCodes(const MoveCodesLaunch& launch, const MoveCodesBinding& binding,
                        const Context& context);
// `prologue`: of the launch, null if it has none.
ir::Status RunQuantize(const QuantizeLaunch& launch, const Program* prologue,
                       const QuantizeBinding& binding, const Context& context);
ir::Status RunQMatmul(const QMatmulLaunch& launch, const QMatmulBinding& binding,
                      const Context& context);

// Normal form of a tensor's place.
Strided MapOf(const TensorBinding& tensor);
inline std::byte* DataOf(const TensorBinding& tensor) {
  return static_cast<CpuBuffer*>(tensor.buffer)->data();
}
// Of an axis counted from the last one.
inline int64_t Extent(const ir::Shape& shape, int from_last) {
  return shape[shape.rank() - 1 - from_last];
}
// Row-major number of an index.
int64_t LinearOf(const ir::Shape& shape, const std::array<int64_t, ir::kRankMax>& index);
// Adds what a launch found to the error of its options.
void Report(const LaunchError& error, const RunOptions& options);

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_LAUNCHES_H_
