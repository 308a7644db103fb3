// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A plan: what a segment has become. Steps in order, each one launch with recipes that say how its
// numbers follow from the bindings. Immutable once made; shared by the cache and by running
// sessions. Knows no extents, scalars, buffers or handles.

#ifndef FUSION_PLAN_PLAN_H_
#define FUSION_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fusion/plan/form.h"
#include "fusion/plan/path.h"
#include "fusion/target.h"
#include "fusion/trace.h"

namespace faultline::fusion {

inline constexpr uint32_t kNoPlanValue = UINT32_MAX;

// Steps of a path: Plan::path_steps[begin, begin + count).
struct PathRef {
  uint32_t begin = 0;
  uint32_t count = 0;
};

// A stored value seen as a strided tensor.
struct TensorRecipe {
  uint32_t value = kNoPlanValue;
  PathRef path;
};

struct AccessRecipe {
  uint32_t value = kNoPlanValue;  // kPieces: none
  PathRef path;
  bool has_row = false;  // element access of a block with a row axis of its own
  // A part of a join: the path ends in the part's own shape; `joined` is the whole, `start` the
  // parts before it along `dim`.
  bool is_piece = false;
  // kPieces: the parts' values, whose extents along `dim` make the starts.
  std::vector<uint32_t> parts;
  SymbolicShape joined;
  std::vector<SymbolicShape> part_shapes;  // kPieces, and up to itself for a piece
  uint8_t dim = 0;
};

struct ParameterRecipe {
  enum class Kind : uint8_t { kScalar, kCount };
  Kind kind = Kind::kScalar;
  Reg reg = Reg::kF32;
  uint32_t scalar = 0;    // kScalar: index of the binding
  SymbolicShape counted;  // kCount: the product of these extents
};

struct BlockRecipe {
  SymbolicShape loop;  // the loop axes in order, the row axis last
  bool has_row = false;
  bool whole_row = false;       // one loop axis: the product of `loop`
  std::vector<uint32_t> slots;  // values
  std::vector<AccessRecipe> accesses;
  std::vector<ParameterRecipe> parameters;
};

// The index operand of a lookup, checked before the launch that uses it.
struct IndexCheck {
  uint32_t op = 0;
  TensorRecipe index;
  SymbolicShape shape;         // of the index tensor
  std::vector<Symbol> bounds;  // of its elements in turn: one, or one for each of a tuple
};

// Places that an index operand names in a tensor (PlacesBinding).
struct PlacesRecipe {
  SymbolicShape walk;
  SymbolicShape tensor;
  std::vector<int8_t> named;
  std::vector<int8_t> walked;
  std::vector<int8_t> index_axes;  // by axis of the walk: axis of the index tensor, or -1
  bool tuples = false;             // the last axis of the index tensor has one index a named axis
};

struct PlanAlias {
  uint32_t from = 0;
  uint32_t to = 0;
};

struct PlanStep {
  LaunchKind kind = LaunchKind::kBlock;
  uint8_t threads = 1;  // choice of the threads decision
  uint8_t tiles = 0;    // choice of the tiles decision
  uint8_t tier = 1;     // choice of the tier decision
  RuleSet rules = 0;
  std::shared_ptr<const Kernel> kernel;
  std::shared_ptr<const Block> code;  // kBlock
  std::vector<uint32_t> ops;          // source ops, in program order
  std::vector<IndexCheck> checks;
  std::vector<uint32_t> inputs;   // stored values that it reads
  std::vector<uint32_t> outputs;  // values that it makes, to be allocated or taken over
  std::vector<PlanAlias> aliases;
  std::vector<uint32_t> release;  // values of no further use

  BlockRecipe block;  // kBlock; accesses of kCopy and kMoveCodes; epilogue of kMatmul
  // kMatmul: left, right, without slots if there is none; kQuantize: of what is quantized.
  std::vector<BlockRecipe> prologues;
  // kMatmul, kQMatmul: left, right; kSort: from; kScatter: index, values; kGatherParts: index,
  // from; kQuantize: from, and what is given with it.
  std::vector<TensorRecipe> tensors;
  // What launches that are no blocks write, and where in it.
  TensorRecipe to;
  TensorRecipe positions;  // kSort: where elements come from, if asked for
  SymbolicShape space;     // kCopy: of the walk; kMatmul: of the product; kSort: of `to`
  // kMatmul: of the left operand; kSort: of `from`; kQuantize: of given scales.
  SymbolicShape operand;
  SymbolicShape third;  // kQuantize: of what is given beside scales
  PlacesRecipe places;  // kScatter, kGatherParts
  bool has_epilogue = false;
};

struct PlanDecision {
  DecisionKind kind = DecisionKind::kFuse;
  uint8_t alternatives = 2;
  uint8_t choice = 0;
  Rule rule = Rule::kElementwiseIntoElementwise;  // of kFuse
  uint32_t a = 0;
  uint32_t b = 0;
};

struct PlanAliasOutcome {
  AliasOutcome outcome = AliasOutcome::kGranted;
  uint32_t from = 0;
  uint32_t to = 0;
};

// A value of the segment, or one that the plan added (numbered after them).
struct PlanValue {
  ir::ElementType element;
  SymbolicShape shape;
  bool stored = false;
  bool survives = false;
  int32_t producer = kEntering;
};

struct Plan {
  std::vector<PlanValue> values;
  std::vector<PlanStep> steps;
  std::vector<PathStep> path_steps;
  std::vector<PlanDecision> decisions;
  std::vector<PlanAliasOutcome> aliases;
  std::vector<CutReason> cuts;
  // Scalars and slices of the run that planned it. Only the seeded faults stale_scalars_on_hit and
  // stale_slices_on_hit use them.
  std::vector<ir::Scalar> first_scalars;
  std::vector<ir::SliceTriple> first_slices;

  std::span<const PathStep> PathOf(PathRef ref) const {
    return std::span<const PathStep>(path_steps).subspan(ref.begin, ref.count);
  }
};

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_PLAN_H_
