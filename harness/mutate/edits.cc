// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/edits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "harness/generate/input_data.h"
#include "harness/generate/swarm.h"
#include "harness/generate/variation.h"

namespace faultline::harness {

using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::Type;
using ir::ValueId;

namespace {

// A position to put something before; the end included.
size_t DrawPosition(const Edits& edits, ChoiceStream& choices) {
  return choices.Below(static_cast<uint32_t>(edits.draft.statements.size()) + 1);
}

template <typename Accepts>
Statement* PickStatement(Edits& edits, ChoiceStream& choices, Accepts accepts) {
  auto& statements = edits.draft.statements;
  uint32_t seen = 0;
  Statement* picked = nullptr;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (edits.removed[i] || !accepts(statements[i])) continue;
    if (choices.Below(++seen) == 0) picked = &statements[i];
  }
  return picked;
}

bool IsApply(const Statement& s) { return s.kind == StatementKind::kApply; }
bool IsInput(const Statement& s) { return s.kind == StatementKind::kInput; }
bool IsRead(const Statement& s) { return s.kind == StatementKind::kRead; }

size_t IndexOf(const Edits& edits, const Statement* statement) {
  return static_cast<size_t>(statement - edits.draft.statements.data());
}

// A value that is defined before the position.
ValueId DrawValue(const Edits& edits, size_t position, ChoiceStream& choices) {
  uint32_t seen = 0;
  ValueId picked = ir::kNoValue;
  for (size_t i = 0; i < position; ++i) {
    for (const ValueId value : edits.draft.statements[i].results) {
      if (choices.Below(++seen) == 0) picked = value;
    }
  }
  return picked;
}

bool InsertOperations(Edits& edits, ChoiceStream& choices) {
  Action action;
  action.kind = ActionKind::kOperations;
  action.position = DrawPosition(edits, choices);
  action.count = choices.Percent(70) ? 1 : static_cast<int>(choices.Between(2, 4));
  edits.actions.push_back(action);
  return true;
}

bool Append(Edits& edits, ChoiceStream& choices) {
  Action action;
  action.kind = ActionKind::kOperations;
  action.position = edits.draft.statements.size();
  action.count = static_cast<int>(choices.Between(1, 4));
  edits.actions.push_back(action);
  action.kind = ActionKind::kFinish;
  edits.actions.push_back(action);
  return true;
}

bool Delete(Edits& edits, ChoiceStream& choices) {
  const uint32_t count = choices.Percent(70) ? 1 : 2 + choices.Below(3);
  bool changed = false;
  for (uint32_t i = 0; i < count; ++i) {
    const Statement* statement =
        PickStatement(edits, choices, [](const Statement&) { return true; });
    if (statement == nullptr) break;
    edits.removed[IndexOf(edits, statement)] = true;
    changed = true;
  }
  return changed;
}

bool ReplaceOp(Edits& edits, ChoiceStream& choices) {
  Statement* statement = PickStatement(edits, choices, IsApply);
  if (statement == nullptr) return false;
  const ir::OpInfo& old = ir::InfoOf(statement->op);
  // Another row of the same rules; with luck of the same shape rule alone.
  const bool close = choices.Percent(75);
  uint32_t seen = 0;
  ir::Opcode chosen = statement->op;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if (info.op == old.op || info.shape_rule != old.shape_rule) continue;
    if (!info.TakesOperands(static_cast<int>(statement->operands.size()))) continue;
    if (close && (info.dtype_rule != old.dtype_rule || info.scalars != old.scalars)) continue;
    if (choices.Below(++seen) == 0) chosen = info.op;
  }
  if (chosen == statement->op) return false;
  statement->op = chosen;
  return true;
}

bool Retype(Edits& edits, ChoiceStream& choices) {
  Program& draft = edits.draft;
  const size_t end = draft.statements.size();
  if (choices.Percent(60)) return VaryDtype(draft, 0, end, choices);
  Statement* input = PickStatement(edits, choices, IsInput);
  if (input == nullptr) return false;
  Type& type = draft.values[input->results[0]].type;
  if (type.quantized()) {
    type.element = ir::ElementType(DrawScheme(choices, type.shape));
    return true;  // codes that do not fit are drawn anew
  }
  const Type to(choices.Pick(std::span<const ir::Dtype>(ir::kPlainDtypes)), type.shape);
  if (to.dtype() == type.dtype()) return false;
  input->data = RetypeData(*input->data, type, to, choices);
  type = to;
  return true;
}

