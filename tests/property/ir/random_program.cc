// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/property/ir/random_program.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "ir/data/scale_value.h"
#include "ir/infer.h"

namespace faultline::ir {
namespace {

Shape RandomShape(Dice& dice) {
  Shape shape;
  const int rank = dice.Below(4);
  for (int i = 0; i < rank; ++i) shape.PushBack(dice.Below(5));
  return shape;
}

Scheme RandomScheme(Dice& dice, const Shape& shape) {
  // Until it fits; the default does.
  for (int i = 0; i < 50; ++i) {
    Scheme scheme;
    scheme.value = static_cast<QValue>(dice.Below(kQValueCount));
    scheme.store = static_cast<QStore>(dice.Below(3));
    scheme.packed_dim = static_cast<uint8_t>(dice.Below(3));
    scheme.scale = static_cast<ScaleDtype>(dice.Below(5));
    scheme.two_level = dice.OneIn(4);
    scheme.block_rank = static_cast<uint8_t>(dice.Below(3));
    for (int k = 0; k < scheme.block_rank; ++k) {
      scheme.block[static_cast<size_t>(k)] = 1 + dice.Below(4);
    }
    if (VerifyScheme(scheme, shape).ok()) return scheme;
  }
  return {};
}

Type RandomType(Dice& dice, DtypeMask mask) {
  const Shape shape = RandomShape(dice);
  for (;;) {
    const auto dtype = static_cast<Dtype>(dice.Below(kPlainDtypeCount + 1));
    if (!IsIn(dtype, mask)) continue;
    if (dtype == Dtype::kQuantized) return {ElementType(RandomScheme(dice, shape)), shape};
    return {dtype, shape};
  }
}

DataPtr QuantizedData(Dice& dice, const Type& type) {
  DataSpec data;
  data.form = DataForm::kQuantized;
  const Scheme& scheme = type.scheme();
  const int low = CodeMin(scheme.value);
  const int codes = CodeMax(scheme.value) - low + 1;
  for (int64_t i = 0; i < type.NumElements(); ++i) data.codes.push_back(low + dice.Below(codes));
  const int64_t scales = LayoutOf(scheme, type.shape).scale_count;
  for (int64_t i = 0; i < scales; ++i) {
    data.scales.push_back(FindScale(scheme.scale, std::ldexp(1, dice.Below(10) - 5)).value());
    if (scheme.asymmetric()) data.zeros.push_back(low + dice.Below(codes));
  }
  if (scheme.two_level) data.tensor_scale = 0x3f800000;
  return std::make_shared<DataSpec>(std::move(data));
}

// Any of the forms, taken until it fits.
DataPtr RandomData(Dice& dice, const Type& type) {
  if (type.quantized()) return QuantizedData(dice, type);
  for (;;) {
    DataSpec data;
    data.form = static_cast<DataForm>(dice.Below(static_cast<int>(DataForm::kQuantized)));
    int64_t count = 0;
    if (data.form == DataForm::kList) count = type.NumElements();
    if (data.form == DataForm::kConstant) count = 1;
    if (data.form == DataForm::kCycle) count = 1 + dice.Below(5);
    const uint64_t usual = RandomElement(dice, type.dtype());
    for (int64_t i = 0; i < count; ++i) {
      data.elements.push_back(dice.OneIn(4) ? RandomElement(dice, type.dtype()) : usual);
    }
    if (count == 0 && data.form != DataForm::kList) {
      if (data.form != DataForm::kIota) data.seed = dice.Bits();
      data.parameters = {dice.Below(9) / 2.0 - 2, dice.Below(9) / 2.0};
    }
    for (int64_t i = 0; i < type.NumElements() && dice.OneIn(5); i += 1 + dice.Below(3)) {
      data.overrides.emplace_back(i, RandomElement(dice, type.dtype()));
    }
    if (VerifyData(data, type).ok()) return std::make_shared<DataSpec>(std::move(data));
  }
}

Layout RandomLayout(Dice& dice, const DataSpec& data, const Type& type) {
  Layout layout;
  if (type.quantized() || dice.OneIn(2)) return layout;
  if (dice.OneIn(2)) {
    for (int i = 0; i < type.shape.rank(); ++i) layout.strides.push_back(dice.Below(40) - 10);
  }
  layout.offset = dice.Below(20);
  if (dice.OneIn(2)) layout.storage = dice.Below(200);
  return VerifyLayout(layout, data, type).ok() ? layout : Layout();
}

std::vector<int64_t> RandomValues(Dice& dice, const AttributeInfo& info, int rank) {
  switch (info.spelling) {
    case AttributeSpelling::kInt:
      return {dice.Below(std::max(rank, 1))};
    case AttributeSpelling::kBool:
      return {dice.Below(2)};
    case AttributeSpelling::kWord:
      return {dice.Below(static_cast<int>(info.words.size()))};
    case AttributeSpelling::kSliceList: {
      std::vector<int64_t> values;
      for (int i = 0; i < rank; ++i) {
        const int step = dice.Below(4) - 2;
        values.insert(values.end(), {dice.Below(4) - 1, dice.Below(7), step == 0 ? 2 : step});
      }
      return values;
    }
    case AttributeSpelling::kIntList:
      break;
  }
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  for (size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[static_cast<size_t>(dice.Below(static_cast<int>(i)))]);
  }
  if (info.key == AttributeKey::kDims) axes.resize(2);
  return axes;
}

class Builder {
 public:
  explicit Builder(Dice& dice) : dice_(dice) {}

