// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a mutation changes, written down before it is carried out: a draft with edited statements,
// which of them are left out, and what happens between them. Carrying out several edits then takes
// one replay (harness/generate/replay.h), which also repairs what they broke.

#ifndef HARNESS_MUTATE_EDITS_H_
#define HARNESS_MUTATE_EDITS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/generate/choice_stream.h"
#include "harness/mutate/mutate.h"
#include "ir/program.h"

namespace faultline::harness {

enum class ActionKind : uint8_t {
  kOperations,  // `count` new operations
  kRead,
  kSync,
  kStream,   // to stream `count`
  kDrop,     // `value` of the draft
  kClone,    // `value` of the draft; later uses mean the clone where `count` is not 0
  kSegment,  // statements [begin, end) of `segment` once more
  kFinish,   // reads what nothing has read
};

// Happens before statement `position` of the draft.
struct Action {
  ActionKind kind = ActionKind::kSync;
  size_t position = 0;
  int count = 0;
  ir::ValueId value = ir::kNoValue;
  size_t segment = 0;  // index into Edits::segments
  size_t begin = 0;
  size_t end = 0;
};

struct Edits {
  ir::Program draft;
  std::vector<bool> removed;  // by statement
  std::vector<Action> actions;
  std::vector<ir::Program> segments;  // drafts of their own
};

// The program as a draft without edits: expectations and conditions go, because they were about
// the original.
Edits NewEdits(const ir::Program& program);

// Adds an edit of the kind; false if there is nothing to change.
bool AddEdit(Edits& edits, MutationKind kind, ChoiceStream& choices);

// Carries the edits out. The result verifies and reads something.
ir::Program Rebuild(const Edits& edits, ChoiceStream& choices, const MutateOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_MUTATE_EDITS_H_
