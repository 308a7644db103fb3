// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/path.h"

#include <algorithm>

#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

// The symbols that are not 1, in order.
bool SameWithoutUnits(const SymbolicShape& a, const SymbolicShape& b) {
  int i = 0;
  int j = 0;
  while (true) {
    while (i < a.rank && a[i] == kOneExtent) ++i;
    while (j < b.rank && b[j] == kOneExtent) ++j;
    if (i == a.rank || j == b.rank) return i == a.rank && j == b.rank;
    if (a[i++] != b[j++]) return false;
  }
}

}  // namespace

bool PathStep::operator==(const PathStep& other) const {
  return kind == other.kind && dim == other.dim && axes_mask == other.axes_mask &&
         axes == other.axes && first_slice == other.first_slice && times == other.times &&
         lower_rank == other.lower_rank && shape == other.shape;
}

PathStep ExpandStep(const SymbolicShape& result, const SymbolicShape& operand) {
  PathStep step;
  step.kind = StepKind::kExpand;
  step.shape = result;
  step.lower_rank = static_cast<uint32_t>(operand.rank);
  return step;
}

PathStep StepOf(const FormOp& op, const SymbolicShape& result, const SymbolicShape& operand) {
  PathStep step = ExpandStep(result, operand);
  switch (ir::InfoOf(op.op).shape_rule) {
    case ir::ShapeRule::kReshape:
      step.kind = SameWithoutUnits(result, operand) ? StepKind::kUnits : StepKind::kReshape;
      return step;
    case ir::ShapeRule::kPermute: {
      step.kind = StepKind::kPermute;
      const auto axes = op.attributes.List(ir::AttributeKey::kAxes);
      for (size_t i = 0; i < axes.size(); ++i) step.axes[i] = static_cast<uint8_t>(axes[i]);
      return step;
    }
    case ir::ShapeRule::kSwapDims: {
      step.kind = StepKind::kPermute;
      const auto dims = op.attributes.List(ir::AttributeKey::kDims);
      for (int i = 0; i < operand.rank; ++i) {
        step.axes[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
      }
      std::swap(step.axes[static_cast<size_t>(dims[0])], step.axes[static_cast<size_t>(dims[1])]);
      return step;
    }
    case ir::ShapeRule::kSlice:
      step.kind = StepKind::kSlice;
      step.first_slice = op.first_slice;
      return step;
    case ir::ShapeRule::kRepeatDim:
      step.kind = StepKind::kRepeat;
      step.dim = static_cast<uint8_t>(op.attributes.Int(ir::AttributeKey::kDim));
      step.times = op.attributes.Int(ir::AttributeKey::kTimes);
      return step;
    case ir::ShapeRule::kUnfold:
      step.kind = StepKind::kUnfold;
      step.dim = static_cast<uint8_t>(op.attributes.Int(ir::AttributeKey::kDim));
      step.times = op.attributes.Int(ir::AttributeKey::kStep);
      return step;
    case ir::ShapeRule::kSame:
      step.kind = StepKind::kFlip;
      for (int64_t axis : op.attributes.List(ir::AttributeKey::kAxes)) {
        step.axes_mask = static_cast<uint8_t>(step.axes_mask | (1u << axis));
      }
      return step;
    default:
      FAULTLINE_CHECK(ir::InfoOf(op.op).shape_rule == ir::ShapeRule::kExpand, "not a view op");
      return step;
  }
}

namespace {

bool IsReshape(const PathStep& step) {
  return step.kind == StepKind::kUnits || step.kind == StepKind::kReshape;
}

}  // namespace

bool KeepsLinearOrder(std::span<const PathStep> path) {
  return std::ranges::all_of(path, IsReshape);
}

bool IsFeasible(std::span<const PathStep> path, bool dense) {
  bool linear = true;   // so far, upper and lower linear indices are equal
  bool turned = false;  // a slice or flip lies above
  bool looked_up = false;
  size_t digits = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const PathStep& step = path[i];
    switch (step.kind) {
      case StepKind::kUnits:
        break;
      case StepKind::kReshape:
        if (linear) break;
        // Everything from here down must be one dense run.
        if (FAULT(reshape_forgets_permute) && dense && i + 2 == path.size() &&
            path[i + 1].kind == StepKind::kPermute) {
          break;
        }
        if (!dense || !KeepsLinearOrder(path.subspan(i))) return false;
        break;
      case StepKind::kRepeat:
        if (turned || looked_up) return false;
        ++digits;
        linear = false;
        break;
      case StepKind::kSlice:
      case StepKind::kFlip:
      case StepKind::kUnfold:
        turned = true;
        linear = false;
        break;
      case StepKind::kGather:
        looked_up = true;
        linear = false;
        break;
      case StepKind::kPermute:
      case StepKind::kExpand:
        linear = false;
        break;
    }
    if (static_cast<size_t>(step.shape.rank) + digits > size_t{kMapRankMax}) return false;
  }
  return true;
}

