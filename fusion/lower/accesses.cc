// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/lower/accesses.h"

#include <algorithm>
#include <utility>

namespace faultline::fusion {

PathRef AccessList::Keep(std::span<const PathStep> path) {
  const PathRef ref{static_cast<uint32_t>(plan_.path_steps.size()),
                    static_cast<uint32_t>(path.size())};
  plan_.path_steps.insert(plan_.path_steps.end(), path.begin(), path.end());
  return ref;
}

int AccessList::SlotOf(uint32_t value) {
  const auto it = std::ranges::find(recipe_.slots, value);
  if (it == recipe_.slots.end()) {
    recipe_.slots.push_back(value);
    return static_cast<int>(recipe_.slots.size()) - 1;
  }
  return static_cast<int>(it - recipe_.slots.begin());
}

int AccessList::Add(Access access, AccessRecipe recipe) {
  accesses_.push_back(std::move(access));
  recipe_.accesses.push_back(std::move(recipe));
  return static_cast<int>(accesses_.size()) - 1;
}

int AccessList::Reserve(ir::ElementType storage) {
  Access access;
  access.storage = storage;
  accesses_.push_back(std::move(access));
  return 0;
}

int AccessList::Strided(uint32_t value, std::span<const PathStep> path, Mode mode) {
  Access access;
  access.slot = SlotOf(value);
  access.storage = plan_.values[value].element;
  access.per_row = mode.per_row;
  AccessRecipe recipe;
  recipe.value = value;
  recipe.path = Keep(path);
  recipe.has_row = mode.has_row;
  return Add(std::move(access), std::move(recipe));
}

int AccessList::Movement(const FormOp& op, std::span<const uint32_t> operands,
                         std::span<const PathStep> path, std::span<const PathStep> below,
                         Mode mode) {
  if (ir::HasTrait(op.op, ir::kJoin)) return Join(op, operands, mode);
  if (ir::HasTrait(op.op, ir::kIndexing)) return Lookup(op, operands, path, below, mode);
  std::vector<PathStep> whole(path.begin(), path.end());
  AppendMovementSteps(graph_.segment(), op, whole);
  whole.insert(whole.end(), below.begin(), below.end());
  return Strided(operands[0], whole, mode);
}

int AccessList::Join(const FormOp& op, std::span<const uint32_t> parts, Mode mode) {
  const auto dim = static_cast<uint8_t>(op.attributes.dim());
  const SymbolicShape& joined = graph_.value(op.result).shape;
  std::vector<SymbolicShape> shapes;
  std::vector<int> pieces;
  for (uint32_t part : parts) {
    shapes.push_back(plan_.values[part].shape);
    Access access;
    access.slot = SlotOf(part);
    access.storage = plan_.values[part].element;
    access.per_row = mode.per_row;
    AccessRecipe recipe;
    recipe.value = part;
    recipe.is_piece = true;
    recipe.joined = joined;
    recipe.part_shapes = shapes;
    recipe.dim = dim;
    pieces.push_back(Add(std::move(access), std::move(recipe)));
  }
  Access access;
  access.storage = plan_.values[parts[0]].element;
  access.map = MapKind::kPieces;
  access.per_row = mode.per_row;
  access.pieces = std::move(pieces);
  AccessRecipe recipe;
  recipe.parts.assign(parts.begin(), parts.end());
  recipe.joined = joined;
  recipe.part_shapes = std::move(shapes);
  recipe.dim = dim;
  return Add(std::move(access), std::move(recipe));
}

int AccessList::Lookup(const FormOp& op, std::span<const uint32_t> operands,
                       std::span<const PathStep> path, std::span<const PathStep> below, Mode mode) {
  const SymbolicShape& result = graph_.value(op.result).shape;
  std::vector<PathStep> to_index(path.begin(), path.end());
  if (ir::InfoOf(op.op).shape_rule == ir::ShapeRule::kSelect) {
    // The index is a row: one of its elements serves a whole slab of the result.
    SymbolicShape column = result;
    for (int i = 0; i < column.rank; ++i) {
      if (i != static_cast<int>(op.attributes.dim())) column[i] = kOneExtent;
    }
    to_index.push_back(ExpandStep(result, column));
    PathStep units = ExpandStep(column, plan_.values[operands[1]].shape);
    units.kind = StepKind::kUnits;
    to_index.push_back(units);
  }
  const int index = Strided(operands[1], to_index, mode);
  std::vector<PathStep> whole(path.begin(), path.end());
  AppendMovementSteps(graph_.segment(), op, whole);
  whole.insert(whole.end(), below.begin(), below.end());
  const int access = Strided(operands[0], whole, mode);
  accesses_.back().map = MapKind::kIndirect;
  accesses_.back().index = index;
  accesses_.back().source = graph_.value(op.result).producer;
  return access;
}

void MoveToFront(int first, std::vector<Access>& accesses, std::vector<AccessRecipe>& recipes) {
  std::rotate(accesses.begin(), accesses.begin() + first, accesses.begin() + first + 1);
  std::rotate(recipes.begin(), recipes.begin() + first, recipes.begin() + first + 1);
  auto renumber = [first](int& access) {
    if (access < first) {
      ++access;
    } else if (access == first) {
      access = 0;
    }
  };
  for (Access& access : accesses) {
    for (int& piece : access.pieces) renumber(piece);
    if (access.index >= 0) renumber(access.index);
  }
}

}  // namespace faultline::fusion
