// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/variation.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/generate/composer.h"
#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"
#include "ir/infer.h"

namespace faultline::harness {

using ir::Dtype;
using ir::Program;
using ir::Shape;
using ir::Statement;
using ir::StatementKind;
using ir::Type;

namespace {

// Indices of the statements in [begin, end) that `accepts`.
template <typename Accepts>
std::vector<size_t> Find(const Program& draft, size_t begin, size_t end, Accepts accepts) {
  std::vector<size_t> found;
  for (size_t i = begin; i < end; ++i) {
    if (accepts(draft.statements[i])) found.push_back(i);
  }
  return found;
}

template <typename Accepts>
Statement* Pick(Program& draft, size_t begin, size_t end, ChoiceStream& choices, Accepts accepts) {
  const std::vector<size_t> found = Find(draft, begin, end, accepts);
  if (found.empty()) return nullptr;
  return &draft.statements[found[choices.Below(static_cast<uint32_t>(found.size()))]];
}

bool IsInput(const Statement& statement) { return statement.kind == StatementKind::kInput; }

int64_t OtherExtent(ChoiceStream& choices, int64_t extent) {
  switch (choices.Below(4)) {
    case 0:
      return extent + 1;
    case 1:
      return std::max<int64_t>(1, extent - 1);
    case 2:
      return extent <= 32 && choices.Percent(50) ? 2 * extent : std::max<int64_t>(1, extent / 2);
    default: {
      const auto extents = InterestingExtents();
      // Zero and one now and then; large ones only where it is not far.
      const int64_t drawn = extents[choices.Below(static_cast<uint32_t>(extents.size()))];
      return std::min(drawn, 4 * extent + 4);
    }
  }
}

// Indices that pointed to the last element still do.
void MoveIndexBound(Statement& input, int64_t from, int64_t to) {
  if (input.data == nullptr || input.data->form != ir::DataForm::kInts || to < 1) return;
  if (input.data->parameters[1] != static_cast<double>(from - 1) ||
      input.data->parameters[0] != 0) {
    return;
  }
  auto data = std::make_shared<ir::DataSpec>(*input.data);
  data->parameters[1] = static_cast<double>(to - 1);
  input.data = std::move(data);
}

// Extents of the inputs but 1, as often as they occur.
std::vector<int64_t> InputExtents(const Program& draft, size_t begin, size_t end) {
  std::vector<int64_t> extents;
  for (size_t i = begin; i < end; ++i) {
    const Statement& statement = draft.statements[i];
    if (statement.kind != StatementKind::kInput) continue;
    for (const int64_t extent : draft.TypeOf(statement.results[0]).shape) {
      if (extent != 1) extents.push_back(extent);
    }
  }
  return extents;
}

void ReplaceExtent(Program& draft, size_t begin, size_t end, int64_t from, int64_t to) {
  for (size_t i = begin; i < end; ++i) {
    Statement& statement = draft.statements[i];
    for (const ir::ValueId value : statement.results) {
      Shape& shape = draft.values[value].type.shape;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == from) shape[axis] = to;
      }
    }
    if (statement.kind == StatementKind::kInput) {
      MoveIndexBound(statement, from, to);
      statement.layout = {};
    } else if (statement.attributes.Has(ir::AttributeKey::kSlices)) {
      auto slices = statement.attributes.Slices();
      for (ir::SliceTriple& slice : slices) {
        if (slice.stop == from) slice.stop = to;
      }
      statement.attributes.SetSlices(slices);
    }
  }
}

}  // namespace

bool VaryExtents(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  const std::vector<int64_t> extents = InputExtents(draft, begin, end);
  if (extents.empty()) return false;
  const int64_t from = extents[choices.Below(static_cast<uint32_t>(extents.size()))];
  const int64_t to = OtherExtent(choices, from);
  ReplaceExtent(draft, begin, end, from, to);
  return to != from;
}

bool ShrinkExtents(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  const std::vector<int64_t> extents = InputExtents(draft, begin, end);
  if (extents.empty()) return false;
  const int64_t from = std::ranges::max(extents);
  if (from < 2) return false;
  const int64_t to =
      choices.Percent(50) ? (from + 1) / 2 : choices.Between(1, std::min<int64_t>(from, 5));
  ReplaceExtent(draft, begin, end, from, to);
  return to != from;
}

