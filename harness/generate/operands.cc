// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where operands come from: live values, views of them, conversions, new inputs.

#include <algorithm>
#include <array>
#include <memory>

#include "harness/generate/composer.h"
#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"

namespace faultline::harness {

using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

namespace {

// Text of quantized data grows with every code.
constexpr int64_t kQuantizedInputMax = 192;

}  // namespace

int64_t Composer::Aim() const {
  const int left = std::max(1, swarm_.operations - builder_.applications());
  return std::max<int64_t>(1, (swarm_.work - builder_.work()) / left);
}

int64_t Composer::AimMax() const {
  // A long chain has no room to grow by broadcasting.
  return swarm_.script == Script::kChain ? 2 * Aim() + 8 : 4 * Aim() + 64;
}

Dtype Composer::DrawDtype(ir::DtypeMask mask) {
  std::array<uint32_t, ir::kPlainDtypeCount + 1> weights = {};
  uint32_t sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    weights[i] = swarm_.dtypes[i];
    sum += weights[i];
  }
  // Outside the program's own set: sometimes, and where there is no other.
  if (sum == 0 || choices_.OneIn(12)) {
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = mask >> i & 1;
  }
  return static_cast<Dtype>(choices_.Weighted(weights));
}

bool Composer::Meets(ValueId value, const Need& need) const {
  const Type& type = builder_.TypeOf(value);
  const int64_t elements = type.NumElements();
  return ir::IsIn(type.dtype(), need.dtypes) && type.shape.rank() >= need.rank_min &&
         (!need.nonempty || elements > 0) && elements <= builder_.work_left() &&
         elements <= 6 * Aim() + 64;
}

ValueId Composer::FindLive(const Need& need, uint32_t newest_percent) {
  ValueId newest = kNoValue;
  const auto live = builder_.live();
  for (size_t i = live.size(); i-- > 0;) {
    const ValueId value = live[i];
    if (!Meets(value, need)) continue;
    if (newest == kNoValue) newest = value;
    // What nothing uses yet is preferred: it would be work for nothing.
    const uint32_t percent =
        builder_.StateOf(value).uses == 0 ? newest_percent : newest_percent / 3 + 5;
    if (choices_.Percent(percent)) return value;
  }
  return newest;
}

ValueId Composer::NewInput(const Type& type, ir::Domain domain) {
  if (type.quantized() && (type.NumElements() > kQuantizedInputMax ||
                           !ir::VerifyScheme(type.scheme(), type.shape).ok())) {
    return kNoValue;
  }
  ir::DataPtr data = DrawData(choices_, swarm_, type, domain);
  ir::Layout layout;
  if (!type.quantized() && choices_.Percent(swarm_.layout_percent)) {
    layout = choices_.OneIn(8) ? DrawBroadcastLayout(choices_, type, &data)
                               : DrawLayout(choices_, type.shape);
  }
  const ValueId value = builder_.Input(type, data, std::move(layout));
  IntBounds bounds;
  bounds.known = value != kNoValue && BoundsOfData(*data, type, &bounds.low, &bounds.high);
  if (bounds.known) builder_.SetBounds(value, bounds);
  return value;
}

ValueId Composer::NewInput(const Need& need) {
  const Dtype dtype = DrawDtype(need.dtypes);
  const bool quantized = dtype == Dtype::kQuantized;
  const int64_t aim = quantized ? std::min<int64_t>(Aim(), kQuantizedInputMax / 2) : Aim();
  Shape shape = DrawShape(choices_, swarm_, -1, aim);
  while (shape.rank() < need.rank_min) shape.PushBack(DrawExtent(choices_, swarm_, 4));
  if (need.nonempty) {
    for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] = std::max<int64_t>(1, shape[axis]);
  }
  if (!quantized) return NewInput(Type(dtype, shape), need.domain);
  // Through a quantize op half of the time: a pending producer, and data of any size.
  if (choices_.Percent(50)) {
    return Quantize(NewInput(Type(DrawDtype(ir::kFloatMask & ~ir::MaskOf(Dtype::kF64)), shape)));
  }
  return NewInput(Type(ir::ElementType(DrawScheme(choices_, shape)), shape));
}