bool Reshape(Edits& edits, ChoiceStream& choices) {
  Program& draft = edits.draft;
  const size_t end = draft.statements.size();
  if (choices.Percent(55)) return VaryExtents(draft, 0, end, choices);
  if (choices.Percent(50)) return VaryOneExtent(draft, 0, end, choices);
  Statement* input = PickStatement(edits, choices, IsInput);
  if (input == nullptr) return false;
  ir::Shape& shape = draft.values[input->results[0]].type.shape;
  input->layout = {};
  if (shape.rank() > 0 && choices.Percent(50)) {
    const int axis = static_cast<int>(choices.Below(static_cast<uint32_t>(shape.rank())));
    shape.Erase(axis);
  } else if (shape.rank() < 6) {
    const int axis = static_cast<int>(choices.Below(static_cast<uint32_t>(shape.rank()) + 1));
    shape.Insert(axis, choices.Percent(70) ? 1 : 2);
  }
  return true;
}

bool ChangeScalar(Edits& edits, ChoiceStream& choices) {
  if (choices.OneIn(3)) {
    return VaryScalars(edits.draft, 0, edits.draft.statements.size(), choices);
  }
  Statement* statement =
      PickStatement(edits, choices, [](const Statement& s) { return !s.scalars.empty(); });
  if (statement == nullptr) return false;
  ir::Scalar& scalar =
      statement->scalars[choices.Below(static_cast<uint32_t>(statement->scalars.size()))];
  scalar = DrawScalar(choices, scalar.dtype, ir::Domain::kAny, 40);
  return true;
}

bool ChangeLayout(Edits& edits, ChoiceStream& choices) {
  Statement* input = PickStatement(edits, choices, [&](const Statement& s) {
    return IsInput(s) && !edits.draft.TypeOf(s.results[0]).quantized();
  });
  if (input == nullptr) return false;
  const Type& type = edits.draft.TypeOf(input->results[0]);
  if (!input->layout.contiguous() && choices.Percent(30)) {
    input->layout = {};
  } else if (choices.OneIn(6)) {
    input->layout = DrawBroadcastLayout(choices, type, &input->data);
  } else {
    input->layout = DrawLayout(choices, type.shape);
  }
  return true;
}

bool ChangeDatum(Edits& edits, ChoiceStream& choices) {
  if (choices.OneIn(3)) return VaryData(edits.draft, 0, edits.draft.statements.size(), choices);
  Statement* input = PickStatement(edits, choices, IsInput);
  if (input == nullptr) return false;
  Swarm swarm;
  swarm.regimes.fill(1);
  input->data = DrawData(choices, swarm, edits.draft.TypeOf(input->results[0]), ir::Domain::kAny);
  // Indices stay indices: what is out of range is replaced when it is used.
  return true;
}

bool PutSpecialValue(Edits& edits, ChoiceStream& choices) {
  Statement* input = PickStatement(edits, choices, [&](const Statement& s) {
    return IsInput(s) && !edits.draft.TypeOf(s.results[0]).quantized() &&
           edits.draft.TypeOf(s.results[0]).NumElements() > 0;
  });
  if (input == nullptr) return false;
  auto data = std::make_shared<ir::DataSpec>(*input->data);
  AddSpecialValues(choices, edits.draft.TypeOf(input->results[0]), *data);
  input->data = std::move(data);
  return true;
}

// An operand that may be left out is, or comes back as one of the others.
bool ToggleOptional(Statement& statement, ChoiceStream& choices) {
  const ir::OpInfo& info = ir::InfoOf(statement.op);
  const auto count = static_cast<int>(statement.operands.size());
  if (count > info.arity && choices.Percent(50)) {
    statement.operands.pop_back();
    return true;
  }
  if (!info.TakesOperands(count + 1)) return false;
  statement.operands.push_back(statement.operands.back());
  return true;
}

bool Rewire(Edits& edits, ChoiceStream& choices) {
  Statement* statement =
      PickStatement(edits, choices, [](const Statement& s) { return !s.operands.empty(); });
  if (statement == nullptr) return false;
  const bool optional =
      statement->kind == StatementKind::kApply && ir::InfoOf(statement->op).optional > 0;
  if (optional && choices.Percent(50) && ToggleOptional(*statement, choices)) return true;
  ValueId& operand =
      statement->operands[choices.Below(static_cast<uint32_t>(statement->operands.size()))];
  const ir::ElementType element = edits.draft.TypeOf(operand).element;
  const size_t position = IndexOf(edits, statement);
  for (int attempt = 0; attempt < 6; ++attempt) {
    const ValueId other = DrawValue(edits, position, choices);
    if (other == ir::kNoValue || other == operand) continue;
    if (attempt < 5 && edits.draft.TypeOf(other).element != element) continue;
    operand = other;
    return true;
  }
  return false;
}