bool VaryOneExtent(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  Statement* input = Pick(draft, begin, end, choices, [&](const Statement& s) {
    return IsInput(s) && draft.TypeOf(s.results[0]).shape.rank() > 0;
  });
  if (input == nullptr) return false;
  Shape& shape = draft.values[input->results[0]].type.shape;
  const int axis = static_cast<int>(choices.Below(static_cast<uint32_t>(shape.rank())));
  const int64_t before = shape[axis];
  shape[axis] = OtherExtent(choices, std::max<int64_t>(1, before));
  input->layout = {};
  return shape[axis] != before;
}

bool VaryScalars(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  bool changed = false;
  for (size_t i = begin; i < end; ++i) {
    for (ir::Scalar& scalar : draft.statements[i].scalars) {
      if (changed && choices.Percent(40)) continue;
      const ir::Scalar drawn = draft.statements[i].op == ir::Opcode::kFull || choices.Percent(90)
                                   ? DrawScalar(choices, scalar.dtype, ir::Domain::kAny, 10)
                                   : scalar;
      changed = changed || drawn != scalar;
      scalar = drawn;
    }
  }
  return changed;
}

bool VarySlices(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  Statement* statement = Pick(draft, begin, end, choices, [](const Statement& s) {
    return s.kind == StatementKind::kApply && s.attributes.Has(ir::AttributeKey::kSlices) &&
           !s.attributes.List(ir::AttributeKey::kSlices).empty();
  });
  if (statement == nullptr) return false;
  const Shape shape = draft.TypeOf(statement->operands[0]).shape;
  auto slices = statement->attributes.Slices();
  const auto axis = choices.Below(static_cast<uint32_t>(slices.size()));
  const int64_t extent = static_cast<int>(axis) < shape.rank() ? shape[static_cast<int>(axis)] : 4;
  ir::SliceTriple& slice = slices[axis];
  switch (choices.Below(4)) {
    case 0:
      slice.start = extent > 0 ? choices.Between(0, extent - 1) : 0;
      break;
    case 1:
      slice.stop = extent > 0 ? choices.Between(1, extent) : 0;
      break;
    case 2:
      slice.step = -slice.step;
      break;
    default:
      slice.step = choices.Pick({1, 2, 3, -1, -2});
      break;
  }
  statement->attributes.SetSlices(slices);
  return true;
}

namespace {

// Whether the result's type is the policy: quantized anew, or float.
bool HasPolicy(const Program& draft, const Statement& statement) {
  std::vector<Type> types;
  for (const ir::ValueId operand : statement.operands) types.push_back(draft.TypeOf(operand));
  return (ir::SeesDecoded(statement.op, types) || statement.op == ir::Opcode::kQMatmul) &&
         (draft.TypeOf(statement.results[0]).quantized() ||
          ir::IsFloat(draft.TypeOf(statement.results[0]).dtype()));
}

}  // namespace

bool VaryAttribute(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  Statement* statement = Pick(draft, begin, end, choices, [&draft](const Statement& s) {
    return s.kind == StatementKind::kApply &&
           (!ir::InfoOf(s.op).attributes().empty() || HasPolicy(draft, s) ||
            ir::InfoOf(s.op).dtype_rule == ir::DtypeRule::kCast ||
            ir::HasTrait(s.op, ir::kQuantizing) ||
            ir::InfoOf(s.op).dtype_rule == ir::DtypeRule::kDequantize ||
            ir::IsIndexResult(s.op, s.results.size() - 1));
  });
  if (statement == nullptr) return false;
  const ir::OpInfo& info = ir::InfoOf(statement->op);
  if (HasPolicy(draft, *statement) && (info.attributes().empty() || choices.Percent(50))) {
    // Which scheme, or which float, follows from the operands.
    Type& first = draft.values[statement->results[0]].type;
    first.element =
        first.quantized() ? ir::ElementType(Dtype::kF32) : ir::ElementType(ir::Scheme{});
    return true;
  }
  Type& result = draft.values[statement->results.back()].type;
  switch (info.dtype_rule) {
    case ir::DtypeRule::kCast:
      result.element = choices.Pick(std::span<const Dtype>(ir::kPlainDtypes));
      return true;
    case ir::DtypeRule::kDequantize:
      result.element = choices.Pick({Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16});
      return true;
    case ir::DtypeRule::kQuantize:
    case ir::DtypeRule::kQuantizeWith:
      if (info.attributes().empty() || choices.Percent(75)) {
        result.element = ir::ElementType(DrawScheme(choices, result.shape));
        return true;
      }
      break;
    case ir::DtypeRule::kIndex:
    case ir::DtypeRule::kSameIndex:
      if (choices.Percent(30)) {
        result.element = result.dtype() == Dtype::kI32 ? Dtype::kI64 : Dtype::kI32;
        return true;
      }
      break;
    default:
      break;
  }
  // One key, drawn anew for the shape it was written for.
  const Shape shape =
      statement->operands.empty() ? result.shape : draft.TypeOf(statement->operands[0]).shape;
  const auto keys = info.attributes();
  const ir::Attributes before = statement->attributes;
  for (int attempt = 0; attempt < 4 && statement->attributes == before; ++attempt) {
    ir::Attributes drawn;
    if (!DrawViewAttributes(choices, info, shape, drawn)) return false;
    const ir::AttributeKey key = keys[choices.Below(static_cast<uint32_t>(keys.size()))];
    const auto values = drawn.List(key);
    if (values.empty()) {
      statement->attributes.Clear(key);
    } else {
      statement->attributes.Set(key, std::vector<int64_t>(values.begin(), values.end()));
    }
  }
  return !(statement->attributes == before);
}

