// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Schemes under layout ops: what scheme the result has, and whether codes just move.

#include <algorithm>

#include "ir/infer.h"
#include "ir/infer/rules.h"

namespace faultline::ir {
namespace {

// Result axis i is operand axis from[i].
Scheme PermuteScheme(const Scheme& scheme, const Shape& shape, std::span<const int64_t> from) {
  const int rank = shape.rank();
  // Attributes that are no permutation of this shape are reported by the shape rule.
  if (from.size() != static_cast<size_t>(rank) || scheme.block_rank > rank) return scheme;
  for (const int64_t axis : from) {
    if (axis < 0 || axis >= rank) return scheme;
  }
  Scheme result = scheme;
  const int packed_axis = rank - 1 - scheme.packed_dim;
  for (int i = 0; i < rank; ++i) {
    if (scheme.store != QStore::kNative && from[static_cast<size_t>(i)] == packed_axis) {
      result.packed_dim = static_cast<uint8_t>(rank - 1 - i);
    }
  }
  if (scheme.per_tensor()) return result;
  const auto block = BlockExtents(scheme, shape);
  int first = 0;
  const auto extent = [&](int i) {
    return block[static_cast<size_t>(from[static_cast<size_t>(i)])];
  };
  while (first < rank - 1 && extent(first) == 1) ++first;
  result.block = {};
  result.block_rank = static_cast<uint8_t>(rank - first);
  for (int i = first; i < rank; ++i) {
    result.block[static_cast<size_t>(i - first)] = static_cast<int32_t>(extent(i));
  }
  return result;
}

// One axis of an index map: result positions 0 .. count-1 are operand positions first + i*step,
// modulo the operand's extent.
struct AxisMap {
  int64_t extent;
  int64_t count;
  int64_t first = 0;
  int64_t step = 1;
};

// Whether each block of the result holds exactly the positions of one block of the operand.
bool KeepsBlocks(const AxisMap& map, int64_t block) {
  if (block == 1) return true;
  for (int64_t begin = 0; begin < map.count; begin += block) {
    const int64_t size = std::min(block, map.count - begin);
    const int64_t from = map.first + begin * map.step;
    const int64_t to = from + (size - 1) * map.step;
    if (from / map.extent != to / map.extent) return false;  // over the seam of two repetitions
    const int64_t a = from % map.extent;
    const int64_t b = to % map.extent;
    const int64_t low = std::min(a, b);
    const int64_t high = std::max(a, b);
    // With a step beyond 1 a block of several positions has gaps.
    if (high - low != size - 1 || low % block != 0) return false;
    if (high != std::min(low + block, map.extent) - 1) return false;
  }
  return true;
}

// Slice, flip and repeat_dim are index maps axis by axis.
AxisMap MapOf(const OpInfo& info, const Attributes& attributes, const Shape& from, const Shape& to,
              int axis) {
  AxisMap map{from[axis], to[axis]};
  if (info.shape_rule == ShapeRule::kSlice) {
    const auto flat =
        attributes.List(AttributeKey::kSlices).subspan(3 * static_cast<size_t>(axis), 3);
    const SliceWalk walk = NormalizeSlice({flat[0], flat[1], flat[2]}, from[axis]);
    map.first = walk.first;
    map.step = walk.count <= 1 ? 1 : walk.step;
  } else if (info.Takes(AttributeKey::kAxes)) {
    const auto axes = attributes.List(AttributeKey::kAxes);
    if (std::ranges::find(axes, axis) != axes.end()) {
      map.first = from[axis] - 1;
      map.step = -1;
    }
  }
  return map;
}

bool EveryAxisKeepsBlocks(const OpInfo& info, const Attributes& attributes, const Type& from,
                          const Type& to) {
  const auto block = BlockExtents(from.scheme(), from.shape);
  for (int i = 0; i < from.shape.rank(); ++i) {
    const AxisMap map = MapOf(info, attributes, from.shape, to.shape, i);
    if (!KeepsBlocks(map, block[static_cast<size_t>(i)])) return false;
  }
  return true;
}

bool ExpandKeepsBlocks(const Type& from, const Type& to) {
  const auto block = BlockExtents(from.scheme(), from.shape);
  const int lead = to.shape.rank() - from.shape.rank();
  for (int i = 0; i < from.shape.rank(); ++i) {
    // Copies along an axis share a block unless it is as short as one position.
    if (from.shape[i] != to.shape[lead + i] && block[static_cast<size_t>(i)] != 1) return false;
  }
  return true;
}

bool CatKeepsBlocks(const Attributes& attributes, std::span<const Type> operands) {
  const int axis = static_cast<int>(attributes.dim());
  const auto block = BlockExtents(operands[0].scheme(), operands[0].shape);
  int64_t at = 0;
  for (const Type& operand : operands) {
    if (operand.shape[axis] == 0) continue;
    if (at % block[static_cast<size_t>(axis)] != 0) return false;
    at += operand.shape[axis];
  }
  return true;
}

int64_t BlockOf(const std::array<int64_t, kRankMax>& block, const Shape& grid,
                const int64_t* index) {
  int64_t id = 0;
  for (int i = 0; i < grid.rank(); ++i) {
    id = id * grid[i] + index[i] / block[static_cast<size_t>(i)];
  }
  return id;
}

// Walks both shapes in row-major order: the blocks must correspond one to one.
bool ReshapeKeepsBlocks(const Type& from, const Type& to) {
  if (from.shape == to.shape) return true;
  const auto from_block = BlockExtents(from.scheme(), from.shape);
  const auto to_block = BlockExtents(to.scheme(), to.shape);
  const Shape from_grid = ScaleGrid(from.scheme(), from.shape);
  const Shape to_grid = ScaleGrid(to.scheme(), to.shape);
  if (from_grid.NumElements() != to_grid.NumElements()) return false;
  std::vector<int64_t> source(static_cast<size_t>(to_grid.NumElements()), -1);
  std::vector<int64_t> target(source.size(), -1);
  std::array<int64_t, kRankMax> from_index = {};
  std::array<int64_t, kRankMax> to_index = {};
  do {
    const int64_t a = BlockOf(from_block, from_grid, from_index.data());
    const int64_t b = BlockOf(to_block, to_grid, to_index.data());
    int64_t& source_of_b = source[static_cast<size_t>(b)];
    int64_t& target_of_a = target[static_cast<size_t>(a)];
    if (source_of_b == -1 && target_of_a == -1) {
      source_of_b = a;
      target_of_a = b;
    } else if (source_of_b != a || target_of_a != b) {
      return false;
    }
    NextIndex(to.shape, to_index.data());
  } while (NextIndex(from.shape, from_index.data()));
  return true;
}

bool AllBlocksAreElements(const Type& type) {
  const auto& block = type.scheme().block;
  return std::all_of(block.begin(), block.begin() + type.scheme().block_rank,
                     [](int32_t extent) { return extent == 1; });
}

}  // namespace

Scheme InferScheme(const Application& application) {
  const Type& from = application.operands[0];
  const Shape& shape = from.shape;
  if (application.info.shape_rule == ShapeRule::kPermute) {
    return PermuteScheme(from.scheme(), shape, application.attributes.List(AttributeKey::kAxes));
  }
  if (application.info.shape_rule != ShapeRule::kSwapDims) return from.scheme();
  const auto dims = application.attributes.List(AttributeKey::kDims);
  std::array<int64_t, kRankMax> axes;
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  if (dims.size() != 2 || !CheckDim(dims[0], shape.rank()).ok() ||
      !CheckDim(dims[1], shape.rank()).ok()) {
    return from.scheme();
  }
  std::swap(axes[static_cast<size_t>(dims[0])], axes[static_cast<size_t>(dims[1])]);
  return PermuteScheme(from.scheme(), shape,
                       std::span(axes).first(static_cast<size_t>(shape.rank())));
}

bool MovesCodes(Opcode op, const Attributes& attributes, std::span<const Type> operands,
                const Type& result) {
  if (operands.empty() || !operands[0].quantized() || !result.quantized()) return false;
  const OpInfo& info = InfoOf(op);
  if (info.shape_rule == ShapeRule::kPermute || info.shape_rule == ShapeRule::kSwapDims) {
    return true;
  }
  const bool cat = info.shape_rule == ShapeRule::kCat;
  const auto full = [](const Type& type) { return type.NumElements() > 0; };
  const bool joins = cat && std::ranges::count_if(operands, full) > 1;
  const Type& from = operands[0];
  if (from.scheme().per_tensor() || from.scheme().two_level) {
    // Each operand of a real cat has its own scale for the tensor.
    if (joins) return false;
    if (from.scheme().per_tensor()) return IsLayoutOp(op);
  }
  if (!IsLayoutOp(op)) return false;
  if (result.NumElements() == 0) return true;
  switch (info.shape_rule) {
    case ShapeRule::kReshape:
      return ReshapeKeepsBlocks(from, result);
    case ShapeRule::kExpand:
      return ExpandKeepsBlocks(from, result);
    case ShapeRule::kCat:
      return !joins || CatKeepsBlocks(attributes, operands);
    case ShapeRule::kSelect:
      return BlockExtents(from.scheme(), from.shape)[static_cast<size_t>(attributes.dim())] == 1;
    case ShapeRule::kGather:
      // Each element has its own index, so neighbours on any axis may come from different blocks.
      return AllBlocksAreElements(from);
    default:
      return EveryAxisKeepsBlocks(info, attributes, from, result);
  }
}

}  // namespace faultline::ir
