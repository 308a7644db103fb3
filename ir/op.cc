// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/op.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace faultline::ir {
namespace {

struct AttributeList {
  std::array<AttributeKey, kAttributesPerOpMax> keys = {};
  int count = 0;
};

template <typename... Keys>
constexpr AttributeList Attrs(Keys... keys) {
  AttributeList list;
  ((list.keys[static_cast<size_t>(list.count++)] = keys), ...);
  return list;
}

constexpr OpInfo Row(Opcode op, std::string_view mnemonic, OpFamily family, OpForm form,
                     Arity arity, DtypeMask mask, DtypeRule dtype_rule, ShapeRule shape_rule,
                     ScalarRule scalars, AttributeList attributes, Domain domain,
                     AccuracyClass accuracy, Traits traits, std::string_view doc) {
  return {op,     mnemonic,   family,     form,    arity.required,  arity.optional,
          mask,   dtype_rule, shape_rule, scalars, attributes.keys, attributes.count,
          domain, accuracy,   traits,     doc};
}

// The attribute column is a parenthesised list of key names.
constexpr AttributeKey Axes = AttributeKey::kAxes;
constexpr AttributeKey Chunks = AttributeKey::kChunks;
constexpr AttributeKey Classes = AttributeKey::kClasses;
constexpr AttributeKey Ddof = AttributeKey::kDdof;
constexpr AttributeKey Diagonal = AttributeKey::kDiagonal;
constexpr AttributeKey Dim = AttributeKey::kDim;
constexpr AttributeKey DimOptional = AttributeKey::kDimOptional;
constexpr AttributeKey Dims = AttributeKey::kDims;
constexpr AttributeKey Descending = AttributeKey::kDescending;
constexpr AttributeKey Groups = AttributeKey::kGroups;
constexpr AttributeKey Length = AttributeKey::kLength;
constexpr AttributeKey Offset = AttributeKey::kOffset;
constexpr AttributeKey Order = AttributeKey::kOrder;
constexpr AttributeKey K = AttributeKey::kK;
constexpr AttributeKey Range = AttributeKey::kRange;
constexpr AttributeKey Seed = AttributeKey::kSeed;
constexpr AttributeKey Shift = AttributeKey::kShift;
constexpr AttributeKey Slices = AttributeKey::kSlices;
constexpr AttributeKey Start = AttributeKey::kStart;
constexpr AttributeKey Step = AttributeKey::kStep;
constexpr AttributeKey Times = AttributeKey::kTimes;
constexpr AttributeKey Update = AttributeKey::kUpdate;

constexpr Arity Between(int least, int most) { return Arity::Between(least, most); }

constexpr OpInfo kOpTable[] = {
#define FAULTLINE_OP(enumerator, mnemonic, family, form, arity, mask, dtype_rule, shape_rule, \
                     scalars, attributes, domain, accuracy, traits, doc)                      \
  Row(Opcode::k##enumerator, mnemonic, OpFamily::k##family, OpForm::k##form, arity, mask,     \
      DtypeRule::k##dtype_rule, ShapeRule::k##shape_rule, ScalarRule::k##scalars,             \
      Attrs attributes, Domain::k##domain, AccuracyClass::k##accuracy, traits, doc),
#include "ir/op_table.def"
#undef FAULTLINE_OP
};

}  // namespace

int OpInfo::scalar_count() const {
  switch (scalars) {
    case ScalarRule::kNone:
      return 0;
    case ScalarRule::kTyped:
    case ScalarRule::kInt:
    case ScalarRule::kPositive:
    case ScalarRule::kProbability:
      return 1;
    case ScalarRule::kTypedTyped:
      return 2;
  }
  return 0;
}

int OpInfo::result_count() const {
  if (dtype_rule == DtypeRule::kSameParts) return kVariadic;
  return dtype_rule == DtypeRule::kSameIndex ? 2 : 1;
}

Dtype OpInfo::ScalarDtype(Dtype typed) const {
  if (scalars == ScalarRule::kProbability) return Dtype::kF32;
  return scalars == ScalarRule::kInt ? Dtype::kI64 : typed;
}

bool OpInfo::Takes(AttributeKey key) const {
  return std::ranges::find(attributes(), key) != attributes().end();
}

const OpInfo& InfoOf(Opcode op) { return kOpTable[static_cast<size_t>(op)]; }

std::span<const OpInfo> AllOps() { return kOpTable; }

std::optional<Opcode> FindOpcode(std::string_view mnemonic) {
  static const auto* const kByName = [] {
    auto* map = new std::unordered_map<std::string_view, Opcode>;
    for (const OpInfo& info : kOpTable) map->emplace(info.mnemonic, info.op);
    return map;
  }();
  const auto it = kByName->find(mnemonic);
  if (it == kByName->end()) return std::nullopt;
  return it->second;
}

std::vector<Dtype> DtypesOf(Opcode op) {
  std::vector<Dtype> dtypes;
  for (int i = 0; i <= kPlainDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (IsIn(dtype, OperandDtypes(op))) dtypes.push_back(dtype);
  }
  return dtypes;
}

bool DecodesOperands(Opcode op) {
  const OpInfo& info = InfoOf(op);
  switch (info.dtype_rule) {
    case DtypeRule::kSame:
    case DtypeRule::kSameParts:
    case DtypeRule::kCompare:
    case DtypeRule::kIndexed:
    case DtypeRule::kMasked:
    case DtypeRule::kExponent:
    case DtypeRule::kIndex:
    case DtypeRule::kSameIndex:
      return IsIn(Dtype::kF32, info.operand_dtypes) &&
             !IsIn(Dtype::kQuantized, info.operand_dtypes) &&
             info.shape_rule != ShapeRule::kMatmul;
    case DtypeRule::kCast:
    case DtypeRule::kDeclared:
    case DtypeRule::kQuantize:
    case DtypeRule::kQuantizeWith:
    case DtypeRule::kDequantize:
    case DtypeRule::kQMatmul:
      return false;
  }
  return false;
}

std::string_view FamilyName(OpFamily family) {
  constexpr std::string_view kNames[] = {"base", "numeric",    "float", "int",
                                         "bool", "activation", "module"};
  return kNames[static_cast<size_t>(family)];
}

}  // namespace faultline::ir
