// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/composites/expansion.h"

#include "fusion/composites/composites.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

using Write = void (*)(ExpansionWriter&);

// Null for ops that are recorded as they are.
Write WriterOf(ir::Opcode op) {
  switch (op) {
    case ir::Opcode::kBatchNorm:
      return BatchNorm;
    case ir::Opcode::kCross:
      return Cross;
    case ir::Opcode::kDiag:
      return Diag;
    case ir::Opcode::kEmbedding:
      return Embedding;
    case ir::Opcode::kGroupNorm:
      return GroupNorm;
    case ir::Opcode::kLayerNorm:
      return LayerNorm;
    case ir::Opcode::kLinear:
      return Linear;
    case ir::Opcode::kLogSoftmax:
      return LogSoftmax;
    case ir::Opcode::kLogsumexp:
      return Logsumexp;
    case ir::Opcode::kNarrow:
      return Narrow;
    case ir::Opcode::kNorm:
      return Norm;
    case ir::Opcode::kOneHot:
      return OneHot;
    case ir::Opcode::kRmsNorm:
      return RmsNorm;
    case ir::Opcode::kRoll:
      return Roll;
    case ir::Opcode::kSoftmin:
      return Softmin;
    case ir::Opcode::kStack:
      return Stack;
    case ir::Opcode::kStd:
      return Std;
    case ir::Opcode::kTril:
      return Tril;
    case ir::Opcode::kTriu:
      return Triu;
    case ir::Opcode::kVar:
      return Var;
    case ir::Opcode::kSplit:
      return Split;
    case ir::Opcode::kChunk:
      return Chunk;
    case ir::Opcode::kMeshgrid:
      return Meshgrid;
    default:
      return nullptr;
  }
}

}  // namespace

bool IsExpanded(ir::Opcode op) { return WriterOf(op) != nullptr; }

Expansion Expand(const CompositeCall& call) {
  const Write write = WriterOf(call.op);
  FAULTLINE_CHECK(write != nullptr, "an op that is no composite to expand");
  ExpansionWriter writer(call);
  write(writer);
  return writer.Take();
}

}  // namespace faultline::fusion