  Program Build() {
    const int steps = 2 + dice_.Below(10);
    for (int i = 0; i < steps; ++i) Step();
    AddExpects();
    if (dice_.OneIn(2)) AddHeader();
    return std::move(program_);
  }

 private:
  void Step() {
    switch (dice_.Below(12)) {
      case 0:
        AddCommand(StatementKind::kSync, {});
        break;
      case 1:
        AddCommand(StatementKind::kStream, {}).stream = dice_.Below(kStreamsMax);
        break;
      case 2:
        AddRead();
        break;
      case 3:
        if (!live_.empty()) AddClone();
        break;
      case 4:
        if (!live_.empty()) AddDrop();
        break;
      default:
        AddApplication();
    }
  }

  Statement& AddCommand(StatementKind kind, std::vector<ValueId> operands) {
    Statement statement;
    statement.kind = kind;
    statement.operands = std::move(operands);
    program_.statements.push_back(std::move(statement));
    return program_.statements.back();
  }

  ValueId AddResult(const Type& type) {
    const ValueId value = program_.AddValue(program_.FreshName(dice_.OneIn(2) ? "v" : "_X"), type);
    program_.statements.back().results.push_back(value);
    live_.push_back(value);
    return value;
  }

  ValueId AddInput(const Type& type) {
    Statement& statement = AddCommand(StatementKind::kInput, {});
    statement.data = RandomData(dice_, type);
    statement.layout = RandomLayout(dice_, *statement.data, type);
    return AddResult(type);
  }

  void AddClone() {
    const ValueId value = dice_.Pick(live_);
    AddCommand(StatementKind::kClone, {value});
    AddResult(Type(program_.TypeOf(value)));
  }

  void AddDrop() {
    const int at = dice_.Below(static_cast<int>(live_.size()));
    AddCommand(StatementKind::kDrop, {live_[static_cast<size_t>(at)]});
    live_.erase(live_.begin() + at);
  }

  void AddRead() {
    std::vector<ValueId> values;
    for (int i = dice_.Below(5); i > 0 && !live_.empty(); --i) values.push_back(dice_.Pick(live_));
    read_.insert(read_.end(), values.begin(), values.end());
    AddCommand(StatementKind::kRead, std::move(values));
  }

  // A live value that fits the mask, or a new input.
  ValueId Operand(DtypeMask mask) {
    std::vector<ValueId> fitting;
    for (const ValueId value : live_) {
      if (IsIn(program_.TypeOf(value).dtype(), mask)) fitting.push_back(value);
    }
    if (!fitting.empty() && !dice_.OneIn(3)) return dice_.Pick(fitting);
    return AddInput(RandomType(dice_, mask));
  }

  // What the result may be declared as: guesses, of which inference takes one or none.
  std::vector<Type> Declarations(const OpInfo& info, const std::vector<Type>& operands) {
    const Shape shape = operands.empty() ? RandomShape(dice_) : operands[0].shape;
    std::vector<Type> types;
    for (int i = 0; i < 8; ++i) {
      Type type = RandomType(dice_, kAnyMask);
      types.push_back(type);
      types.emplace_back(type.element, shape);
      if (operands.empty()) continue;
      types.emplace_back(operands[0].element, type.shape);
      types.emplace_back(operands[0].element, Shape{shape.NumElements()});
      types.emplace_back(dice_.OneIn(2) ? Dtype::kI32 : Dtype::kI64, Shape{1});
    }
    if (info.dtype_rule == DtypeRule::kQuantize) {
      types.emplace_back(ElementType(RandomScheme(dice_, shape)), shape);
    }
    return types;
  }

