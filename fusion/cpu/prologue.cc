// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks that make an operand of a launch.

#include <vector>

#include "fusion/cpu/launches.h"

namespace faultline::fusion::cpu {

ir::Result<std::byte*> RunPrologue(const Program& program, const BlockBinding& block, int width,
                                   const Context& context, Scratch* scratch) {
  int64_t elements = 1;
  for (int64_t extent : block.extents) elements *= extent;
  auto memory = scratch->GetBuffer(context.options.account, elements * width);
  if (!memory.has_value()) return std::unexpected(memory.error());
  // The access of slot 0 is the one that is stored to.
  std::vector<Buffer*> buffers(block.buffers.begin(), block.buffers.end());
  std::vector<AccessBinding> accesses(block.accesses.begin(), block.accesses.end());
  buffers[0] = *memory;
  for (const Instruction& it : program.block->instructions) {
    if (it.op != Op::kStore) continue;
    AccessBinding& dense = accesses[static_cast<size_t>(it.immediate)];
    dense = AccessBinding();
    dense.rank = 1;
    dense.extents[0] = elements;
    dense.strides[0] = 1;
  }
  const BlockBinding bound{block.extents, buffers, accesses, block.parameters};
  BlockRun run;
  run.Bind(program, bound, context.options.small_tiles);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(run.Run(context.threads, context.pool, context.options));
  return (*memory)->data();
}

}  // namespace faultline::fusion::cpu
