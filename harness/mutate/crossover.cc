// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/mutate/edits.h"
#include "harness/mutate/fit_text.h"
#include "harness/mutate/mutate.h"

namespace faultline::harness {

using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::ValueId;

namespace {

constexpr size_t kConcatenatedMax = 80;

// Statements [begin, end) of `b` go in before `position` of `a`. What they take from outside the
// stretch is found by type among the values of `a`; inputs they need come along half of the time.
void Splice(Edits& edits, const Program& b, size_t begin, size_t end, size_t position,
            bool with_inputs) {
  Program segment = b;
  std::vector<bool> needed(b.values.size(), false);
  for (size_t i = begin; i < end; ++i) {
    for (const ValueId operand : b.statements[i].operands) needed[operand] = true;
  }
  // A stretch of its own: the inputs, then the statements.
  std::vector<Statement> statements;
  for (size_t i = 0; i < begin && with_inputs; ++i) {
    const Statement& s = b.statements[i];
    if (s.kind == StatementKind::kInput && needed[s.results[0]]) statements.push_back(s);
  }
  statements.insert(statements.end(), b.statements.begin() + static_cast<std::ptrdiff_t>(begin),
                    b.statements.begin() + static_cast<std::ptrdiff_t>(end));
  segment.statements = std::move(statements);
  Action action;
  action.kind = ActionKind::kSegment;
  action.position = position;
  action.segment = edits.segments.size();
  action.begin = 0;
  action.end = segment.statements.size();
  edits.segments.push_back(std::move(segment));
  edits.actions.push_back(action);
}

bool SwapData(Edits& edits, const Program& b, ChoiceStream& choices) {
  bool changed = false;
  for (Statement& input : edits.draft.statements) {
    if (input.kind != StatementKind::kInput) continue;
    const ir::Type& type = edits.draft.TypeOf(input.results[0]);
    for (const Statement& other : b.statements) {
      if (other.kind != StatementKind::kInput ||
          b.TypeOf(other.results[0]).element != type.element) {
        continue;
      }
      // The same type as it is; the same dtype where the form does not depend on the count.
      const bool same = b.TypeOf(other.results[0]) == type;
      if (!same && other.data->form == ir::DataForm::kQuantized) continue;
      if (choices.Percent(40)) continue;
      input.data = other.data;
      if (same) input.layout = other.layout;
      changed = true;
      break;
    }
  }
  return changed;
}

// The reads of `b` over values of `a`, by dtype, at places in proportion.
bool TakeReads(Edits& edits, const Program& b) {
  std::vector<Statement> taken;
  const size_t a_size = edits.draft.statements.size();
  std::vector<std::pair<size_t, Statement>> reads;
  for (size_t i = 0; i < b.statements.size(); ++i) {
    const Statement& s = b.statements[i];
    if (s.kind != StatementKind::kRead) continue;
    const size_t place = (i + 1) * a_size / b.statements.size();
    Statement read;
    read.kind = StatementKind::kRead;
    for (const ValueId wanted : s.operands) {
      // The latest value of that dtype before the place; or the latest one.
      ValueId found = ir::kNoValue;
      for (size_t k = 0; k < place; ++k) {
        for (const ValueId value : edits.draft.statements[k].results) {
          const bool same = edits.draft.TypeOf(value).dtype() == b.TypeOf(wanted).dtype();
          const bool fits = std::ranges::find(read.operands, value) == read.operands.end();
          if (same && (fits || found == ir::kNoValue)) found = value;
        }
      }
      if (found != ir::kNoValue) read.operands.push_back(found);
    }
    if (!read.operands.empty()) reads.emplace_back(place, std::move(read));
  }
  if (reads.empty()) return false;
  size_t next = 0;
  for (size_t i = 0; i <= a_size; ++i) {
    while (next < reads.size() && reads[next].first == i) taken.push_back(reads[next++].second);
    if (i == a_size) break;
    Statement& s = edits.draft.statements[i];
    // Drops would leave little to read; they come back by mutation.
    if (s.kind != StatementKind::kRead && s.kind != StatementKind::kDrop) {
      taken.push_back(std::move(s));
    }
  }
  edits.draft.statements = std::move(taken);
  edits.removed.assign(edits.draft.statements.size(), false);
  return true;
}

}  // namespace

Program Crossover(const Program& a, const Program& b, ChoiceStream& choices,
                  const MutateOptions& options) {
  Edits edits = NewEdits(a);
  const size_t a_size = a.statements.size();
  const size_t b_size = b.statements.size();
  if (b_size == 0) return FitText(Rebuild(edits, choices, options), choices, options);
  bool changed = false;
  switch (choices.Below(6)) {
    case 0:
      changed = SwapData(edits, b, choices);
      break;
    case 1:
      changed = TakeReads(edits, b);
      break;
    case 2:  // one after the other
      if (a_size + b_size <= kConcatenatedMax) {
        Splice(edits, b, 0, b_size, a_size, false);
        changed = true;
      }
      break;
    default:
      break;
  }
  if (!changed) {
    const size_t begin = choices.Below(static_cast<uint32_t>(b_size));
    // Where there is much already, little comes.
    const size_t longest = std::min<size_t>(a_size > kConcatenatedMax ? 4 : 20, b_size - begin);
    const size_t end = begin + 1 + choices.Below(static_cast<uint32_t>(longest));
    Splice(edits, b, begin, end, choices.Below(static_cast<uint32_t>(a_size) + 1),
           choices.Percent(50));
  }
  return FitText(Rebuild(edits, choices, options), choices, options);
}

}  // namespace faultline::harness
