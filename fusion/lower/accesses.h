// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Builds the accesses of one launch together with their recipes, so that the two lists cannot
// disagree.

#ifndef FUSION_LOWER_ACCESSES_H_
#define FUSION_LOWER_ACCESSES_H_

#include <span>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/plan/graph.h"
#include "fusion/plan/plan.h"

namespace faultline::fusion {

class AccessList {
 public:
  AccessList(const Graph& graph, Plan& plan, BlockRecipe& recipe)
      : graph_(graph), plan_(plan), recipe_(recipe) {
    accesses_.reserve(kAccessesExpected);
    recipe_.accesses.reserve(kAccessesExpected);
    recipe_.slots.reserve(kAccessesExpected);
  }

  struct Mode {
    bool per_row = false;
    bool has_row = false;  // an element access of a block with a row axis of its own
  };

  // The buffer slot of a plan value.
  int SlotOf(uint32_t value);
  // Stored value `value` reached by `path`.
  int Strided(uint32_t value, std::span<const PathStep> path, Mode mode);
  // The result of movement op `op` reached by `path`, with the values that stand for its operands.
  // `below`: steps between the operand of a view or lookup and its value.
  int Movement(const FormOp& op, std::span<const uint32_t> operands, std::span<const PathStep> path,
               std::span<const PathStep> below, Mode mode);

  // Access 0 of slot 0, which the target binds itself; the recipe's entries for them are the
  // caller's.
  int Reserve(ir::ElementType storage);

  const std::vector<Access>& accesses() const { return accesses_; }
  PathRef Keep(std::span<const PathStep> path);

 private:
  int Join(const FormOp& op, std::span<const uint32_t> parts, Mode mode);
  int Lookup(const FormOp& op, std::span<const uint32_t> operands, std::span<const PathStep> path,
             std::span<const PathStep> below, Mode mode);
  int Add(Access access, AccessRecipe recipe);

  const Graph& graph_;
  Plan& plan_;
  BlockRecipe& recipe_;
  std::vector<Access> accesses_;
};

// Access `first` moved to the front, for launches that read accesses[0].
void MoveToFront(int first, std::vector<Access>& accesses, std::vector<AccessRecipe>& recipes);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_ACCESSES_H_