bool ChangeLifetime(Edits& edits, ChoiceStream& choices) {
  auto& statements = edits.draft.statements;
  Action action;
  action.position = DrawPosition(edits, choices);
  switch (choices.Below(6)) {
    case 0: {  // a drop goes
      const Statement* drop = PickStatement(
          edits, choices, [](const Statement& s) { return s.kind == StatementKind::kDrop; });
      if (drop == nullptr) return false;
      edits.removed[IndexOf(edits, drop)] = true;
      return true;
    }
    case 1: {  // a drop right after the last use, or anywhere
      action.kind = ActionKind::kDrop;
      action.value = DrawValue(edits, action.position, choices);
      if (action.value == ir::kNoValue) return false;
      size_t last = 0;
      for (size_t i = 0; i < statements.size(); ++i) {
        if (std::ranges::find(statements[i].operands, action.value) !=
            statements[i].operands.end()) {
          last = i + 1;
        }
      }
      if (choices.Percent(70) && last > 0) action.position = last;
      break;
    }
    case 2:
      action.kind = ActionKind::kClone;
      action.value = DrawValue(edits, action.position, choices);
      action.count = choices.Percent(50) ? 1 : 0;
      if (action.value == ir::kNoValue) return false;
      break;
    case 3:
      action.kind = ActionKind::kRead;
      break;
    case 4:
      action.kind = ActionKind::kSync;
      break;
    default: {  // a read moves
      Statement* read = PickStatement(edits, choices, IsRead);
      if (read == nullptr || statements.size() < 2) return false;
      const size_t from = IndexOf(edits, read);
      const size_t to = choices.Below(static_cast<uint32_t>(statements.size()));
      const bool removed = edits.removed[from];
      const Statement moved = *read;
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(from));
      edits.removed.erase(edits.removed.begin() + static_cast<std::ptrdiff_t>(from));
      statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(to), moved);
      edits.removed.insert(edits.removed.begin() + static_cast<std::ptrdiff_t>(to), removed);
      return true;
    }
  }
  edits.actions.push_back(action);
  return true;
}

bool ChangeStream(Edits& edits, ChoiceStream& choices) {
  Statement* stream = PickStatement(
      edits, choices, [](const Statement& s) { return s.kind == StatementKind::kStream; });
  if (stream != nullptr && choices.Percent(50)) {
    if (choices.Percent(40)) {
      edits.removed[IndexOf(edits, stream)] = true;
    } else {
      stream->stream = static_cast<int>(choices.Below(4));
    }
    return true;
  }
  Action action;
  action.kind = ActionKind::kStream;
  action.position = DrawPosition(edits, choices);
  action.count = static_cast<int>(choices.Below(4));
  edits.actions.push_back(action);
  return true;
}

bool DuplicateSegment(Edits& edits, ChoiceStream& choices) {
  const size_t size = edits.draft.statements.size();
  if (size == 0) return false;
  Action action;
  action.kind = ActionKind::kSegment;
  action.begin = choices.Below(static_cast<uint32_t>(size));
  const size_t longest = std::min<size_t>(24, size - action.begin);
  action.end = action.begin + 1 + choices.Below(static_cast<uint32_t>(longest));
  // The whole program again is the plainest reuse.
  if (choices.OneIn(4) && size <= 40) {
    action.begin = 0;
    action.end = size;
  }
  action.position = choices.Percent(60) ? action.end : size;
  action.segment = edits.segments.size();
  Program segment = edits.draft;
  constexpr bool (*kVariations[])(Program&, size_t, size_t, ChoiceStream&) = {
      VaryExtents, VaryScalars, VarySlices, VaryDtype, VaryAttribute, VaryData, VaryOneExtent};
  if (choices.Percent(80)) choices.Pick(kVariations)(segment, action.begin, action.end, choices);
  edits.segments.push_back(std::move(segment));
  edits.actions.push_back(action);
  return true;
}

