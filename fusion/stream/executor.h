// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a plan: binds the numbers of each step to its launch, allocates results, releases what is
// of no further use. Knows values only as numbered slots.

#ifndef FUSION_STREAM_EXECUTOR_H_
#define FUSION_STREAM_EXECUTOR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fusion/plan/plan.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion {

// A buffer with the number of values that hold it.
struct SharedBuffer {
  Buffer* buffer = nullptr;
  int holders = 0;
};

// A value while a plan runs.
struct Slot {
  SharedBuffer* memory = nullptr;  // null: not made yet, gone, or failed
  Placement place;
  const ir::Status* failure = nullptr;  // why it could not be made
  uint32_t failed_op = 0;               // the op that failed, first in program order
};

// An index out of range, found before the launch that would have used it.
struct IndexFailure {
  uint32_t op = 0;
  int64_t position = 0;
  int64_t index = 0;
  int64_t bound = 0;
};

struct RunCounts {
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

class Executor {
 public:
  Executor(Target& target, MemoryAccount& account) : target_(target), account_(account) {}

  // Runs the steps of the plan from the first. Slots of entering values are filled in by the
  // caller; those of results are filled in here. Stops before the first step one of whose lookups
  // has an index out of range, and says which; `*stopped` is then the number of steps that have
  // run. Other failures belong to the slots they leave empty.
  std::optional<IndexFailure> Run(const Plan& plan, const Bindings& bindings,
                                  std::vector<Slot>& slots, size_t* stopped, RunCounts* counts);

  ir::Result<SharedBuffer*> Allocate(const ir::ElementType& element, const ir::Shape& shape,
                                     Placement* place);
  ir::Result<SharedBuffer*> AllocateBytes(int64_t bytes);
  // One holder less; the last one releases.
  void Release(SharedBuffer* memory);

 private:
  struct BoundBlock {
    std::vector<int64_t> extents;
    std::vector<Buffer*> buffers;
    std::vector<AccessBinding> accesses;
    std::vector<uint64_t> parameters;
    std::deque<std::vector<int64_t>> starts;
    BlockBinding Binding() const { return {extents, buffers, accesses, parameters}; }
  };

  // The buffer with its first holder.
  SharedBuffer* Hold(Buffer* buffer);
  void RunStep(const PlanStep& step);
  bool LivesOn(const PlanAlias& alias) const;
  bool InputsReady(const PlanStep& step);
  ir::Status MakeOutputs(const PlanStep& step);
  ir::Status Launch(const PlanStep& step);
  void Fail(const PlanStep& step, const ir::Status* failure, uint32_t op);
  ir::Result<std::optional<IndexFailure>> Check(const IndexCheck& check);
  bool IsEmpty(const PlanStep& step) const;
  void BindBlock(const BlockRecipe& recipe, BoundBlock& bound);
  void BindAccess(const AccessRecipe& recipe, BoundBlock& bound, AccessBinding& binding);
  uint64_t ParameterBits(const ParameterRecipe& recipe) const;
  TensorBinding Tensor(const TensorRecipe& recipe, const ir::Shape& shape) const;
  Stored StoredOf(uint32_t value) const;
  PlacesBinding BindPlaces(const PlanStep& step, const TensorRecipe& tensor) const;
  MatmulBinding BindMatmul(const PlanStep& step, const ir::Shape& space);
  void Count(const PlanStep& step);

  Target& target_;
  MemoryAccount& account_;
  std::deque<SharedBuffer> owned_;
  std::vector<SharedBuffer*> free_;
  std::deque<ir::Status> failures_;

  // Of the run in progress.
  const Plan* plan_ = nullptr;
  const Bindings* bindings_ = nullptr;
  std::vector<Slot>* slots_ = nullptr;
  RunCounts* counts_ = nullptr;
  BoundBlock bound_;
  BoundBlock left_;
  BoundBlock right_;
};

}  // namespace faultline::fusion

#endif  // FUSION_STREAM_EXECUTOR_H_
