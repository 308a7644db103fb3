// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/replay.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/generate/input_data.h"
#include "ir/infer.h"

namespace faultline::harness {

using ir::kNoValue;
using ir::StatementKind;
using ir::Type;
using ir::ValueId;

namespace {

constexpr uint32_t kRepairedIndexPercent = 75;

// Data of another count, for the same dtype: what was a list comes round again.
ir::DataPtr Refit(Composer& composer, const ir::DataPtr& data, const Type& type) {
  if (data != nullptr && ir::VerifyData(*data, type).ok()) return data;
  if (data != nullptr && !type.quantized() && !data->elements.empty() &&
      data->form == ir::DataForm::kList) {
    auto cycle = std::make_shared<ir::DataSpec>();
    cycle->form = ir::DataForm::kCycle;
    const size_t count = std::min<size_t>(16, data->elements.size());
    cycle->elements.assign(data->elements.begin(),
                           data->elements.begin() + static_cast<std::ptrdiff_t>(count));
    if (ir::VerifyData(*cycle, type).ok()) return cycle;
  }
  if (data != nullptr && !data->overrides.empty()) {
    auto plain = std::make_shared<ir::DataSpec>(*data);
    std::erase_if(plain->overrides,
                  [&](const auto& entry) { return entry.first >= type.NumElements(); });
    if (ir::VerifyData(*plain, type).ok()) return plain;
  }
  return DrawData(composer.choices(), composer.swarm(), type, ir::Domain::kAny);
}

}  // namespace

bool TakesDeclaredType(const ir::OpInfo& info) {
  switch (info.dtype_rule) {
    case ir::DtypeRule::kIndex:
    case ir::DtypeRule::kSameIndex:
    case ir::DtypeRule::kCast:
    case ir::DtypeRule::kDeclared:
    case ir::DtypeRule::kQuantize:
    case ir::DtypeRule::kQuantizeWith:
    case ir::DtypeRule::kDequantize:
      return true;
    case ir::DtypeRule::kSame:
    case ir::DtypeRule::kSameParts:
    case ir::DtypeRule::kCompare:
    case ir::DtypeRule::kIndexed:
    case ir::DtypeRule::kMasked:
    case ir::DtypeRule::kExponent:
    case ir::DtypeRule::kQMatmul:
      break;
  }
  return info.shape_rule == ir::ShapeRule::kReshape || info.shape_rule == ir::ShapeRule::kExpand ||
         info.shape_rule == ir::ShapeRule::kUnfold;
}

Replay::Replay(Composer& composer, const ir::Program& draft, bool keep_names)
    : composer_(composer),
      builder_(composer.builder()),
      draft_(draft),
      keep_names_(keep_names),
      map_(draft.values.size(), kNoValue) {}

void Replay::Name(ValueId draft_value) {
  if (keep_names_) builder_.NameNext({draft_.values[draft_value].name});
}

ValueId Replay::OfType(const Type& type) {
  const auto live = builder_.live();
  for (size_t i = live.size(); i-- > 0;) {
    if (builder_.TypeOf(live[i]) == type) return live[i];
  }
  return kNoValue;
}

ValueId Replay::Operand(ValueId draft_value) {
  const ValueId mapped = map_[draft_value];
  if (builder_.IsAlive(mapped)) return mapped;
  const Type& type = draft_.values[draft_value].type;
  const ValueId other = OfType(type);
  if (other != kNoValue) return other;
  return type.NumElements() <= 4096 ? composer_.NewInput(type) : kNoValue;
}

bool Replay::EmitInput(const ir::Statement& statement) {
  const ValueId draft_value = statement.results[0];
  Type type = draft_.values[draft_value].type;
  if (type.NumElements() > ir::kElementsMax) return false;
  if (type.quantized() && !ir::VerifyScheme(type.scheme(), type.shape).ok()) {
    // A block or a packed axis that the shape no longer has.
    type.element = ir::ElementType(DrawScheme(composer_.choices(), type.shape));
  }
  const ir::DataPtr data = Refit(composer_, statement.data, type);
  ir::Layout layout = statement.layout;
  if (!layout.contiguous() && !ir::VerifyLayout(layout, *data, type).ok()) layout = {};
  Name(draft_value);
  const ValueId value = builder_.Input(type, data, std::move(layout));
  builder_.NameNext({});
  map_[draft_value] = value;
  if (value == kNoValue) return false;
  IntBounds bounds;
  bounds.known = BoundsOfData(*data, type, &bounds.low, &bounds.high);
  builder_.SetBounds(value, bounds);
  return true;
}

bool Replay::EmitApply(const ir::Statement& statement) {
  const ir::OpInfo& info = ir::InfoOf(statement.op);
  const size_t mark = builder_.statements();
  ir::Statement fitted;
  fitted.op = statement.op;
  for (const ValueId draft_value : statement.operands) {
    const ValueId operand = Operand(draft_value);
    if (operand == kNoValue) {
      builder_.Rewind(mark);
      return false;
    }
    fitted.operands.push_back(operand);
  }
  fitted.scalars = statement.scalars;
  fitted.attributes = statement.attributes;
  std::vector<Type> written;
  for (const ValueId result : statement.results) written.push_back(draft_.TypeOf(result));
  // Another op in place of the one that was written may have more results, or fewer.
  const bool counted = info.result_count() != ir::kVariadic;
  const size_t names_max = counted ? static_cast<size_t>(info.result_count()) : written.size();
  bool as_written = !counted || names_max == written.size();
  for (size_t i = 0; i < fitted.operands.size(); ++i) {
    as_written =
        as_written && builder_.TypeOf(fitted.operands[i]) == draft_.TypeOf(statement.operands[i]);
  }
  as_written = as_written && !NeedsNewIndex(info, fitted);
  std::vector<std::string> names;
  for (size_t r = 0; keep_names_ && r < std::min(names_max, written.size()); ++r) {
    names.push_back(draft_.values[statement.results[r]].name);
  }
  const auto apply = [&](const std::vector<Type>& declared) {
    std::vector<Type> argument;
    if (TakesDeclaredType(info)) {
      argument = declared;
    } else if (declared.size() == 1 && declared[0].quantized()) {
      std::vector<Type> types;
      for (const ValueId operand : fitted.operands) types.push_back(builder_.TypeOf(operand));
      const auto propagated =
          composer_.Propagated(fitted.op, types, fitted.scalars, fitted.attributes);
      if (propagated.has_value()) argument.push_back(*propagated);
    }
    builder_.NameNext(names);
    const ValueId result =
        builder_.Apply(fitted.op, fitted.operands, fitted.scalars, fitted.attributes, argument);
    builder_.NameNext({});
    return result;
  };
  ValueId result = as_written ? apply(written) : kNoValue;
  if (result == kNoValue) {
    std::vector<Type> operand_types;
    for (const ValueId operand : statement.operands) {
      operand_types.push_back(draft_.TypeOf(operand));
    }
    std::vector<Type> declared;
    if (FitApplication(composer_, written, operand_types, fitted, declared)) {
      result = apply(declared);
    }
  }
  const size_t count = result == kNoValue ? 0 : builder_.program().statements.back().results.size();
  for (size_t r = 0; r < statement.results.size(); ++r) {
    map_[statement.results[r]] = r >= count ? kNoValue : result + static_cast<ValueId>(r);
  }
  if (result == kNoValue) builder_.Rewind(mark);
  return result != kNoValue;
}

bool Replay::NeedsNewIndex(const ir::OpInfo& info, const ir::Statement& statement) {
  if (info.dtype_rule != ir::DtypeRule::kIndexed) return false;
  const IntBounds& bounds = builder_.StateOf(statement.operands[1]).bounds;
  const ir::Shape& shape = builder_.TypeOf(statement.operands[0]).shape;
  const int64_t dim = statement.attributes.dim();
  if (!bounds.known || dim < 0 || dim >= shape.rank()) return false;
  const int64_t tuple = ir::TupleOf(info.op, builder_.TypeOf(statement.operands[1]).shape);
  const bool inside =
      bounds.low >= 0 && bounds.high < IndexBound(statement.attributes, shape, tuple);
  // Errors on purpose live on, some of the time.
  return !inside && composer_.choices().Percent(kRepairedIndexPercent);
}

bool Replay::EmitRead(const ir::Statement& statement) {
  std::vector<ValueId> values;
  for (const ValueId draft_value : statement.operands) {
    if (builder_.IsAlive(map_[draft_value])) values.push_back(map_[draft_value]);
  }
  if (values.empty() && !statement.operands.empty()) return false;
  return builder_.Read(values);
}

bool Replay::Emit(const ir::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kInput:
      return EmitInput(statement);
    case StatementKind::kApply:
      return EmitApply(statement);
    case StatementKind::kClone: {
      const ValueId operand = Operand(statement.operands[0]);
      if (operand == kNoValue) return false;
      Name(statement.results[0]);
      const ValueId clone = builder_.Clone(operand);
      builder_.NameNext({});
      map_[statement.results[0]] = clone;
      return clone != kNoValue;
    }
    case StatementKind::kDrop:
      return builder_.Drop(map_[statement.operands[0]]);
    case StatementKind::kRead:
      return EmitRead(statement);
    case StatementKind::kStream:
      return builder_.SetStream(statement.stream);
    case StatementKind::kSync:
      return builder_.Sync();
    case StatementKind::kExpect:
    case StatementKind::kExpectError:
      // What was expected of the original says nothing about what it has become.
      return false;
  }
  return false;
}

}  // namespace faultline::harness