bool Shrink(Edits& edits, ChoiceStream& choices) {
  const size_t size = edits.draft.statements.size();
  if (size == 0) return false;
  switch (choices.Below(5)) {
    case 4:
      return ShrinkExtents(edits.draft, 0, size, choices);
    case 0: {  // a tail goes
      const size_t begin = choices.Below(static_cast<uint32_t>(size));
      std::fill(edits.removed.begin() + static_cast<std::ptrdiff_t>(begin), edits.removed.end(),
                true);
      return true;
    }
    case 1: {  // a stretch goes
      const size_t begin = choices.Below(static_cast<uint32_t>(size));
      const size_t end = std::min(size, begin + 1 + choices.Below(8));
      for (size_t i = begin; i < end; ++i) edits.removed[i] = true;
      return true;
    }
    case 2: {  // a read is left with one value
      Statement* read = PickStatement(
          edits, choices, [](const Statement& s) { return IsRead(s) && s.operands.size() > 1; });
      if (read == nullptr) return false;
      read->operands = {
          read->operands[choices.Below(static_cast<uint32_t>(read->operands.size()))]};
      return true;
    }
    default: {  // an input gets simple data
      Statement* input = PickStatement(edits, choices, [&](const Statement& s) {
        return IsInput(s) && !edits.draft.TypeOf(s.results[0]).quantized();
      });
      if (input == nullptr) return false;
      auto data = std::make_shared<ir::DataSpec>();
      data->form = ir::DataForm::kConstant;
      data->elements.push_back(
          FiniteSpecialValues(edits.draft.TypeOf(input->results[0]).dtype())[choices.Below(2)]);
      input->data = std::move(data);
      input->layout = {};
      return true;
    }
  }
}

bool ChangeDecisions(Edits& edits, ChoiceStream& choices) {
  auto& decisions = edits.draft.header.decisions;
  if (!decisions.empty() && choices.Percent(60)) {
    const auto index = choices.Below(static_cast<uint32_t>(decisions.size()));
    if (choices.Percent(50)) {
      decisions[index].choice = 1 - std::min(1, decisions[index].choice);
    } else {
      decisions.erase(decisions.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return true;
  }
  // Entries that name nothing the planner asks are ignored by it.
  const Statement* apply = PickStatement(
      edits, choices, [](const Statement& s) { return IsApply(s) && !s.operands.empty(); });
  if (apply == nullptr || decisions.size() >= 16) return false;
  const auto name = [&](ValueId value) { return "%" + edits.draft.values[value].name; };
  const std::string producer =
      name(apply->operands[choices.Below(static_cast<uint32_t>(apply->operands.size()))]);
  const std::string consumer = name(apply->results[0]);
  const std::string names[] = {"fuse(" + producer + "," + consumer + ")",
                               "alias(" + producer + "," + consumer + ")",
                               "tier(" + consumer + ")"};
  const std::string& chosen = names[choices.Below(3)];
  if (std::ranges::any_of(decisions, [&](const auto& d) { return d.name == chosen; })) return false;
  decisions.push_back({chosen, static_cast<int>(choices.Below(2))});
  return true;
}

}  // namespace

Edits NewEdits(const Program& program) {
  Edits edits;
  edits.draft = program;
  edits.draft.header = {};
  edits.draft.header.decisions = program.header.decisions;
  edits.removed.assign(program.statements.size(), false);
  return edits;
}

bool AddEdit(Edits& edits, MutationKind kind, ChoiceStream& choices) {
  const size_t end = edits.draft.statements.size();
  switch (kind) {
    case MutationKind::kInsertOp:
      return InsertOperations(edits, choices);
    case MutationKind::kDeleteStatement:
      return Delete(edits, choices);
    case MutationKind::kReplaceOp:
      return ReplaceOp(edits, choices);
    case MutationKind::kRetype:
      return Retype(edits, choices);
    case MutationKind::kReshape:
      return Reshape(edits, choices);
    case MutationKind::kChangeAttribute:
      return choices.OneIn(3) ? VarySlices(edits.draft, 0, end, choices)
                              : VaryAttribute(edits.draft, 0, end, choices);
    case MutationKind::kChangeScalar:
      return ChangeScalar(edits, choices);
    case MutationKind::kChangeLayout:
      return ChangeLayout(edits, choices);
    case MutationKind::kChangeDatum:
      return ChangeDatum(edits, choices);
    case MutationKind::kSpecialValue:
      return PutSpecialValue(edits, choices);
    case MutationKind::kRewire:
      return Rewire(edits, choices);
    case MutationKind::kLifetime:
      return ChangeLifetime(edits, choices);
    case MutationKind::kStream:
      return ChangeStream(edits, choices);
    case MutationKind::kDuplicateSegment:
      return DuplicateSegment(edits, choices);
    case MutationKind::kShrink:
      return Shrink(edits, choices);
    case MutationKind::kDecisions:
      return ChangeDecisions(edits, choices);
    case MutationKind::kAppend:
      return Append(edits, choices);
  }
  return false;
}

}  // namespace faultline::harness
