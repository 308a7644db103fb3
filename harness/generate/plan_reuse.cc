// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The same segment again and again: what a plan was made for must not leak into what it is used
// for. A is a segment, A' and B are variations of it; schedules are A B A B, small-large-small,
// prefixes, extensions.

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/generate/replay.h"
#include "harness/generate/scripts.h"
#include "harness/generate/variation.h"

namespace faultline::harness {

namespace {

using Vary = bool (*)(ir::Program&, size_t, size_t, ChoiceStream&);

struct Segment {
  ir::Program draft;  // the program up to the segment's end
  size_t begin = 0;
  size_t end = 0;
};

// Emits the segment; values from before it mean what they are, where they are still alive.
void Emit(Composer& composer, const Segment& segment, size_t end) {
  Replay replay(composer, segment.draft, /*keep_names=*/false);
  const Builder& builder = composer.builder();
  for (size_t i = 0; i < segment.begin; ++i) {
    for (const ir::ValueId value : segment.draft.statements[i].results) {
      if (builder.IsAlive(value)) replay.Map(value, value);
    }
  }
  for (size_t i = segment.begin; i < end; ++i) replay.Emit(segment.draft.statements[i]);
}

Segment Varied(const Segment& segment, ChoiceStream& choices) {
  constexpr Vary kVariations[] = {VaryExtents, VaryExtents,   VaryScalars, VaryScalars,  VarySlices,
                                  VaryDtype,   VaryAttribute, VaryData,    VaryOneExtent};
  Segment varied = segment;
  // One difference, mostly: neighbours differ in exactly one thing.
  const uint32_t count = choices.Percent(75) ? 1 : 2;
  for (uint32_t i = 0, attempts = 0; i < count && attempts < 6; ++attempts) {
    if (choices.Pick(kVariations)(varied.draft, varied.begin, varied.end, choices)) ++i;
  }
  return varied;
}

}  // namespace

void AddPlanReuse(Composer& composer) {
  Builder& builder = composer.builder();
  ChoiceStream& choices = composer.choices();
  const int operations = static_cast<int>(choices.Between(2, 6));
  // Values from outside the segment, which the first run may take with it.
  if (choices.OneIn(3)) AddGraph(composer, 1);
  Segment a;
  a.begin = builder.statements();
  AddGraph(composer, operations);
  composer.AddRead(static_cast<int>(choices.Between(1, 3)));
  a.end = builder.statements();
  a.draft = builder.program();
  if (a.end == a.begin) return;

  const size_t length = a.end - a.begin;
  const auto prefix = [&] { return a.begin + 1 + choices.Below(static_cast<uint32_t>(length)); };
  // Replays work within what the law leaves; the plan is longer than that now and then.
  switch (choices.Below(5)) {
    case 0: {  // A B A B
      const Segment b = Varied(a, choices);
      Emit(composer, b, b.end);
      Emit(composer, a, a.end);
      Emit(composer, b, b.end);
      break;
    }
    case 1: {  // small, large, small
      Segment b = a;
      if (!VaryExtents(b.draft, b.begin, b.end, choices)) b = Varied(a, choices);
      Emit(composer, b, b.end);
      Emit(composer, a, a.end);
      break;
    }
    case 2: {  // a prefix, then all of it
      Emit(composer, a, prefix());
      if (choices.Percent(60)) builder.Sync();
      Emit(composer, a, a.end);
      break;
    }
    case 3: {  // an extension, then the original
      const size_t before_read = a.end - 1;
      Emit(composer, a, std::max(a.begin + 1, before_read));
      AddGraph(composer, static_cast<int>(choices.Between(1, 3)));
      composer.AddRead(2);
      Emit(composer, a, a.end);
      break;
    }
    default: {  // a walk of neighbours
      Segment next = a;
      const uint32_t count = 2 + choices.Below(3);
      for (uint32_t i = 0; i < count; ++i) {
        next = Varied(choices.Percent(50) ? a : next, choices);
        Emit(composer, next, next.end);
      }
      break;
    }
  }
}

}  // namespace faultline::harness
