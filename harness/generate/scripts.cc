// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/scripts.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"

namespace faultline::harness {

using ir::kNoValue;
using ir::ValueId;

namespace {

bool Continue(const Composer& composer, const Builder& builder) {
  return !builder.full() && builder.work() < composer.swarm().work;
}

}  // namespace

void AdjustToScript(ChoiceStream& choices, Swarm& swarm) {
  switch (swarm.script) {
    case Script::kGeneral:
      break;
    case Script::kChain:
      // Longer than the segment limits in use (64), a few times over once in a while.
      swarm.operations =
          static_cast<int>(choices.OneIn(5) ? choices.Between(66, 130) : choices.Between(12, 36));
      swarm.break_percent = choices.Percent(50) ? 25 : 0;
      swarm.read_percent = 1;
      swarm.sync_percent /= 4;
      break;
    case Script::kPlanReuse:
      swarm.operations = static_cast<int>(choices.Between(8, 24));
      break;
    case Script::kTransactions:
      swarm.operations = static_cast<int>(choices.Between(4, 12));
      swarm.dtypes.back() = 8;
      break;
    case Script::kWide:
      swarm.operations = static_cast<int>(choices.Between(5, 30));
      swarm.drop_now_percent = 5;
      break;
  }
}

void AddGraph(Composer& composer, int operations) {
  Builder& builder = composer.builder();
  // What feeds an operation (views, casts) counts as well.
  const int end = builder.applications() + operations;
  for (int i = 0; i < operations && builder.applications() < end; ++i) {
    if (i > 0 && !Continue(composer, builder)) return;
    if (!composer.AddOperation()) continue;
    composer.AddActions();
  }
}

void AddChain(Composer& composer, int operations) {
  Builder& builder = composer.builder();
  // Links count here, not what feeds them.
  for (int i = 0; i < operations; ++i) {
    if (builder.full() || builder.work() >= composer.swarm().work_max) return;
    composer.AddLink();
    composer.AddActions();
  }
}

void AddWide(Composer& composer) {
  Builder& builder = composer.builder();
  ChoiceStream& choices = composer.choices();
  // Many live tensors of odd sizes before the first read.
  const int inputs = static_cast<int>(choices.Between(10, 70));
  const int64_t aim = std::max<int64_t>(1, composer.swarm().work / inputs);
  const ir::Dtype dtype = composer.DrawDtype(ir::kNumericMask);
  const ir::Shape shape = DrawShape(choices, composer.swarm(), -1, aim);
  std::vector<ValueId> values;
  for (int i = 0; i < inputs; ++i) {
    const bool same = choices.Percent(75);
    const ValueId value =
        composer.NewInput(ir::Type(same ? dtype : composer.DrawDtype(ir::kPlainMask),
                                   same ? shape : DrawShape(choices, composer.swarm(), -1, aim)));
    if (value != kNoValue && same) values.push_back(value);
  }
  // All of them in one application, or one after the other: more operands than any binding limit.
  if (shape.rank() > 0 && choices.Percent(35)) {
    ir::Attributes attributes;
    attributes.Set(ir::AttributeKey::kDim, choices.Below(static_cast<uint32_t>(shape.rank())));
    const size_t count = std::min<size_t>(values.size(), ir::kOperandsMax);
    builder.Apply(ir::Opcode::kCat, std::span(values).first(count), {}, attributes);
  }
  ValueId sum = values.empty() ? kNoValue : values[0];
  constexpr ir::Opcode kOps[] = {ir::Opcode::kAdd, ir::Opcode::kSub, ir::Opcode::kMaximum,
                                 ir::Opcode::kAdd};
  for (size_t i = 1; i < values.size() && sum != kNoValue; ++i) {
    const std::array<ValueId, 2> operands = {sum, values[i]};
    const ValueId next = builder.Apply(choices.Pick(kOps), operands, {}, {});
    if (next == kNoValue) break;
    if (choices.Percent(85)) builder.Drop(sum);
    if (choices.Percent(70)) builder.Drop(values[i]);
    sum = next;
  }
  AddGraph(composer, static_cast<int>(choices.Below(6)));
}

void RunScript(Composer& composer) {
  const Swarm& swarm = composer.swarm();
  switch (swarm.script) {
    case Script::kGeneral:
      AddGraph(composer, swarm.operations);
      break;
    case Script::kChain:
      AddChain(composer, swarm.operations);
      break;
    case Script::kPlanReuse:
      AddPlanReuse(composer);
      break;
    case Script::kTransactions:
      AddTransactions(composer);
      break;
    case Script::kWide:
      AddWide(composer);
      break;
  }
  composer.Finish();
}

}  // namespace faultline::harness