ValueId Composer::Quantize(ValueId value) {
  if (value == kNoValue || builder_.TypeOf(value).dtype() == Dtype::kF64) return kNoValue;
  const Shape shape = builder_.TypeOf(value).shape;
  ir::Attributes attributes;
  if (choices_.OneIn(6)) {
    attributes.Set(ir::AttributeKey::kRange, static_cast<int64_t>(ir::Range::kAbsMean));
  }
  return Apply(Opcode::kQuantize, {&value, 1}, attributes,
               Type(ir::ElementType(DrawScheme(choices_, shape)), shape));
}

// With scales as a program gives them: around what the data would ask for, and now and then what
// no data would.
ValueId Composer::QuantizeWith(ValueId value) {
  if (value == kNoValue || builder_.TypeOf(value).dtype() == Dtype::kF64) return kNoValue;
  const Shape shape = builder_.TypeOf(value).shape;
  const ir::Scheme scheme = DrawScheme(choices_, shape);
  const Shape grid = ir::ScaleGrid(scheme, shape);
  const ValueId scales = Exactly(Type(Dtype::kF32, grid),
                                 choices_.OneIn(6) ? ir::Domain::kAny : ir::Domain::kPositive);
  std::array<ValueId, 3> operands = {value, scales, kNoValue};
  size_t count = 2;
  if (scheme.two_level) {
    operands[count++] = Exactly(Type(Dtype::kF32, Shape()), ir::Domain::kPositive);
  } else if (scheme.asymmetric()) {
    const Dtype zero = scheme.value == ir::QValue::kU8 ? Dtype::kU8 : Dtype::kI8;
    operands[count++] = Exactly(Type(zero, grid));
  }
  for (size_t i = 0; i < count; ++i) {
    if (operands[i] == kNoValue) return kNoValue;
  }
  return Apply(Opcode::kQuantizeWith, std::span<const ValueId>(operands).first(count), {},
               Type(ir::ElementType(scheme), shape));
}

ValueId Composer::Convert(ValueId value, ir::DtypeMask dtypes) {
  const Type type = builder_.TypeOf(value);
  if (type.quantized()) {
    if ((dtypes & ir::kFloatMask) == 0) return kNoValue;
    return Apply(Opcode::kDequantize, {&value, 1}, {},
                 Type(DrawDtype(dtypes & ir::kFloatMask), type.shape));
  }
  const ir::DtypeMask plain = dtypes & ir::kPlainMask;
  if (plain == 0) return ir::IsFloat(type.dtype()) ? Quantize(value) : kNoValue;
  const Dtype dtype = DrawDtype(plain);
  // A bool is a comparison more often than a cast.
  if (dtype == Dtype::kBool && ir::IsIn(type.dtype(), ir::kNumericMask) && choices_.Percent(75)) {
    return AddOperation(choices_.Percent(50) ? Opcode::kGreaterEqualScalar : Opcode::kLowerScalar,
                        value);
  }
  return Apply(Opcode::kCast, {&value, 1}, {}, Type(dtype, type.shape));
}