ir::DataPtr RetypeData(const ir::DataSpec& data, const Type& from, const Type& to,
                       ChoiceStream& choices) {
  auto retyped = std::make_shared<ir::DataSpec>(data);
  if (from.quantized() || to.quantized()) return nullptr;
  const auto convert = [&](uint64_t bits) {
    const double number = ir::IsFloat(from.dtype())
                              ? ir::ToDouble(from.dtype(), bits)
                              : static_cast<double>(ir::ToInt(from.dtype(), bits));
    if (ir::IsFloat(to.dtype())) return ir::FromDouble(to.dtype(), number);
    if (ir::IsRepresentable(to.dtype(), number)) {
      // u64 goes beyond i64.
      return number < 0 ? ir::FromInt(to.dtype(), static_cast<int64_t>(number))
                        : static_cast<uint64_t>(number);
    }
    return choices.Pick(SpecialValues(to.dtype()));
  };
  for (uint64_t& bits : retyped->elements) bits = convert(bits);
  for (auto& [index, bits] : retyped->overrides) bits = convert(bits);
  return retyped;
}

bool VaryDtype(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  const Statement* chosen = Pick(draft, begin, end, choices, [&](const Statement& s) {
    return IsInput(s) && !draft.TypeOf(s.results[0]).quantized();
  });
  if (chosen == nullptr) return false;
  const Dtype from = draft.TypeOf(chosen->results[0]).dtype();
  // Mostly a neighbour: another float for a float, another int for an int.
  ir::DtypeMask mask = ir::kPlainMask;
  if (choices.Percent(80)) {
    if (ir::IsFloat(from)) mask = ir::kFloatMask;
    if (ir::IsInt(from)) mask = ir::kIntMask;
  }
  Dtype to = from;
  for (int i = 0; i < 8 && (to == from || !ir::IsIn(to, mask)); ++i) {
    to = choices.Pick(std::span<const Dtype>(ir::kPlainDtypes));
  }
  if (to == from || !ir::IsIn(to, mask)) return false;
  for (size_t i = begin; i < end; ++i) {
    Statement& statement = draft.statements[i];
    for (const ir::ValueId value : statement.results) {
      Type& type = draft.values[value].type;
      if (type.dtype() != from) continue;
      const Type retyped(to, type.shape);
      if (statement.kind == StatementKind::kInput) {
        statement.data = RetypeData(*statement.data, type, retyped, choices);
      } else if (ir::InfoOf(statement.op).dtype_rule == ir::DtypeRule::kDequantize &&
                 !ir::IsFloat(to)) {
        continue;
      }
      type = retyped;
    }
  }
  return true;
}

bool VaryData(Program& draft, size_t begin, size_t end, ChoiceStream& choices) {
  bool changed = false;
  for (size_t i = begin; i < end; ++i) {
    Statement& statement = draft.statements[i];
    if (!IsInput(statement) || (changed && choices.Percent(50))) continue;
    auto data = std::make_shared<ir::DataSpec>(*statement.data);
    switch (data->form) {
      case ir::DataForm::kUniform:
      case ir::DataForm::kNormal:
      case ir::DataForm::kInts:
      case ir::DataForm::kLogscale:
        data->seed = choices.Below(10000);
        break;
      case ir::DataForm::kList:
      case ir::DataForm::kCycle:
        if (data->elements.size() < 2) continue;
        std::ranges::rotate(data->elements, data->elements.begin() + 1);
        break;
      default:
        continue;
    }
    statement.data = std::move(data);
    changed = true;
  }
  return changed;
}

}  // namespace faultline::harness
