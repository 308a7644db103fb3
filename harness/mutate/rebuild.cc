// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Carries edits out: one pass over the draft, with actions in between.

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/generate/builder.h"
#include "harness/generate/composer.h"
#include "harness/generate/replay.h"
#include "harness/mutate/edits.h"

namespace faultline::harness {

using ir::kNoValue;
using ir::ValueId;

namespace {

// Work may double at a time, up to what the size law calls common; larger programs do not grow.
constexpr int64_t kSmallWork = 1024;
constexpr int64_t kCommonWork = 8192;

// The largest number a name ends in, so that new names differ from all.
int64_t LastNumber(const ir::Program& program) {
  int64_t last = -1;
  for (const ir::Value& value : program.values) {
    size_t begin = value.name.size();
    while (begin > 0 && value.name[begin - 1] >= '0' && value.name[begin - 1] <= '9') --begin;
    // Longer numbers are out of reach of a counter.
    if (begin == value.name.size() || value.name.size() - begin > 9) continue;
    int64_t number = 0;
    for (size_t i = begin; i < value.name.size(); ++i) number = 10 * number + (value.name[i] - '0');
    last = std::max(last, number);
  }
  return last;
}

class Rebuilder {
 public:
  Rebuilder(const Edits& edits, Composer& composer)
      : edits_(edits),
        composer_(composer),
        builder_(composer.builder()),
        replay_(composer, edits.draft, /*keep_names=*/true) {}

  void Run() {
    const auto& statements = edits_.draft.statements;
    for (size_t i = 0; i <= statements.size(); ++i) {
      for (const Action& action : edits_.actions) {
        if (action.position == i) Carry(action, i);
      }
      if (i < statements.size() && !edits_.removed[i]) replay_.Emit(statements[i]);
    }
  }

 private:
  void Carry(const Action& action, size_t position) {
    switch (action.kind) {
      case ActionKind::kOperations:
        AddOperations(action.count, position);
        break;
      case ActionKind::kRead:
        composer_.AddRead();
        break;
      case ActionKind::kSync:
        builder_.Sync();
        break;
      case ActionKind::kStream:
        builder_.SetStream(action.count);
        break;
      case ActionKind::kDrop:
        builder_.Drop(replay_.Mapped(action.value));
        break;
      case ActionKind::kClone: {
        const ValueId clone = builder_.Clone(replay_.Mapped(action.value));
        if (clone != kNoValue && action.count != 0) replay_.Map(action.value, clone);
        break;
      }
      case ActionKind::kSegment:
        AddSegment(action);
        break;
      case ActionKind::kFinish:
        composer_.Finish();
        break;
    }
  }

  void AddOperations(int count, size_t position) {
    for (int i = 0; i < count; ++i) {
      const size_t before = builder_.program().values.size();
      if (!composer_.AddOperation()) return;
      const auto last = static_cast<ValueId>(builder_.program().values.size() - 1);
      if (last + 1 > before && composer_.choices().Percent(60)) Interpose(last, position);
    }
  }

  // The next use of a value of the same type becomes a use of this one, and so do those after it.
  void Interpose(ValueId value, size_t position) {
    const auto& statements = edits_.draft.statements;
    for (size_t i = position; i < statements.size(); ++i) {
      if (statements[i].kind != ir::StatementKind::kApply) continue;
      for (const ValueId operand : statements[i].operands) {
        if (replay_.Mapped(operand) == kNoValue || replay_.Mapped(operand) == value) continue;
        if (edits_.draft.TypeOf(operand) != builder_.TypeOf(value)) continue;
        replay_.Map(operand, value);
        return;
      }
    }
  }

  void AddSegment(const Action& action) {
    const ir::Program& segment = edits_.segments[action.segment];
    Replay again(composer_, segment, /*keep_names=*/false);
    for (size_t i = 0; i < action.begin; ++i) {
      for (const ValueId value : segment.statements[i].results) {
        const ValueId now = value < edits_.draft.values.size() ? replay_.Mapped(value) : kNoValue;
        if (builder_.IsAlive(now)) again.Map(value, now);
      }
    }
    for (size_t i = action.begin; i < action.end; ++i) again.Emit(segment.statements[i]);
  }

  const Edits& edits_;
  Composer& composer_;
  Builder& builder_;
  Replay replay_;
};

}  // namespace

ir::Program Rebuild(const Edits& edits, ChoiceStream& choices, const MutateOptions& options) {
  GenerateOptions generate = options.generate;
  generate.error_one_in = std::max<uint32_t>(generate.error_one_in, 1) * 4;
  Swarm swarm = DrawSwarm(choices, generate);
  const int64_t work = ir::WorkOf(edits.draft);
  const auto applications = std::ranges::count_if(
      edits.draft.statements, [](const auto& s) { return s.kind == ir::StatementKind::kApply; });
  // A new operation is about as large as the others are.
  swarm.operations = static_cast<int>(applications) + 4;
  swarm.work = std::clamp<int64_t>(work + work / 4, 64, kWorkMax);
  swarm.streams = std::max(swarm.streams, 1);
  Builder builder(generate, std::clamp<int64_t>(2 * work, kSmallWork, std::max(kCommonWork, work)));
  builder.NumberNamesFrom(LastNumber(edits.draft) + 1);
  builder.header() = edits.draft.header;
  Composer composer(choices, swarm, builder);
  Rebuilder(edits, composer).Run();
  // A read of nothing, or of tensors without elements, can show nothing.
  const bool reads = std::ranges::any_of(builder.program().statements, [&](const auto& s) {
    return s.kind == ir::StatementKind::kRead &&
           std::ranges::any_of(
               s.operands, [&](ValueId value) { return builder.TypeOf(value).NumElements() > 0; });
  });
  if (!reads) {
    composer.Finish();
  }
  return builder.Take();
}

}  // namespace faultline::harness