ValueId Composer::DrawOperand(const Need& need) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    ValueId value = kNoValue;
    switch (static_cast<Feed>(choices_.Weighted(swarm_.feeds))) {
      case Feed::kRecent:
        value = FindLive(need, 70);
        break;
      case Feed::kAny:
        value = FindLive(need, 15);
        break;
      case Feed::kInput:
        value = NewInput(need);
        break;
      case Feed::kView: {
        const ValueId base = FindLive(need, 40);
        if (base == kNoValue) break;
        value = AddView(base, need.rank_min > 0);
        if (value != kNoValue && !Meets(value, need)) value = base;
        break;
      }
      case Feed::kClone: {
        const ValueId base = FindLive(need, 40);
        if (base != kNoValue) value = builder_.Clone(base);
        break;
      }
      case Feed::kConverted: {
        Need any = need;
        any.dtypes = ir::kAnyMask;
        const ValueId base = FindLive(any, 60);
        if (base != kNoValue) value = Convert(base, need.dtypes);
        break;
      }
      case Feed::kCreated: {
        const ir::DtypeMask plain = need.dtypes & ir::kPlainMask;
        if (plain == 0 || need.rank_min > 0) break;
        const Type type(DrawDtype(plain), DrawShape(choices_, swarm_, -1, Aim()));
        if (need.nonempty && type.NumElements() == 0) break;
        value = Creation(ir::InfoOf(choices_.Pick({Opcode::kFull, Opcode::kZeros, Opcode::kOnes})));
        if (value != kNoValue && !Meets(value, need)) value = kNoValue;
        break;
      }
    }
    if (value != kNoValue) return value;
  }
  return NewInput(need);
}

ValueId Composer::First(const ir::OpInfo& info, ValueId first, int rank_min) {
  if (first != kNoValue) {
    const bool fits = ir::IsIn(builder_.TypeOf(first).dtype(), ir::OperandDtypes(info.op)) &&
                      builder_.TypeOf(first).shape.rank() >= rank_min;
    return fits ? first : kNoValue;
  }
  Need need;
  need.dtypes = ir::OperandDtypes(info.op);
  // Quantized operands are an extra of layout ops, not what they are mostly about, and less so of
  // ops that decode them.
  const uint32_t rare = ir::DecodesOperands(info.op) ? 48 : 16;
  if ((need.dtypes & ir::kPlainMask) != 0 && swarm_.dtypes.back() == 0 && !choices_.OneIn(rare)) {
    need.dtypes &= ir::kPlainMask;
  }
  if (info.dtype_rule == ir::DtypeRule::kQuantize) {
    need.dtypes &= static_cast<ir::DtypeMask>(~ir::MaskOf(Dtype::kF64));
  }
  need.rank_min = rank_min;
  need.nonempty = info.domain == ir::Domain::kNonEmpty;
  need.domain = info.domain;
  return DrawOperand(need);
}

Shape Composer::PartnerShape(const Shape& shape) {
  Shape partner = shape;
  if (choices_.Percent(60)) return partner;
  if (choices_.Percent(20) && shape.rank() < ir::kRankMax && shape.NumElements() * 2 <= 2 * Aim()) {
    // The first operand is the one that is broadcast.
    partner.Insert(0, choices_.Between(1, 3));
    return partner;
  }
  for (int axis = 0; axis < partner.rank(); ++axis) {
    if (choices_.Percent(30)) partner[axis] = 1;
  }
  while (partner.rank() > 0 && choices_.Percent(25)) partner.Erase(0);
  return partner;
}

ValueId Composer::PartnerOfSame(ValueId other) {
  // The tensor itself, a view of it, or a reduction of it: fan-out where fusion has to think. Or a
  // tensor that is nearly the same.
  switch (choices_.Below(5)) {
    case 0:
      return other;
    case 1: {
      ir::Attributes attributes;
      const Shape shape = builder_.TypeOf(other).shape;
      if (!DrawViewAttributes(choices_, ir::InfoOf(Opcode::kFlip), shape, attributes)) return other;
      return Apply(Opcode::kFlip, {&other, 1}, attributes);
    }
    case 2: {
      const ValueId view = AddView(other, /*keep_rank=*/true);
      if (view == kNoValue) return other;
      const Shape& a = builder_.TypeOf(view).shape;
      const Shape& b = builder_.TypeOf(other).shape;
      return ir::BroadcastShapes(a, b).has_value() ? view : other;
    }
    case 3: {
      const ValueId twin = Twin(other);
      return twin == kNoValue ? other : twin;
    }
    default: {
      if (builder_.TypeOf(other).shape.rank() == 0) return other;
      if (!ir::IsIn(builder_.TypeOf(other).dtype(), ir::kNumericMask)) return other;
      constexpr Opcode kReductions[] = {Opcode::kSumDim, Opcode::kMaxDim, Opcode::kMeanDim,
                                        Opcode::kMinDim};
      const ValueId reduced = AddOperation(choices_.Pick(kReductions), other);
      return reduced == kNoValue ? other : reduced;
    }
  }
}