bool KeepsAxes(std::span<const PathStep> path, bool dense) {
  for (size_t i = 0; i < path.size(); ++i) {
    const StepKind kind = path[i].kind;
    if (kind == StepKind::kRepeat || kind == StepKind::kGather) return false;
    if (kind == StepKind::kReshape) return dense && KeepsLinearOrder(path.subspan(i));
  }
  return true;
}

namespace {

// A map under construction, from the stored value upward.
class MapBuilder {
 public:
  MapBuilder(const Bindings& bindings, Mapped& map) : bindings_(bindings), map_(map) {}

  void Start(const ir::Shape& shape, const Placement& place) {
    map_.offset = place.offset;
    stored_offset_ = place.offset;
    map_.axis_count = shape.rank();
    for (int i = 0; i < shape.rank(); ++i) {
      const auto at = static_cast<size_t>(i);
      map_.begin[at] = static_cast<uint8_t>(i);
      map_.extents[at] = shape[i];
      map_.strides[at] = place.strides[at];
    }
    map_.begin[static_cast<size_t>(shape.rank())] = static_cast<uint8_t>(shape.rank());
  }

  void Apply(const PathStep& step) {
    switch (step.kind) {
      case StepKind::kPermute:
        return Permute(step);
      case StepKind::kExpand:
        return Expand(step);
      case StepKind::kSlice:
        return Slice(step);
      case StepKind::kFlip:
        return Flip(step);
      case StepKind::kRepeat:
        return Repeat(step);
      case StepKind::kUnfold:
        return Unfold(step);
      case StepKind::kUnits:
        return Units(step);
      case StepKind::kGather:
        return Gather(step);
      case StepKind::kReshape:
        FAULTLINE_CHECK(false, "a reshape in the middle of a path");
    }
  }

 private:
  int64_t Extent(const PathStep& step, int axis) const {
    return bindings_.extents[step.shape[axis]];
  }

  void Permute(const PathStep& step) {
    const Mapped from = map_;
    uint8_t at = 0;
    for (int i = 0; i < from.axis_count; ++i) {
      map_.begin[static_cast<size_t>(i)] = at;
      size_t axis = step.axes[static_cast<size_t>(i)];
      if (FAULT(permutation_inverted)) {
        const auto* at_axis = std::find(step.axes.begin(), step.axes.end(), i);
        axis = static_cast<size_t>(at_axis - step.axes.begin());
      }
      for (size_t d = from.begin[axis]; d < from.begin[axis + 1]; ++d, ++at) {
        map_.extents[at] = from.extents[d];
        map_.strides[at] = from.strides[d];
      }
    }
    map_.begin[static_cast<size_t>(from.axis_count)] = at;
  }

