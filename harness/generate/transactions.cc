// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Transactions of every mix: quantized only, first, last, in between; none to many; with
// duplicates; of views on and off block boundaries; of the same tensor as floats and quantized;
// while producers are pending on this or another stream; around the drop of another clone.

#include <algorithm>
#include <vector>

#include "harness/generate/scripts.h"

namespace faultline::harness {

using ir::kNoValue;
using ir::ValueId;

namespace {

enum class Mix : uint8_t { kQuantizedOnly, kQuantizedFirst, kQuantizedLast, kInterleaved, kAny };
constexpr Mix kMixes[] = {Mix::kQuantizedOnly, Mix::kQuantizedFirst, Mix::kQuantizedLast,
                          Mix::kInterleaved, Mix::kAny};
constexpr int kSizes[] = {0, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 17, 33, 64};

struct Kinds {
  std::vector<ValueId> quantized;
  std::vector<ValueId> plain;
};

Kinds KindsOf(const Builder& builder) {
  Kinds kinds;
  for (const ValueId value : builder.live()) {
    (builder.TypeOf(value).quantized() ? kinds.quantized : kinds.plain).push_back(value);
  }
  return kinds;
}

std::vector<ValueId> DrawMix(ChoiceStream& choices, const Kinds& kinds) {
  const Mix mix = choices.Pick(kMixes);
  const int size = choices.Pick(kSizes);
  const auto pick = [&](const std::vector<ValueId>& from) {
    return from[choices.Below(static_cast<uint32_t>(from.size()))];
  };
  std::vector<ValueId> quantized;
  std::vector<ValueId> plain;
  std::vector<ValueId> values;
  for (int i = 0; i < size; ++i) {
    bool of_quantized = mix == Mix::kQuantizedOnly || choices.Percent(50);
    if (mix == Mix::kInterleaved) of_quantized = i % 2 == 0;
    if (of_quantized ? kinds.quantized.empty() : kinds.plain.empty()) of_quantized = !of_quantized;
    const auto& from = of_quantized ? kinds.quantized : kinds.plain;
    if (from.empty()) break;
    const ValueId value = pick(from);
    values.push_back(value);
    (of_quantized ? quantized : plain).push_back(value);
  }
  if (mix == Mix::kQuantizedFirst || mix == Mix::kQuantizedLast) {
    const auto& first = mix == Mix::kQuantizedFirst ? quantized : plain;
    const auto& last = mix == Mix::kQuantizedFirst ? plain : quantized;
    values = first;
    values.insert(values.end(), last.begin(), last.end());
  }
  return values;
}

// A tensor of another kind, pending or not.
void AddPlain(Composer& composer) {
  ChoiceStream& choices = composer.choices();
  Need need;
  need.dtypes = choices.Pick({ir::kFloatMask, ir::kIntMask, ir::kBoolMask});
  if (choices.Percent(60)) {
    composer.DrawOperand(need);
  } else {
    composer.AddOperation();
  }
}

void AddQuantized(Composer& composer) {
  ChoiceStream& choices = composer.choices();
  Builder& builder = composer.builder();
  Need need;
  need.dtypes = ir::kQuantizedMask;
  ValueId value = kNoValue;
  if (choices.Percent(40)) {
    // Of a tensor that other ops are pending on.
    Need floats;
    floats.dtypes =
        ir::MaskOf(ir::Dtype::kF32) | ir::MaskOf(ir::Dtype::kF16) | ir::MaskOf(ir::Dtype::kBf16);
    const ValueId source = composer.DrawOperand(floats);
    if (source != kNoValue) value = composer.Quantize(source);
  }
  if (value == kNoValue) value = composer.NewInput(need);
  if (value == kNoValue) return;
  // Views: transposed, sliced, expanded, reshaped.
  while (choices.Percent(45)) {
    const ValueId view = composer.AddView(value, /*keep_rank=*/false);
    if (view == kNoValue) break;
    if (choices.Percent(25)) builder.Drop(value);
    value = view;
  }
  if (choices.Percent(40)) composer.Convert(value, ir::kFloatMask);
  if (choices.Percent(20)) {
    const ValueId clone = builder.Clone(value);
    if (clone != kNoValue && choices.Percent(50)) builder.Drop(value);
  }
}

void AddTransaction(Composer& composer) {
  ChoiceStream& choices = composer.choices();
  Builder& builder = composer.builder();
  const std::vector<ValueId> values = DrawMix(choices, KindsOf(builder));
  // The last other clone, or a base, goes just before or just after.
  const bool before = choices.Percent(50);
  const auto drop_some = [&] {
    const std::vector<ValueId> live(builder.live().begin(), builder.live().end());
    for (const ValueId value : live) {
      const bool listed = std::ranges::find(values, value) != values.end();
      if (!(before && listed) && choices.Percent(listed ? 30 : 45)) builder.Drop(value);
    }
  };
  if (before) drop_some();
  composer.MaybeSwitchStream();
  builder.Read(values);
  if (!before) drop_some();
}

}  // namespace

void AddTransactions(Composer& composer) {
  ChoiceStream& choices = composer.choices();
  const uint32_t rounds = 1 + choices.Below(3);
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t tensors = 2 + choices.Below(round == 0 ? 6 : 3);
    for (uint32_t i = 0; i < tensors; ++i) {
      composer.MaybeSwitchStream();
      if (choices.Percent(55)) {
        AddQuantized(composer);
      } else {
        AddPlain(composer);
      }
    }
    // Several in a row.
    do {
      AddTransaction(composer);
    } while (choices.Percent(35));
  }
}

}  // namespace faultline::harness
