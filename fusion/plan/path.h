// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Index maps, symbolically: a path leads from a loop's iteration space, through views, down to a
// stored value. Whether a path can be carried out is decided from its steps alone, for all extents;
// its numbers are worked out at launch.

#ifndef FUSION_PLAN_PATH_H_
#define FUSION_PLAN_PATH_H_

#include <array>
#include <cstdint>
#include <span>

#include "fusion/plan/form.h"
#include "fusion/target.h"

namespace faultline::fusion {

enum class StepKind : uint8_t {
  kPermute,  // axis i of the upper shape is axis axes[i] of the lower one
  kExpand,   // broadcast of the lower shape to `shape`
  kSlice,    // slice parameters first_slice.. of the lower axes; `shape` is the upper shape
  kFlip,     // axes in the mask `axes_mask` run backwards
  kRepeat,   // axis `dim` of the lower shape, `times` over
  kUnits,    // a reshape that only adds or removes axes of extent 1
  kReshape,  // any other reshape
  kUnfold,   // windows of axis `dim`, `times` apart: their elements are the last upper axis
  kGather,   // upper axis `dim` is looked up: the map leaves it out (stride 0)
};

struct PathStep {
  StepKind kind = StepKind::kExpand;
  uint8_t dim = 0;
  uint8_t axes_mask = 0;
  std::array<uint8_t, ir::kRankMax> axes = {};
  uint32_t first_slice = 0;
  uint32_t lower_rank = 0;
  int64_t times = 1;
  SymbolicShape shape;  // the upper shape
  bool operator==(const PathStep& other) const;
};

// The step of a view op from its result to its operand. Requires a view op.
PathStep StepOf(const FormOp& op, const SymbolicShape& result, const SymbolicShape& operand);
// The implicit broadcast of an operand; requires CanBroadcast(operand, result).
PathStep ExpandStep(const SymbolicShape& result, const SymbolicShape& operand);

// Whether a path (top first) can be carried out as one map for every extent. `dense`: the stored
// value is row-major without gaps, whatever its extents.
//
// A reshape is carried out where nothing above it changes the linear order (it is then the digits
// of the lower shape), or where nothing but reshapes of dense memory lie below it. A repeat must
// have no slice, flip or window above it, and no lookup above.
bool IsFeasible(std::span<const PathStep> path, bool dense);
// Whether every step keeps the row-major order of elements, so that upper and lower linear indices
// are equal.
bool KeepsLinearOrder(std::span<const PathStep> path);
// Whether each axis of the upper shape stays one digit: what tensors of matmul, sort, scatter and
// quantize need.
bool KeepsAxes(std::span<const PathStep> path, bool dense);

// Where a stored value lies.
struct Stored {
  ir::Shape shape;
  Placement place;
};

// The map of a feasible path. Axes of the upper shape are digits [begin[a], begin[a + 1]).
struct Mapped {
  int64_t offset = 0;
  int axis_count = 0;
  std::array<uint8_t, ir::kRankMax + 1> begin = {};
  std::array<int64_t, kMapRankMax> extents = {};
  std::array<int64_t, kMapRankMax> strides = {};
  // Of the one kGather step, if any.
  int64_t index_stride = 0;
  int64_t index_bound = 0;
};
Mapped MapPath(std::span<const PathStep> path, const Stored& stored, const Bindings& bindings);
// The same with one digit for each axis of the upper shape, in order. Requires KeepsAxes.
Mapped MapAxes(std::span<const PathStep> path, const Stored& stored, const Bindings& bindings);

// The binding of a strided access. Digits before `row_digits` from the end of the space are merged
// where they are adjacent in memory; digits of extent 1 are left out.
void BindMap(const Mapped& map, bool has_row, AccessBinding& binding);

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_PATH_H_