  void Expand(const PathStep& step) {
    const Mapped from = map_;
    const int rank = step.shape.rank;
    int lead = rank - from.axis_count;
    if (FAULT(broadcast_aligned_left) && lead == 1 && from.axis_count == 1 && rank == 2 &&
        Extent(step, 0) == Extent(step, 1)) {
      // A vector against a square: taken for a column.
      lead = 0;
    }
    uint8_t at = 0;
    for (int i = 0; i < rank; ++i) {
      map_.begin[static_cast<size_t>(i)] = at;
      const int64_t extent = Extent(step, i);
      const auto axis = static_cast<size_t>(i - lead);
      const bool added = i < lead || i - lead >= from.axis_count;
      // An axis of one element broadcasts; with a repeat it may be several digits of extent 1.
      int64_t lower = 1;
      for (size_t d = added ? 0 : from.begin[axis]; !added && d < from.begin[axis + 1]; ++d) {
        lower *= from.extents[d];
      }
      if (added || (lower == 1 && extent != 1)) {
        map_.extents[at] = extent;
        map_.strides[at] = 0;
        ++at;
        continue;
      }
      for (size_t d = from.begin[axis]; d < from.begin[axis + 1]; ++d, ++at) {
        map_.extents[at] = from.extents[d];
        map_.strides[at] = from.strides[d];
      }
    }
    map_.axis_count = rank;
    map_.begin[static_cast<size_t>(rank)] = at;
  }

  void Slice(const PathStep& step) {
    for (int i = 0; i < map_.axis_count; ++i) {
      const size_t d = map_.begin[static_cast<size_t>(i)];
      const ir::SliceTriple& slice = bindings_.slices[step.first_slice + static_cast<size_t>(i)];
      const ir::SliceWalk walk = ir::NormalizeSlice(slice, map_.extents[d]);
      if (FAULT(slice_keeps_last_offset)) map_.offset = stored_offset_;
      const bool from_end = FAULT(negative_step_from_the_end) && walk.step < -1 && walk.count > 0;
      map_.offset += (from_end ? map_.extents[d] - 1 : walk.first) * map_.strides[d];
      map_.strides[d] *= FAULT(slice_step_ignored) ? (walk.step < 0 ? -1 : 1) : walk.step;
      map_.extents[d] = walk.count;
    }
  }

  void Flip(const PathStep& step) {
    for (int i = 0; i < map_.axis_count; ++i) {
      const int axis = FAULT(flip_counts_axes_from_end) ? map_.axis_count - 1 - i : i;
      if ((step.axes_mask >> axis & 1) == 0) continue;
      for (size_t d = map_.begin[static_cast<size_t>(i)];
           d < map_.begin[static_cast<size_t>(i) + 1]; ++d) {
        map_.offset += (map_.extents[d] - 1) * map_.strides[d];
        map_.strides[d] = -map_.strides[d];
      }
    }
  }

  void Repeat(const PathStep& step) {
    const Mapped from = map_;
    const size_t at = from.begin[step.dim + (FAULT(repeat_interleaves) ? 1 : 0)];
    const size_t end = from.begin[static_cast<size_t>(from.axis_count)];
    for (size_t d = at; d < end; ++d) {
      map_.extents[d + 1] = from.extents[d];
      map_.strides[d + 1] = from.strides[d];
    }
    map_.extents[at] = step.times;
    map_.strides[at] = 0;
    for (size_t i = size_t{step.dim} + 1; i <= static_cast<size_t>(from.axis_count); ++i) {
      ++map_.begin[i];
    }
  }

  // Every axis is one digit: a repeat below is not feasible.
  void Unfold(const PathStep& step) {
    const size_t d = map_.begin[step.dim];
    const size_t last = map_.begin[static_cast<size_t>(map_.axis_count)];
    map_.extents[last] = Extent(step, step.shape.rank - 1);
    map_.strides[last] = map_.strides[d];
    map_.extents[d] = Extent(step, step.dim);
    const bool closes = FAULT(unfold_gaps_closed) && step.times > map_.extents[last];
    // A single window has no next one, however far away that would be.
    if (map_.extents[d] > 1) map_.strides[d] *= closes ? map_.extents[last] : step.times;
    map_.axis_count = step.shape.rank;
    map_.begin[static_cast<size_t>(map_.axis_count)] = static_cast<uint8_t>(last + 1);
  }