  void AddApplication() {
    const OpInfo& info = dice_.Pick(AllOpsVector());
    std::vector<ValueId> ids;
    std::vector<Type> types;
    const int arity =
        info.arity == kVariadic ? 1 + dice_.Below(3) : info.arity + dice_.Below(info.optional + 1);
    // Parameters are vectors as long as one axis of the first operand.
    const bool vectors = dice_.OneIn(4);
    for (int i = 0; i < arity; ++i) {
      DtypeMask mask = i == 0 ? info.operand_dtypes : MaskOf(types[0].dtype());
      if (i == 1 && info.dtype_rule == DtypeRule::kMasked) mask = kBoolMask;
      if (i == 1 && info.dtype_rule == DtypeRule::kExponent) mask = MaskOf(Dtype::kI64);
      if (i == 1 && info.dtype_rule == DtypeRule::kIndexed) mask = MaskOf(Dtype::kI32);
      // Operands of one shape and scheme nearly always fit.
      if (i > 0 && !vectors && mask == MaskOf(types[0].dtype()) && dice_.OneIn(2)) {
        ids.push_back(ids[0]);
      } else if (i > 0 && vectors && types[0].shape.rank() > 0 &&
                 mask == MaskOf(types[0].dtype()) && !types[0].quantized()) {
        const int axis = std::min(1, types[0].shape.rank() - 1);
        ids.push_back(AddInput(Type(types[0].element, Shape{types[0].shape[axis]})));
      } else {
        ids.push_back(Operand(mask));
      }
      types.push_back(program_.TypeOf(ids.back()));
    }
    Statement statement;
    statement.kind = StatementKind::kApply;
    statement.op = info.op;
    statement.operands = ids;
    for (const AttributeKey key : info.attributes()) {
      if (key == AttributeKey::kDimOptional && dice_.OneIn(2)) continue;
      const int rank = types.empty() ? 0 : types[0].shape.rank();
      statement.attributes.Set(key, RandomValues(dice_, InfoOf(key), rank));
    }
    AddIfLegal(info, std::move(statement), types);
  }

  void AddIfLegal(const OpInfo& info, Statement statement, const std::vector<Type>& types) {
    std::vector<std::vector<Type>> candidates = {{}};
    if (info.result_count() == 1) {
      for (const Type& type : Declarations(info, types)) candidates.push_back({type});
    } else if (info.result_count() == kVariadic) {
      // As many as inference says.
    } else if (const auto shape = InferResultShape(info.op, types, statement.attributes, {}, 0)) {
      const Dtype index = dice_.OneIn(2) ? Dtype::kI32 : Dtype::kI64;
      candidates.push_back({Type(types[0].element, *shape), Type(index, *shape)});
    }
    for (const std::vector<Type>& declared : candidates) {
      Dtype dtype =
          types.empty() ? (declared.empty() ? Dtype::kF32 : declared[0].dtype()) : types[0].dtype();
      if (dtype == Dtype::kQuantized && info.scalars != ScalarRule::kNone) continue;
      dtype = info.ScalarDtype(dtype);
      statement.scalars.clear();
      for (int k = 0; k < info.scalar_count(); ++k) {
        statement.scalars.push_back({dtype, RandomElement(dice_, dtype)});
      }
      const auto result =
          InferTypes(info.op, types, statement.scalars, statement.attributes, declared);
      if (!result.has_value() || result->at(0).NumElements() > 1000) continue;
      program_.statements.push_back(std::move(statement));
      for (const Type& type : *result) AddResult(type);
      return;
    }
  }

  static const std::vector<OpInfo>& AllOpsVector() {
    static const std::vector<OpInfo> ops(AllOps().begin(), AllOps().end());
    return ops;
  }

  void AddExpects() {
    std::ranges::sort(read_);
    read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    for (const ValueId value : read_) {
      if (dice_.OneIn(6)) {
        AddCommand(StatementKind::kExpectError, {value}).code = StatusCode::kIndexOutOfRange;
      } else if (dice_.OneIn(2)) {
        DataSpec data = *RandomData(dice_, program_.TypeOf(value));
        if (data.form == DataForm::kList && !data.elements.empty() && dice_.OneIn(2)) {
          data.wildcards.resize(data.elements.size());
          for (size_t i = 0; i < data.elements.size(); i += 2) {
            data.wildcards[i] = true;
            data.elements[i] = 0;
          }
        }
        AddCommand(StatementKind::kExpect, {value}).data =
            std::make_shared<DataSpec>(std::move(data));
      }
    }
  }

  void AddHeader() {
    program_.header.name = "a program of no meaning";
    program_.header.why = "because: = % # are plain here";
    program_.header.needs = "pool=guard threads=2";
    program_.header.decisions = {{"fuse(%a,%y)", dice_.Below(3)}, {"tier(%y)", -1}};
  }

  Dice& dice_;
  Program program_;
  std::vector<ValueId> live_;
  std::vector<ValueId> read_;
};

}  // namespace

uint64_t RandomElement(Dice& dice, Dtype dtype) {
  if (dtype == Dtype::kBool) return dice.Bits() & 1;
  if (dice.OneIn(2) && IsFloat(dtype)) return FromDouble(dtype, dice.Below(9) - 4);
  if (dice.OneIn(2) && IsInt(dtype)) return FromInt(dtype, dice.Below(9) - 4);
  return FromInt(IsFloat(dtype) ? (BitWidth(dtype) == 64   ? Dtype::kU64
                                   : BitWidth(dtype) == 32 ? Dtype::kU32
                                                           : Dtype::kU16)
                                : dtype,
                 static_cast<int64_t>(dice.Bits()));
}

Program RandomProgram(Dice& dice) { return Builder(dice).Build(); }

}  // namespace faultline::ir