ValueId Composer::Twin(ValueId input) {
  for (const ir::Statement& statement : builder_.program().statements) {
    if (statement.kind != ir::StatementKind::kInput || statement.results[0] != input) continue;
    const Type type = builder_.TypeOf(input);
    const ir::DataPtr data = NeighbourData(choices_, *statement.data, type);
    return data == nullptr ? kNoValue : builder_.Input(type, data);
  }
  return kNoValue;
}

ValueId Composer::Partner(ValueId other, ir::Domain domain) {
  if (choices_.Percent(swarm_.same_percent)) return PartnerOfSame(other);
  const Type type = builder_.TypeOf(other);
  if (choices_.Percent(55)) {
    // A live value that broadcasts with it.
    const auto live = builder_.live();
    ValueId found = kNoValue;
    for (size_t i = live.size(); i-- > 0;) {
      if (live[i] == other || builder_.TypeOf(live[i]).element != type.element) continue;
      const auto shape = ir::BroadcastShapes(type.shape, builder_.TypeOf(live[i]).shape);
      if (!shape.has_value() || shape->NumElements() > std::max(AimMax(), type.NumElements()))
        continue;
      found = live[i];
      if (choices_.Percent(45)) break;
    }
    if (found != kNoValue) return found;
  }
  const Shape shape = PartnerShape(type.shape);
  if (!type.quantized()) return Exactly(Type(type.element, shape), domain);
  // Decoded operands need not have the scheme of the other, nor any.
  if (choices_.Percent(50)) {
    const Dtype dtype = choices_.Pick({Dtype::kF32, Dtype::kF32, Dtype::kF16, Dtype::kBf16});
    return Exactly(Type(dtype, shape), domain);
  }
  return Exactly(Type(ir::ElementType(DrawScheme(choices_, shape)), shape), domain);
}

ValueId Composer::Exactly(const Type& type, ir::Domain domain) {
  if (type.quantized() && type.NumElements() > kQuantizedInputMax) {
    const ValueId input = NewInput(Type(Dtype::kF32, type.shape));
    return input == kNoValue ? kNoValue : Apply(Opcode::kQuantize, {&input, 1}, {}, type);
  }
  if (!type.quantized()) {
    if (choices_.OneIn(8)) {
      // A value of another dtype, cast; or one of as many elements, reshaped.
      for (size_t i = 0; i < builder_.live().size(); ++i) {
        const ValueId value = builder_.live()[i];
        const Type have = builder_.TypeOf(value);
        if (have.quantized()) continue;
        if (have.shape == type.shape && have.dtype() != type.dtype()) {
          const ValueId cast = Apply(Opcode::kCast, {&value, 1}, {}, type);
          if (cast != kNoValue) return cast;
        }
        if (have.dtype() == type.dtype() && have.NumElements() == type.NumElements() &&
            have.shape != type.shape) {
          const ValueId reshaped = Apply(Opcode::kReshape, {&value, 1}, {}, type);
          if (reshaped != kNoValue) return reshaped;
        }
      }
    }
    if (choices_.OneIn(14)) {
      const ir::OpInfo& info = ir::InfoOf(choices_.Pick({Opcode::kFull, Opcode::kOnes}));
      const auto scalars = DrawScalars(info, type.dtype());
      const ValueId created = builder_.Apply(info.op, {}, scalars, {}, {&type, 1});
      if (created != kNoValue) return created;
    }
  }
  return NewInput(type, domain);
}

