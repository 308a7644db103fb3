// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Program to program: structured mutation and crossover. The result always verifies: what an edit
// breaks downstream is repaired by inference or dropped. Pure: same program and choices, same
// result.

#ifndef HARNESS_MUTATE_MUTATE_H_
#define HARNESS_MUTATE_MUTATE_H_

#include <cstdint>
#include <string_view>

#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "ir/program.h"

namespace faultline::harness {

enum class MutationKind : uint8_t {
  kInsertOp,
  kDeleteStatement,
  kReplaceOp,
  kRetype,           // another dtype or scheme of an input, downstream repaired
  kReshape,          // other extents of an input, downstream repaired
  kChangeAttribute,  // an attribute or a declared type
  kChangeScalar,
  kChangeLayout,
  kChangeDatum,   // another form, seed or parameter
  kSpecialValue,  // one element
  kRewire,        // another operand of the same type
  kLifetime,      // moves or adds a drop, clone, read or sync
  kStream,
  kDuplicateSegment,  // plan reuse: a stretch again, with changes
  kShrink,            // cuts a tail, a read, an extent
  kDecisions,
  kAppend,  // generated statements at the end
};
inline constexpr int kMutationKindCount = 17;
std::string_view MutationName(MutationKind kind);

struct MutateOptions {
  GenerateOptions generate;
  // Statements are cut from the end until the canonical text fits. A program that cannot fit
  // becomes the smallest one there is.
  int64_t text_bytes_max = 1 << 20;
};

// One to four mutations of a verified program. Mostly different from `program`, never guaranteed
// to be.
ir::Program Mutate(const ir::Program& program, ChoiceStream& choices, const MutateOptions& options);
// One mutation of the given kind; the program itself where the kind finds nothing to change.
ir::Program MutateOnce(const ir::Program& program, MutationKind kind, ChoiceStream& choices,
                       const MutateOptions& options);

// A program with statements of both: a stretch of `b` spliced into `a` (names made fresh, operands
// rewired by type), data swapped, or the read script of `b` over the values of `a`.
ir::Program Crossover(const ir::Program& a, const ir::Program& b, ChoiceStream& choices,
                      const MutateOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_MUTATE_MUTATE_H_
