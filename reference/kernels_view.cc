// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Views and joins: each kernel is the map from a result's index to its operand's.

#include <algorithm>

#include "reference/movement.h"

namespace faultline::reference {
namespace {

size_t Axis(int64_t axis) { return static_cast<size_t>(axis); }

// First element and step of one slice axis: bounds as Python reads them; a negative step walks the
// set [start, stop) from its end.
struct Walk {
  int64_t first;
  int64_t step;
};
Walk WalkOf(const ir::SliceTriple& slice, int64_t extent) {
  const auto bound = [extent](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + extent : value, 0, extent);
  };
  return {slice.step > 0 ? bound(slice.start) : bound(slice.stop) - 1, slice.step};
}

// Parts of operand 0 along dim, one behind the other.
template <class A>
void SplitParts(const Call<A>& call) {
  const auto dim = Axis(call.attributes.dim());
  int64_t start = 0;
  for (size_t r = 0; r < call.results.size(); ++r) {
    call.ForResult(r, [&](const Call<A>& part) {
      MoveView(part, [&](const MultiIndex&, MultiIndex& from) { from[dim] += start; });
      start += TypeOf(part.result()).shape[static_cast<int>(dim)];
    });
  }
}

}  // namespace

FAULTLINE_KERNEL(Reshape) {
  Movement movement;
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) movement.at.push_back(i);
  Move(call, movement);
}

FAULTLINE_KERNEL(Permute) {
  const auto axes = call.attributes.List(ir::AttributeKey::kAxes);
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    for (size_t i = 0; i < axes.size(); ++i) from[Axis(axes[i])] = to[i];
  });
}

FAULTLINE_KERNEL(SwapDims) {
  const auto dims = call.attributes.List(ir::AttributeKey::kDims);
  MoveView(call, [&](const MultiIndex&, MultiIndex& from) {
    std::swap(from[Axis(dims[0])], from[Axis(dims[1])]);
  });
}

FAULTLINE_KERNEL(Expand) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const int leading = TypeOf(call.result()).shape.rank() - operand.rank();
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    for (int axis = 0; axis < operand.rank(); ++axis) {
      from[Axis(axis)] = operand[axis] == 1 ? 0 : to[Axis(axis + leading)];
    }
  });
}

FAULTLINE_KERNEL(Slice) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const std::vector<ir::SliceTriple> slices = call.attributes.Slices();
  std::vector<Walk> walks;
  for (int axis = 0; axis < operand.rank(); ++axis) {
    walks.push_back(WalkOf(slices[Axis(axis)], operand[axis]));
  }
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    for (size_t i = 0; i < walks.size(); ++i) from[i] = walks[i].first + to[i] * walks[i].step;
  });
}

FAULTLINE_KERNEL(Flip) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const auto axes = call.attributes.List(ir::AttributeKey::kAxes);
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    for (const int64_t axis : axes) {
      from[Axis(axis)] = operand[static_cast<int>(axis)] - 1 - to[Axis(axis)];
    }
  });
}

FAULTLINE_KERNEL(RepeatDim) {
  const int64_t dim = call.attributes.dim();
  const int64_t extent = TypeOf(call.operand(0)).shape[static_cast<int>(dim)];
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    from[Axis(dim)] = to[Axis(dim)] % extent;
  });
}

FAULTLINE_KERNEL(Unfold) {
  const int64_t dim = call.attributes.dim();
  const int64_t step = call.attributes.Int(ir::AttributeKey::kStep);
  const int window = TypeOf(call.result()).shape.rank() - 1;
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    from[Axis(dim)] = to[Axis(dim)] * step + to[Axis(window)];
  });
}

FAULTLINE_KERNEL(Cat) {
  const int64_t dim = call.attributes.dim();
  Movement movement;
  ForEachIndex(TypeOf(call.result()).shape, [&](const MultiIndex& to) {
    // The operand in which position `place` along dim lies.
    MultiIndex from = to;
    int64_t& place = from[Axis(dim)];
    int32_t operand = 0;
    while (place >= TypeOf(call.operand(Axis(operand))).shape[static_cast<int>(dim)]) {
      place -= TypeOf(call.operand(Axis(operand))).shape[static_cast<int>(dim)];
      ++operand;
    }
    movement.which.push_back(operand);
    movement.at.push_back(NumberOf(TypeOf(call.operand(Axis(operand))).shape, from));
  });
  Move(call, movement);
}

FAULTLINE_KERNEL(Stack) {
  const auto dim = Axis(call.attributes.dim());
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  Movement movement;
  ForEachIndex(TypeOf(call.result()).shape, [&](const MultiIndex& to) {
    MultiIndex from = {};
    for (size_t axis = 0; axis < Axis(operand.rank()); ++axis) {
      from[axis] = to[axis < dim ? axis : axis + 1];
    }
    movement.which.push_back(static_cast<int32_t>(to[dim]));
    movement.at.push_back(NumberOf(operand, from));
  });
  Move(call, movement);
}

FAULTLINE_KERNEL(Split) { SplitParts(call); }

FAULTLINE_KERNEL(Chunk) { SplitParts(call); }

FAULTLINE_KERNEL(Meshgrid) {
  for (size_t r = 0; r < call.results.size(); ++r) {
    call.ForResult(r, [&](const Call<A>& part) {
      Movement movement;
      ForEachIndex(TypeOf(part.result()).shape, [&](const MultiIndex& to) {
        movement.which.push_back(static_cast<int32_t>(r));
        movement.at.push_back(to[r]);
      });
      Move(part, movement);
    });
  }
}

FAULTLINE_KERNEL(Narrow) {
  const auto dim = Axis(call.attributes.dim());
  const int64_t start = call.attributes.Int(ir::AttributeKey::kStart);
  MoveView(call, [&](const MultiIndex&, MultiIndex& from) { from[dim] += start; });
}

FAULTLINE_KERNEL(Roll) {
  const auto dim = Axis(call.attributes.dim());
  const int64_t extent = TypeOf(call.operand(0)).shape[static_cast<int>(dim)];
  const int64_t shift = call.attributes.Int(ir::AttributeKey::kShift);
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) {
    // Each remainder first: the difference of the numbers themselves may overflow.
    from[dim] = ((to[dim] - shift % extent) % extent + extent) % extent;
  });
}

FAULTLINE_KERNEL(Diag) {
  const auto last = Axis(TypeOf(call.operand(0)).shape.rank() - 1);
  MoveView(call, [&](const MultiIndex& to, MultiIndex& from) { from[last] = to[last - 1]; });
}

// Replaces the elements of a slice, in the order in which the slice would read them.
FAULTLINE_KERNEL(SliceAssign) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const std::vector<ir::SliceTriple> slices = call.attributes.Slices();
  Movement movement;
  for (int64_t i = 0; i < operand.NumElements(); ++i) {
    movement.which.push_back(0);
    movement.at.push_back(i);
  }
  int64_t value = 0;
  ForEachIndex(TypeOf(call.operand(1)).shape, [&](const MultiIndex& index) {
    MultiIndex to = {};
    for (int axis = 0; axis < operand.rank(); ++axis) {
      const Walk walk = WalkOf(slices[Axis(axis)], operand[axis]);
      to[Axis(axis)] = walk.first + index[Axis(axis)] * walk.step;
    }
    const auto at = static_cast<size_t>(NumberOf(operand, to));
    movement.which[at] = 1;
    movement.at[at] = value++;
  });
  Move(call, movement);
}

}  // namespace faultline::reference
