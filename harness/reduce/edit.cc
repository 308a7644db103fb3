// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reduce/edit.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/infer.h"

namespace faultline::harness {
namespace {

using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::Type;
using ir::ValueId;

bool UsesMissing(const Statement& statement, const std::vector<bool>& made) {
  return std::ranges::any_of(statement.operands, [&](ValueId id) { return !made[id]; });
}

// Declared result types of an application, with extents mapped where the type is the argument.
Type MappedType(const Type& type, const ExtentMap& map) {
  Type mapped = type;
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    mapped.shape[axis] = map(type.shape[axis]);
  }
  return mapped;
}

// A declared shape whose product follows the operand's: one extent takes up the difference.
bool FitReshape(int64_t elements, ir::Shape& shape) {
  if (shape.NumElements() == elements) return true;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    ir::Shape rest = shape;
    rest[axis] = 1;
    const int64_t others = rest.NumElements();
    if (others > 0 && elements % others == 0) {
      shape[axis] = elements / others;
      return true;
    }
  }
  return false;
}

// Types of an application's results under new operand types, or nothing.
std::optional<std::vector<Type>> InferAgain(const Program& program, const Statement& statement,
                                            const ExtentMap& map) {
  std::vector<Type> operands;
  for (ValueId id : statement.operands) operands.push_back(program.TypeOf(id));
  std::vector<Type> declared;
  const ir::ShapeRule rule = ir::InfoOf(statement.op).shape_rule;
  for (ValueId id : statement.results) declared.push_back(MappedType(program.TypeOf(id), map));
  if (rule == ir::ShapeRule::kReshape &&
      !FitReshape(operands[0].NumElements(), declared[0].shape)) {
    return std::nullopt;
  }
  // Where the shape is not an argument, inference says what it is: the declaration is a hint for
  // dtypes only.
  if (auto types = ir::InferTypes(statement.op, operands, statement.scalars, statement.attributes,
                                  declared)) {
    return std::move(*types);
  }
  for (size_t r = 0; r < declared.size(); ++r) {
    const auto shape =
        ir::InferResultShape(statement.op, operands, statement.attributes, declared, r);
    if (!shape.has_value()) break;
    declared[r].shape = *shape;
  }
  if (auto types = ir::InferTypes(statement.op, operands, statement.scalars, statement.attributes,
                                  declared)) {
    return std::move(*types);
  }
  if (auto types =
          ir::InferTypes(statement.op, operands, statement.scalars, statement.attributes, {})) {
    return std::move(*types);
  }
  return std::nullopt;
}

void MapSlices(const ExtentMap& map, Statement& statement) {
  if (!statement.attributes.Has(ir::AttributeKey::kSlices)) return;
  std::vector<ir::SliceTriple> slices = statement.attributes.Slices();
  for (ir::SliceTriple& slice : slices) {
    if (slice.start > 0) slice.start = map(slice.start);
    if (slice.stop > 0) slice.stop = map(slice.stop);
  }
  statement.attributes.SetSlices(slices);
}

// Infers types from the first statement on; inputs have their new types already.
bool Retype(Program& program, const ExtentMap& map) {
  for (Statement& statement : program.statements) {
    if (statement.kind == StatementKind::kClone) {
      program.values[statement.results[0]].type = program.TypeOf(statement.operands[0]);
    }
    if (statement.kind != StatementKind::kApply) continue;
    MapSlices(map, statement);
    auto types = InferAgain(program, statement, map);
    if (!types || types->size() != statement.results.size()) return false;
    for (size_t i = 0; i < types->size(); ++i) {
      program.values[statement.results[i]].type = (*types)[i];
    }
  }
  return true;
}

void ResizeInput(Program& program, Statement& statement, const Type& to) {
  const Type from = program.TypeOf(statement.results[0]);
  if (from == to) return;
  statement.data = ResizeData(*statement.data, from, to);
  // Strides were made for the old extents.
  statement.layout = {};
  program.values[statement.results[0]].type = to;
}

// Expects were computed for other data.
void DropExpects(Program& program) {
  std::erase_if(program.statements, [](const Statement& statement) {
    return statement.kind == StatementKind::kExpect;
  });
}

}  // namespace

Program WithoutStatements(const Program& program, const std::vector<bool>& removed) {
  Program result;
  result.header = program.header;
  result.values = program.values;
  std::vector<bool> made(program.values.size(), false);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (removed[i]) continue;
    Statement statement = program.statements[i];
    if (statement.kind == StatementKind::kRead) {
      const bool was_empty = statement.operands.empty();
      std::erase_if(statement.operands, [&](ValueId id) { return !made[id]; });
      if (statement.operands.empty() && !was_empty) continue;
    } else if (UsesMissing(statement, made)) {
      continue;
    }
    for (ValueId id : statement.results) made[id] = true;
    result.statements.push_back(std::move(statement));
  }
  ir::CompactValues(result);
  return result;
}

