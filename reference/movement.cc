// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/movement.h"

#include <algorithm>
#include <numeric>

#include "ir/infer.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

template <class A>
bool MovesCodes(const Call<A>& call) {
  std::vector<ir::Type> types;
  for (const typename A::Tensor* operand : call.operands) types.push_back(TypeOf(*operand));
  return ir::MovesCodes(call.op, call.attributes, types, TypeOf(call.result()));
}

// For each block of the result, its first element (the only one if per tensor; -1 if empty).
std::vector<int64_t> FirstOfEachBlock(const ir::Type& type) {
  const std::vector<int64_t> scale_of = ScaleIndices(type.scheme(), type.shape);
  std::vector<int64_t> first(At(ScaleCount(type.scheme(), type.shape)), -1);
  for (int64_t i = static_cast<int64_t>(scale_of.size()) - 1; i >= 0; --i) {
    first[At(scale_of[At(i)])] = i;
  }
  return first;
}

// The operand whose scale an empty per-tensor result keeps: the first that has elements, if any.
template <class A>
size_t OperandOfEmpty(const Call<A>& call) {
  if (call.op != ir::Opcode::kCat) return 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    if (TypeOf(call.operand(k)).NumElements() > 0) return k;
  }
  return 0;
}

size_t Which(const Movement& movement, int64_t i) {
  return movement.which.empty() ? 0 : At(movement.which[At(i)]);
}

void MoveCells(const Movement& movement, const std::vector<const Points*>& from, Points& to) {
  for (int64_t i = 0; i < static_cast<int64_t>(movement.at.size()); ++i) {
    to.cells[At(i)] = from[Which(movement, i)]->cells[At(movement.at[At(i)])];
  }
}

// Unites the choices of every element whose source is not certain.
Enclosure MoveSets(const Movement& movement, const std::vector<const Enclosure*>& from,
                   const ir::Type& type) {
  Enclosure moved = Enclosure::Move(type, from, movement.which, movement.at);
  if (movement.choices.empty()) return moved;
  std::vector<int64_t> all(At(from[0]->size()));
  std::iota(all.begin(), all.end(), 0);
  const auto floats = [&](const std::vector<int64_t>& choices) {
    FloatSet set = from[0]->FloatAt(choices[0]);
    for (const int64_t at : choices) set.Unite(from[0]->FloatAt(at));
    return set;
  };
  const auto ints = [&](const std::vector<int64_t>& choices) {
    IntSet set = from[0]->IntAt(choices[0]);
    for (const int64_t at : choices) set.Unite(moved.dtype(), from[0]->IntAt(at));
    return set;
  };
  const bool any =
      std::ranges::any_of(movement.choices, [](const auto& entry) { return entry.second.empty(); });
  const FloatSet any_float = any && moved.is_float() ? floats(all) : FloatSet();
  const IntSet any_int = any && !moved.is_float() ? ints(all) : IntSet();
  for (const auto& [i, choices] : movement.choices) {
    if (moved.is_float()) moved.Put(i, choices.empty() ? any_float : floats(choices));
    if (!moved.is_float()) moved.Put(i, choices.empty() ? any_int : ints(choices));
  }
  return moved;
}

// The scale of a block of the result is that of the block its first element comes from.
template <class A, class F>
void ForEachScale(const Call<A>& call, const Movement& movement, const F& f) {
  const std::vector<int64_t> first = FirstOfEachBlock(TypeOf(call.result()));
  std::vector<std::vector<int64_t>> scale_of;
  for (const typename A::Tensor* operand : call.operands) {
    const ir::Type& type = TypeOf(*operand);
    scale_of.push_back(type.quantized() ? ScaleIndices(type.scheme(), type.shape)
                                        : std::vector<int64_t>());
  }
  for (const int64_t i : first) {
    if (i < 0) {
      f(OperandOfEmpty(call), std::vector<int64_t>{0});
      continue;
    }
    const size_t operand = Which(movement, i);
    std::vector<int64_t> scales = {scale_of[operand][At(movement.at[At(i)])]};
    if (const auto it = movement.choices.find(i); it != movement.choices.end()) {
      for (const int64_t at : it->second) scales.push_back(scale_of[operand][At(at)]);
      if (it->second.empty()) scales = scale_of[operand];
    }
    f(operand, scales);
  }
}

Points ToFill(const ir::Type& type) {
  Points points;
  points.type = type;
  points.cells.resize(At(type.NumElements()));
  return points;
}

// Pointers to operands, the quantized ones decoded to f32 in `storage`. An index stays away: it is
// no source of elements.
std::vector<const Points*> Dequantized(const Call<Exact>& call, std::vector<Points>& storage) {
  for (const Points* operand : call.operands) {
    if (operand->type.quantized()) storage.push_back(Decoded(*operand, ir::Dtype::kF32));
  }
  std::vector<const Points*> pointers;
  for (const Points& values : storage) pointers.push_back(&values);
  return pointers;
}

