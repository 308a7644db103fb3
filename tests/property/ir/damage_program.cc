// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/property/ir/damage_program.h"

#include <array>
#include <limits>
#include <memory>

namespace faultline::ir {
namespace {

int64_t AnyInt(Dice& dice) {
  constexpr std::array<int64_t, 10> kEdges = {0,
                                              1,
                                              -1,
                                              2,
                                              8,
                                              63,
                                              4096,
                                              int64_t{1} << 22,
                                              std::numeric_limits<int64_t>::max(),
                                              std::numeric_limits<int64_t>::min()};
  return dice.OneIn(4) ? static_cast<int64_t>(dice.Bits()) : dice.Pick(kEdges);
}

template <typename Enum>
Enum AnyEnum(Dice& dice, int count) {
  return static_cast<Enum>(dice.OneIn(8) ? dice.Below(256) : dice.Below(count));
}

void DamageScheme(Scheme& scheme, Dice& dice) {
  switch (dice.Below(6)) {
    case 0:
      scheme.value = AnyEnum<QValue>(dice, kQValueCount);
      break;
    case 1:
      scheme.store = AnyEnum<QStore>(dice, 3);
      break;
    case 2:
      scheme.packed_dim = static_cast<uint8_t>(AnyInt(dice));
      break;
    case 3:
      scheme.scale = AnyEnum<ScaleDtype>(dice, 5);
      break;
    case 4:
      scheme.block_rank = static_cast<uint8_t>(AnyInt(dice));
      break;
    default:
      dice.Pick(scheme.block) = static_cast<int32_t>(AnyInt(dice));
  }
}

void DamageType(Type& type, Dice& dice) {
  switch (dice.Below(4)) {
    case 0:
      type.element.dtype = AnyEnum<Dtype>(dice, kPlainDtypeCount + 1);
      break;
    case 1:
      if (type.shape.rank() < kRankMax) type.shape.PushBack(AnyInt(dice));
      break;
    case 2:
      if (type.shape.rank() > 0) type.shape[dice.Below(type.shape.rank())] = AnyInt(dice);
      break;
    default:
      DamageScheme(type.element.scheme, dice);
  }
}

void DamageData(DataSpec& data, Dice& dice) {
  switch (dice.Below(10)) {
    case 0:
      data.form = AnyEnum<DataForm>(dice, 9);
      break;
    case 1:
      data.elements.push_back(dice.Bits());
      break;
    case 2:
      data.parameters[static_cast<size_t>(dice.Below(2))] = static_cast<double>(AnyInt(dice));
      break;
    case 3:
      data.parameters[0] = std::numeric_limits<double>::quiet_NaN();
      break;
    case 4:
      data.overrides.emplace_back(AnyInt(dice), dice.Bits());
      break;
    case 5:
      data.codes.push_back(static_cast<int32_t>(AnyInt(dice)));
      break;
    case 6:
      data.scales.push_back(static_cast<uint32_t>(AnyInt(dice)));
      break;
    case 7:
      data.wildcards.resize(static_cast<size_t>(dice.Below(5)), dice.OneIn(2));
      break;
    case 8:
      data.seed = dice.Bits();
      break;
    default:
      if (!data.elements.empty()) dice.Pick(data.elements) = dice.Bits();
  }
}

void DamageIds(std::vector<ValueId>& ids, Dice& dice) {
  if (ids.empty() || dice.OneIn(3)) {
    ids.push_back(static_cast<ValueId>(dice.Below(12)));
  } else if (dice.OneIn(3)) {
    ids.pop_back();
  } else {
    dice.Pick(ids) =
        dice.OneIn(4) ? static_cast<ValueId>(dice.Bits()) : static_cast<ValueId>(dice.Below(12));
  }
}

void DamageAttributes(Attributes& attributes, Dice& dice) {
  const auto key =
      static_cast<AttributeKey>(dice.Below(kAttributeKeyCount));
  if (dice.OneIn(3)) {
    attributes.Clear(key);
    return;
  }
  std::vector<int64_t> values(attributes.List(key).begin(), attributes.List(key).end());
  if (values.empty() || dice.OneIn(3)) {
    values.push_back(AnyInt(dice));
  } else {
    dice.Pick(values) = AnyInt(dice);
  }
  attributes.Set(key, std::move(values));
}

void DamageStatement(Statement& statement, Dice& dice) {
  switch (dice.Below(10)) {
    case 0:
      statement.kind = AnyEnum<StatementKind>(dice, 9);
      break;
    case 1:
      statement.op = AnyEnum<Opcode>(dice, kOpcodeCount);
      break;
    case 2:
      DamageIds(statement.operands, dice);
      break;
    case 3:
      DamageIds(statement.results, dice);
      break;
    case 4:
      statement.scalars.push_back({AnyEnum<Dtype>(dice, kPlainDtypeCount + 1), dice.Bits()});
      break;
    case 5:
      DamageAttributes(statement.attributes, dice);
      break;
    case 6: {
      auto data = std::make_shared<DataSpec>();
      if (statement.data != nullptr) *data = *statement.data;
      DamageData(*data, dice);
      statement.data = dice.OneIn(8) ? nullptr : std::move(data);
      break;
    }
    case 7:
      if (dice.OneIn(2)) {
        statement.layout.strides.push_back(AnyInt(dice));
      } else {
        (dice.OneIn(2) ? statement.layout.offset : statement.layout.storage) = AnyInt(dice);
      }
      break;
    case 8:
      statement.stream = static_cast<int>(AnyInt(dice));
      break;
    default:
      statement.code = AnyEnum<StatusCode>(dice, 10);
  }
}

void DamageHeader(Program& program, Dice& dice) {
  const auto character = static_cast<char>(dice.Below(256));
  if (dice.OneIn(2)) {
    program.header.why += character;
  } else {
    program.header.decisions.push_back({std::string("d") + character, 1});
  }
}

}  // namespace

void DamageProgram(Program& program, Dice& dice) {
  const int what = dice.Below(12);
  if (what == 0) {
    DamageHeader(program, dice);
  } else if (what == 1 && !program.values.empty()) {
    dice.Pick(program.values).name += static_cast<char>(dice.Below(256));
  } else if (what <= 3 && !program.values.empty()) {
    DamageType(dice.Pick(program.values).type, dice);
  } else if (what == 4 && !program.statements.empty()) {
    program.statements.push_back(dice.Pick(program.statements));
  } else if (what == 5 && !program.statements.empty()) {
    std::swap(dice.Pick(program.statements), dice.Pick(program.statements));
  } else if (what == 6 && !program.statements.empty()) {
    program.statements.erase(program.statements.begin() +
                             dice.Below(static_cast<int>(program.statements.size())));
  } else if (!program.statements.empty()) {
    DamageStatement(dice.Pick(program.statements), dice);
  }
}

}  // namespace faultline::ir
