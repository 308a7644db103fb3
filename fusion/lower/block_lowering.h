// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A cluster of registers to one block: phases, loads, instructions, stores.

#ifndef FUSION_LOWER_BLOCK_LOWERING_H_
#define FUSION_LOWER_BLOCK_LOWERING_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/block/builder.h"
#include "fusion/lower/accesses.h"
#include "fusion/plan/graph.h"
#include "fusion/plan/plan.h"

namespace faultline::fusion {

class BlockLowering {
 public:
  BlockLowering(Graph& graph, Cluster& cluster, Plan& plan, BlockRecipe& recipe);

  // An element or row cluster: every stored result of a member is stored.
  Block LowerCluster();
  // The tail of a product: slot and access 0 hold it in `accumulator`, and it is the result of
  // `product`.
  Block LowerEpilogue(uint32_t product, ir::Dtype accumulator);
  // An operand of a product: slot and access 0, which the target binds, take `value`, widened to
  // `storage`.
  Block LowerPrologue(uint32_t value, ir::Dtype storage);
  // `value` is stored into `to`, reached by `path`, and nothing else is.
  Block LowerInto(uint32_t value, uint32_t to, std::span<const PathStep> path);
  // Decodes the plan value `from` into `to`, element by element over `shape`.
  static Block LowerDecode(Plan& plan, const Graph& graph, uint32_t from, uint32_t to,
                           BlockRecipe& recipe);

  // Values that the block stores, in order; values that it reads; lookups that it makes.
  std::vector<uint32_t> TakeOutputs() { return std::move(outputs_); }
  std::vector<uint32_t> TakeInputs() { return std::move(inputs_); }
  const std::vector<uint32_t>& inputs() const { return inputs_; }
  const std::vector<uint32_t>& lookups() const { return lookups_; }

 private:
  struct Known {
    uint32_t value = 0;
    int32_t context = kFullContext;
    Val val;
    int load_phase = -1;  // the phase that loaded it; -1: computed
  };

  void FindStages();
  int StageOfOperands(const Member& member) const;
  int LastStage(size_t m) const;
  void LowerElementStage(int stage);
  void LowerRowStage(int stage);
  void LowerSoftmaxPart(size_t m, int part);
  Val ValueAt(uint32_t v, int32_t context);
  Val Compute(uint32_t o, int32_t context);
  Val Position(const FormOp& op);
  Val DrawRandom(const FormOp& op, Val position);
  Val Count(const SymbolicShape& shape, Reg reg);
  Val LoadAt(uint32_t v, int32_t context);
  Val LoadMovement(const FormOp& op, int32_t context);
  ir::SmallVector<Val, 4> Operands(const FormOp& op, int32_t context, const SymbolicShape& to);
  void Store(uint32_t v, int32_t context, Val val);
  void Remember(uint32_t v, int32_t context, Val val, bool loaded);
  Val Emit(int access);
  int32_t Below(const FormOp& op, int32_t context);
  std::vector<PathStep> FollowViews(uint32_t& v, int32_t context);
  AccessList::Mode ModeOf(int32_t context) const;
  void Read(uint32_t v);
  std::function<Val(int, Reg)> ScalarsOf(const FormOp& op);

  Graph& graph_;
  Cluster& cluster_;
  BlockRecipe& recipe_;
  AccessList list_;
  BlockBuilder builder_;
  ir::SmallVector<Known, 8> known_;
  std::vector<int> stages_;  // by member: the first element phase it takes part in
  // By member of rows: reductions, after their element phase; x - m exponentiated.
  std::vector<std::optional<Val>> folded_;
  std::vector<Val> softmax_;
  std::vector<uint32_t> outputs_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> lookups_;
  size_t built_accesses_ = 0;
  int phase_ = 0;
};

// Whether the op's member has its result at the row context.
bool IsRowValue(const Member& member);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_BLOCK_LOWERING_H_