std::vector<const Enclosure*> Dequantized(const Call<Sets>& call, std::vector<Enclosure>& storage) {
  for (const Enclosure* operand : call.operands) {
    if (!operand->type().quantized()) continue;
    storage.push_back(Enclosure::ToFill({ir::Dtype::kF32, operand->type().shape}));
    Dequantize(call.contract(), *operand, false, storage.back());
  }
  std::vector<const Enclosure*> pointers;
  for (const Enclosure& values : storage) pointers.push_back(&values);
  return pointers;
}

// One set a block, from where ForEachScale says, of an enclosure that every operand has a part of;
// null if one has not.
template <class Find>
std::shared_ptr<const Enclosure> MoveScales(const Call<Sets>& call, const Movement& movement,
                                            const Find& find) {
  for (const Enclosure* operand : call.operands) {
    if (operand->type().quantized() && find(*operand) == nullptr) return nullptr;
  }
  Enclosure moved = Enclosure::ToFill(ScalesType(call.result().type()));
  int64_t block = 0;
  ForEachScale(call, movement, [&](size_t operand, const std::vector<int64_t>& scales) {
    const Enclosure& from = *find(call.operand(operand));
    FloatSet set = from.FloatAt(scales[0]);
    for (const int64_t scale : scales) set.Unite(from.FloatAt(scale));
    moved.Put(block++, set);
  });
  return FinishScales(std::move(moved));
}

// The sets of scales move with the codes, and with them what they follow from, so that codes are
// still judged by the scales observed.
QuantizedSets MoveQuantizedSets(const Call<Sets>& call, const Movement& movement) {
  const ir::Type& type = call.result().type();
  std::vector<QuantizedSets> sets;
  std::vector<const Enclosure*> sources;
  bool known = true;
  for (const Enclosure* operand : call.operands) {
    const bool quantized = operand->type().quantized();
    sets.push_back(quantized ? QuantizedSetsOf(*operand) : QuantizedSets());
    sources.push_back(sets.back().source.get());
    known = known && (!quantized || operand->size() == 0 || sources.back() != nullptr);
  }
  const auto of = [&](const Enclosure& operand) -> const QuantizedSets& {
    const auto it = std::ranges::find(call.operands, &operand);
    return sets[static_cast<size_t>(it - call.operands.begin())];
  };
  QuantizedSets moved;
  moved.tensor_scale = sets[OperandOfEmpty(call)].tensor_scale;
  moved.scales =
      MoveScales(call, movement, [&](const Enclosure& from) { return of(from).scales.get(); });
  if (type.scheme().two_level) {
    moved.unrounded =
        MoveScales(call, movement, [&](const Enclosure& from) { return of(from).unrounded.get(); });
  }
  if (type.scheme().asymmetric()) {
    moved.least =
        MoveScales(call, movement, [&](const Enclosure& from) { return of(from).least.get(); });
    ForEachScale(call, movement, [&](size_t operand, const std::vector<int64_t>& scales) {
      IntSet set = sets[operand].zeros[At(scales[0])];
      for (const int64_t scale : scales) {
        set.Unite(ir::Dtype::kI32, sets[operand].zeros[At(scale)]);
      }
      moved.zeros.push_back(set);
    });
  }
  const Enclosure* first = sources[OperandOfEmpty(call)];
  if (known && first != nullptr) {
    moved.source = std::make_shared<const Enclosure>(
        MoveSets(movement, sources, {first->dtype(), type.shape}));
  }
  return moved;
}

}  // namespace

void Move(const Call<Exact>& call, const Movement& movement) {
  Points& result = call.result();
  const std::vector<const Points*> operands(call.operands.begin(), call.operands.end());
  if (!result.type.quantized() || MovesCodes(call)) {
    MoveCells(movement, operands, result);
    if (!result.type.quantized()) return;
    result.scales.clear();
    result.zeros.clear();
    ForEachScale(call, movement, [&](size_t operand, const std::vector<int64_t>& scales) {
      result.scales.push_back(operands[operand]->scales[At(scales[0])]);
      if (!result.type.scheme().asymmetric()) return;
      result.zeros.push_back(operands[operand]->zeros[At(scales[0])]);
    });
    result.tensor_scale = operands[OperandOfEmpty(call)]->tensor_scale;
    return;
  }
  std::vector<Points> storage;
  Points moved = ToFill({ir::Dtype::kF32, result.type.shape});
  MoveCells(movement, Dequantized(call, storage), moved);
  Quantize(moved, ir::Range::kMinMax, result);
}

void Move(const Call<Sets>& call, const Movement& movement) {
  const ir::Type type = call.result().type();
  const std::vector<const Enclosure*> operands(call.operands.begin(), call.operands.end());
  if (!type.quantized()) {
    call.result() = MoveSets(movement, operands, type);
    return;
  }
  if (!MovesCodes(call)) {
    std::vector<Enclosure> storage;
    const Enclosure moved =
        MoveSets(movement, Dequantized(call, storage), {ir::Dtype::kF32, type.shape});
    Quantize(call.contract(), moved, ir::Range::kMinMax, call.result());
    return;
  }
  call.result() = MoveSets(movement, operands, type);
  call.result().SetQuantized(MoveQuantizedSets(call, movement));
}

}  // namespace faultline::reference