Program WithReplacedValue(const Program& program, ValueId from, ValueId to) {
  Program result = program;
  std::vector<bool> removed(program.statements.size(), false);
  const auto uses = [](const Statement& statement, ValueId id) {
    return std::ranges::find(statement.operands, id) != statement.operands.end();
  };
  // `to` lives as long as the longer-lived of the two: of two drops the later one stays.
  std::optional<size_t> drop_of_to;
  for (size_t i = 0; i < result.statements.size(); ++i) {
    Statement& statement = result.statements[i];
    if (statement.kind == StatementKind::kDrop && uses(statement, to)) drop_of_to = i;
    if (std::ranges::find(statement.results, from) != statement.results.end()) {
      removed[i] = statement.results.size() == 1;
      continue;
    }
    if (!uses(statement, from)) continue;
    removed[i] =
        statement.kind == StatementKind::kExpect || statement.kind == StatementKind::kExpectError;
    std::ranges::replace(statement.operands, from, to);
    if (removed[i] || !drop_of_to) continue;
    removed[*drop_of_to] = true;
    if (statement.kind == StatementKind::kDrop) drop_of_to = i;
  }
  // A drop of `from` that came before that of `to`.
  std::optional<size_t> last_drop;
  for (size_t i = result.statements.size(); i-- > 0;) {
    const Statement& statement = result.statements[i];
    if (removed[i] || statement.kind != StatementKind::kDrop || !uses(statement, to)) continue;
    if (last_drop) removed[i] = true;
    last_drop = i;
  }
  return WithoutStatements(result, removed);
}

Program WithInputsAt(const Program& program, int index, std::span<const ir::DataPtr> data) {
  Program result = program;
  const auto at = result.statements.begin() + index;
  std::vector<Statement> inputs;
  for (size_t r = 0; r < at->results.size(); ++r) {
    Statement& input = inputs.emplace_back();
    input.kind = StatementKind::kInput;
    input.results = {at->results[r]};
    input.data = data[r];
  }
  result.statements.insert(result.statements.erase(at), inputs.begin(), inputs.end());
  DropExpects(result);
  ir::CompactValues(result);
  return result;
}

std::optional<Program> WithMappedExtents(const Program& program, const ExtentMap& map) {
  Program result = program;
  for (Statement& statement : result.statements) {
    if (statement.kind != StatementKind::kInput) continue;
    ResizeInput(result, statement, MappedType(result.TypeOf(statement.results[0]), map));
  }
  if (!Retype(result, map)) return std::nullopt;
  DropExpects(result);
  return result;
}

std::optional<Program> WithInputExtent(const Program& program, int index, int axis,
                                       int64_t extent) {
  Program result = program;
  Statement& statement = result.statements[static_cast<size_t>(index)];
  Type type = result.TypeOf(statement.results[0]);
  type.shape[axis] = extent;
  ResizeInput(result, statement, type);
  if (!Retype(result, [](int64_t same) { return same; })) return std::nullopt;
  DropExpects(result);
  return result;
}

ir::DataPtr ResizeData(const ir::DataSpec& data, const Type& from, const Type& to) {
  auto resized = std::make_shared<ir::DataSpec>(data);
  const int64_t count = to.NumElements();
  std::erase_if(resized->overrides, [&](const auto& entry) { return entry.first >= count; });
  if (data.form == ir::DataForm::kQuantized) {
    const ir::Shape grid = ir::ScaleGrid(to.scheme(), to.shape);
    resized->codes.resize(static_cast<size_t>(count), 0);
    const uint32_t scale = data.scales.empty() ? 0x3f800000u : data.scales[0];
    resized->scales.resize(static_cast<size_t>(grid.NumElements()), scale);
    if (!data.zeros.empty()) resized->zeros.resize(resized->scales.size(), data.zeros[0]);
    return resized;
  }
  if (data.form != ir::DataForm::kList) return resized;
  // Element i of the new shape takes the old one at the same index, row-major otherwise.
  resized->elements.assign(static_cast<size_t>(count), 0);
  if (count == 0 || data.elements.empty()) return resized;
  const bool same_rank = from.shape.rank() == to.shape.rank();
  const auto strides = from.shape.RowMajorStrides();
  std::array<int64_t, ir::kRankMax> at = {};
  for (int64_t i = 0; i < count; ++i) {
    int64_t old = i;
    if (same_rank) {
      old = 0;
      for (int axis = 0; axis < to.shape.rank(); ++axis) {
        const auto a = static_cast<size_t>(axis);
        old += std::min(at[a], std::max<int64_t>(from.shape[axis] - 1, 0)) * strides[a];
      }
      (void)ir::NextIndex(to.shape, at.data());
    }
    old = std::min(old, static_cast<int64_t>(data.elements.size()) - 1);
    resized->elements[static_cast<size_t>(i)] = data.elements[static_cast<size_t>(old)];
  }
  return resized;
}

}  // namespace faultline::harness
