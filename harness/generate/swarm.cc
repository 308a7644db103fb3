// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/swarm.h"

#include <algorithm>

#include "harness/generate/size_law.h"

namespace faultline::harness {
namespace {

using ir::Dtype;

// Each weight is dropped, kept, or raised.
void Shake(ChoiceStream& choices, std::span<uint32_t> weights, uint32_t drop_percent) {
  const uint32_t kept = choices.Below(static_cast<uint32_t>(weights.size()));
  for (uint32_t i = 0; i < weights.size(); ++i) {
    if (i != kept && choices.Percent(drop_percent)) {
      weights[i] = 0;
    } else if (choices.Percent(15)) {
      weights[i] *= 5;
    }
  }
  weights[kept] = std::max<uint32_t>(weights[kept], 1);
}

uint32_t FocusFactor(const ir::OpInfo& info, std::optional<Focus> focus) {
  if (!focus.has_value()) return 1;
  switch (*focus) {
    case Focus::kQuantizedTransactions:
      return (info.traits & ir::kQuantizing) != 0 ||
                     info.dtype_rule == ir::DtypeRule::kDequantize ||
                     info.dtype_rule == ir::DtypeRule::kQMatmul
                 ? 8
                 : 1;
    case Focus::kViews:
      return (info.traits & (ir::kView | ir::kJoin)) != 0 ? 6 : 1;
    case Focus::kReductions:
      return (info.traits & (ir::kReducing | ir::kScanning | ir::kRowwise)) != 0 ? 6 : 1;
    case Focus::kMatmul:
      return (info.traits & ir::kContraction) != 0 ? 30 : 1;
    case Focus::kPlanReuse:
    case Focus::kStreams:
      return 1;
  }
  return 1;
}

void DrawOpWeights(ChoiceStream& choices, std::optional<Focus> focus, Swarm& swarm) {
  // One word of bits decides two ops a time: 70 draws would cost as much as the program.
  const uint32_t drop_eighths = choices.Below(7);
  uint64_t bits = 0;
  int left = 0;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if (left == 0) {
      bits = choices.Bits();
      left = 16;
    }
    const auto draw = static_cast<uint32_t>(bits & 15);
    bits >>= 4;
    --left;
    uint32_t weight = 4;
    // Whole-tensor reductions end a graph; matmul begins an epilogue; creation is a feed already.
    if (info.shape_rule == ir::ShapeRule::kReduceAll) weight = 2;
    if ((info.traits & ir::kContraction) != 0) weight = 8;
    if ((info.traits & ir::kCreation) != 0) weight = 2;
    // Few ops name places by data, and each has many kinds of operands and indices.
    if ((info.traits & (ir::kIndexing | ir::kScattering)) != 0) weight = 8;
    if ((info.traits & (ir::kReducing | ir::kRowwise | ir::kScanning | ir::kSorting)) != 0 &&
        info.shape_rule != ir::ShapeRule::kReduceAll) {
      weight = 5;
    }
    weight *= FocusFactor(info, focus);
    if ((draw & 7) < drop_eighths) weight = 0;
    if (draw == 15) weight = 6 * std::max<uint32_t>(weight, 2);
    swarm.ops[static_cast<size_t>(info.op)] = weight;
  }
  // Never nothing at all.
  swarm.ops[static_cast<size_t>(choices.Below(ir::kOpcodeCount))] += 4;
}

void DrawDtypeWeights(ChoiceStream& choices, ir::DtypeMask allowed, std::optional<Focus> focus,
                      Swarm& swarm) {
  // A program is about one to four dtypes; the others come in through casts and comparisons.
  std::array<uint32_t, ir::kPlainDtypeCount> weights = {6, 20, 7, 7, 6, 7, 4, 5, 4, 4, 4, 5, 3};
  if ((allowed & ir::kPlainMask) != 0) {
    for (ir::Dtype dtype : ir::kPlainDtypes) {
      if (!ir::IsIn(dtype, allowed)) weights[static_cast<size_t>(dtype)] = 0;
    }
  }
  swarm.dtypes.fill(0);
  const uint32_t kinds = 1 + choices.Below(4);
  for (uint32_t i = 0; i < kinds; ++i) {
    swarm.dtypes[choices.Weighted(weights)] += 4 + choices.Below(12);
  }
  const bool quantized = choices.Percent(focus == Focus::kQuantizedTransactions ? 90 : 25) &&
                         ir::IsIn(ir::Dtype::kQuantized, allowed);
  swarm.dtypes.back() = quantized ? 4 : 0;
}

void DrawScript(ChoiceStream& choices, std::optional<Focus> focus, Swarm& swarm) {
  std::array<uint32_t, kScriptCount> weights = {55, 5, 20, 15, 5};
  if (focus == Focus::kPlanReuse) weights[static_cast<size_t>(Script::kPlanReuse)] *= 12;
  if (focus == Focus::kQuantizedTransactions) {
    weights[static_cast<size_t>(Script::kTransactions)] *= 16;
  }
  swarm.script = static_cast<Script>(choices.Weighted(weights));
  // About ten on average, with a tail.
  swarm.operations =
      static_cast<int>(3 + choices.Below(9) + (choices.OneIn(4) ? choices.Below(14) : 0));
}

}  // namespace