  // Upper axes that are not 1 take the lower axes that are not 1, in order.
  void Units(const PathStep& step) {
    const Mapped from = map_;
    size_t axis = 0;
    uint8_t at = 0;
    auto is_unit = [&](size_t a) {
      for (size_t d = from.begin[a]; d < from.begin[a + 1]; ++d) {
        if (from.extents[d] != 1) return false;
      }
      return true;
    };
    for (int i = 0; i < step.shape.rank; ++i) {
      map_.begin[static_cast<size_t>(i)] = at;
      if (step.shape[i] == kOneExtent) {
        map_.extents[at] = 1;
        map_.strides[at] = 0;
        ++at;
        continue;
      }
      while (axis < static_cast<size_t>(from.axis_count) && is_unit(axis)) ++axis;
      for (size_t d = from.begin[axis]; d < from.begin[axis + 1]; ++d, ++at) {
        map_.extents[at] = from.extents[d];
        map_.strides[at] = from.strides[d];
      }
      ++axis;
    }
    map_.axis_count = step.shape.rank;
    map_.begin[static_cast<size_t>(step.shape.rank)] = at;
  }

  void Gather(const PathStep& step) {
    const size_t dim = step.dim;
    map_.index_stride = map_.strides[dim];
    map_.index_bound = map_.extents[dim];
    map_.strides[dim] = 0;
    for (int i = 0; i < step.shape.rank; ++i)
      map_.extents[static_cast<size_t>(i)] = Extent(step, i);
  }

  const Bindings& bindings_;
  Mapped& map_;
  int64_t stored_offset_ = 0;
};

Placement DensePlacement(const ir::Shape& shape) {
  Placement place;
  const auto strides = shape.RowMajorStrides();
  std::copy(strides.begin(), strides.end(), place.strides.begin());
  return place;
}

// The steps from `top` down, the ones above it being of no consequence.
Mapped MapFrom(size_t top, std::span<const PathStep> path, const Stored& stored,
               const Bindings& bindings) {
  Mapped map;
  MapBuilder builder(bindings, map);
  // A reshape that is left lies on dense memory: start from its upper shape.
  size_t bottom = path.size();
  for (size_t i = top; i < path.size(); ++i) {
    if (path[i].kind != StepKind::kReshape) continue;
    bottom = i;
    break;
  }
  if (bottom < path.size()) {
    const ir::Shape shape = bindings.ShapeOf(path[bottom].shape);
    Placement place = DensePlacement(shape);
    place.offset = stored.place.offset;
    builder.Start(shape, place);
  } else {
    builder.Start(stored.shape, stored.place);
  }
  for (size_t i = bottom; i-- > top;) builder.Apply(path[i]);
  return map;
}

}  // namespace

Mapped MapPath(std::span<const PathStep> path, const Stored& stored, const Bindings& bindings) {
  // Steps at the top that keep the linear order change nothing: the digits below them are read in
  // the same order.
  size_t top = 0;
  for (size_t i = 0; i < path.size() && IsReshape(path[i]); ++i) {
    if (path[i].kind == StepKind::kReshape) top = i + 1;
  }
  return MapFrom(top, path, stored, bindings);
}

Mapped MapAxes(std::span<const PathStep> path, const Stored& stored, const Bindings& bindings) {
  return MapFrom(0, path, stored, bindings);
}

void BindMap(const Mapped& map, bool has_row, AccessBinding& binding) {
  binding.offset = map.offset;
  binding.index_stride = map.index_stride;
  binding.index_bound = map.index_bound;
  const size_t digits = map.begin[static_cast<size_t>(map.axis_count)];
  // Digits of the row axis stay apart from those of the outer axes.
  const size_t row =
      has_row && map.axis_count > 0 ? map.begin[static_cast<size_t>(map.axis_count) - 1] : digits;
  int rank = 0;
  size_t barrier = 0;  // binding digits before this one are not merged into
  for (size_t d = 0; d < digits; ++d) {
    if (d == row) barrier = static_cast<size_t>(rank);
    if (map.extents[d] == 1) continue;
    const auto last = static_cast<size_t>(rank) - 1;
    if (static_cast<size_t>(rank) > barrier &&
        binding.strides[last] == map.extents[d] * map.strides[d]) {
      binding.extents[last] *= map.extents[d];
      binding.strides[last] = map.strides[d];
      continue;
    }
    binding.extents[static_cast<size_t>(rank)] = map.extents[d];
    binding.strides[static_cast<size_t>(rank)] = map.strides[d];
    ++rank;
  }
  binding.rank = rank;
}

}  // namespace faultline::fusion