ValueId Composer::Mask(ValueId other) {
  const Type type = builder_.TypeOf(other);
  if (choices_.Percent(40)) {
    const auto live = builder_.live();
    for (size_t i = live.size(); i-- > 0;) {
      const Type& have = builder_.TypeOf(live[i]);
      if (have.dtype() != Dtype::kBool) continue;
      const auto shape = ir::BroadcastShapes(type.shape, have.shape);
      if (shape.has_value() && shape->NumElements() <= std::max(AimMax(), type.NumElements()))
        return live[i];
    }
  }
  if (ir::IsIn(type.dtype(), ir::kNumericMask | ir::kQuantizedMask) && choices_.Percent(55)) {
    return AddOperation(choices_.Percent(50) ? Opcode::kGreaterEqualScalar : Opcode::kLower, other);
  }
  return NewInput(Type(Dtype::kBool, PartnerShape(type.shape)));
}

ValueId Composer::Exponent(ValueId other) {
  const Type type = builder_.TypeOf(other);
  if (choices_.Percent(30)) {
    const auto live = builder_.live();
    for (size_t i = live.size(); i-- > 0;) {
      const Type& have = builder_.TypeOf(live[i]);
      if (!ir::IsIndex(have.dtype())) continue;
      const auto shape = ir::BroadcastShapes(type.shape, have.shape);
      if (shape.has_value() && shape->NumElements() <= std::max(AimMax(), type.NumElements()))
        return live[i];
    }
  }
  const Type wanted(choices_.Percent(50) ? Dtype::kI64 : Dtype::kI32, PartnerShape(type.shape));
  ir::Layout layout;
  if (choices_.Percent(swarm_.layout_percent)) layout = DrawLayout(choices_, wanted.shape);
  return builder_.Input(wanted, DrawExponents(choices_, wanted), std::move(layout));
}

ValueId Composer::NewIndex(const Shape& shape, int64_t extent) {
  const Dtype dtype = choices_.Percent(50) ? Dtype::kI64 : Dtype::kI32;
  const Type type(dtype, shape);
  if (extent <= 0 && type.NumElements() > 0) return kNoValue;
  auto data = std::make_shared<ir::DataSpec>(
      *DrawIndices(choices_, type, 0, std::max<int64_t>(0, extent - 1)));
  if (swarm_.index_errors && type.NumElements() > 0 && choices_.Percent(40)) {
    const int64_t index = choices_.Below(static_cast<uint32_t>(type.NumElements()));
    const int64_t bad = choices_.Pick(
        {extent, extent + 1, int64_t{-1}, extent + 1000, int64_t{INT32_MAX}, -extent});
    const uint64_t bits = ir::FromInt(dtype, bad);
    if (data->form == ir::DataForm::kList) {
      data->elements[static_cast<size_t>(index)] = bits;
    } else {
      SetOverride(*data, index, bits);
    }
  }
  ir::Layout layout;
  if (choices_.Percent(swarm_.layout_percent)) layout = DrawLayout(choices_, shape);
  const ValueId value = builder_.Input(type, data, std::move(layout));
  IntBounds bounds;
  bounds.known = value != kNoValue && BoundsOfData(*data, type, &bounds.low, &bounds.high);
  if (bounds.known) builder_.SetBounds(value, bounds);
  return value;
}

ValueId Composer::Index(const Shape& shape, int64_t extent) {
  if (choices_.Percent(45)) {
    // A computed index (argmax, sorted or gathered indices) that is known to be within.
    const auto live = builder_.live();
    for (size_t i = live.size(); i-- > 0;) {
      const Type& have = builder_.TypeOf(live[i]);
      const IntBounds& bounds = builder_.StateOf(live[i]).bounds;
      if (have.shape == shape && ir::IsIndex(have.dtype()) && bounds.known && bounds.low >= 0 &&
          bounds.high < extent) {
        return live[i];
      }
    }
  }
  return NewIndex(shape, extent);
}

}  // namespace faultline::harness