Swarm DrawSwarm(ChoiceStream& choices, const GenerateOptions& options) {
  Swarm swarm;
  DrawScript(choices, options.focus, swarm);
  const WorkTarget work = DrawWork(choices);
  swarm.work = work.aim;
  swarm.work_max = work.max;
  DrawOpWeights(choices, options.focus, swarm);
  DrawDtypeWeights(choices, options.input_dtypes, options.focus, swarm);

  swarm.feeds = {30, 12, 22, 12, 3, 5, 2};
  if (options.focus == Focus::kViews) swarm.feeds[static_cast<size_t>(Feed::kView)] *= 4;
  Shake(choices, swarm.feeds, 15);
  swarm.feeds[static_cast<size_t>(Feed::kInput)] =
      std::max<uint32_t>(swarm.feeds[static_cast<size_t>(Feed::kInput)], 6);
  swarm.regimes = {20, 20, 16, 10, 10, 6, 6, 3, 2};
  Shake(choices, swarm.regimes, 30);
  swarm.ranks = {3, 16, 30, 24, 14, 7, 5};
  Shake(choices, swarm.ranks, 20);

  swarm.layout_percent = choices.OneIn(3) ? 60 : 12;
  swarm.special_percent = choices.OneIn(4) ? 50 : 6;
  swarm.zero_percent = choices.OneIn(14) ? 15 : 0;
  swarm.one_percent = choices.OneIn(5) ? 40 : 8;
  swarm.same_percent = choices.OneIn(5) ? 50 : 10;
  swarm.drop_now_percent = choices.Percent(50) ? 80 : 25;
  swarm.drop_percent = choices.OneIn(8) ? 20 : 95;
  swarm.read_percent = choices.OneIn(4) ? 25 : 5;
  swarm.sync_percent = choices.OneIn(5) ? 20 : 2;
  swarm.clone_percent = choices.OneIn(5) ? 20 : 2;
  swarm.propagate_percent = choices.OneIn(3) ? 90 : choices.OneIn(2) ? 40 : 0;
  const uint32_t several = options.focus == Focus::kStreams ? 85 : 15;
  if (choices.Percent(several)) {
    swarm.streams = static_cast<int>(2 + choices.Below(3));
    swarm.stream_percent = 10 + choices.Below(40);
  }
  swarm.index_errors = options.error_one_in > 0 && choices.OneIn(options.error_one_in);
  if (swarm.index_errors) {
    for (const ir::OpInfo& info : ir::AllOps()) {
      if (info.dtype_rule != ir::DtypeRule::kIndexed) continue;
      swarm.ops[static_cast<size_t>(info.op)] = 8 * swarm.ops[static_cast<size_t>(info.op)] + 40;
    }
  }
  return swarm;
}

}  // namespace faultline::harness
