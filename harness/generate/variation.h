// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Edits of a draft that leave its plot as it is: the same segment with other extents, scalars,
// slice bounds, dtypes, or one attribute changed. What they break, Replay repairs.

#ifndef HARNESS_GENERATE_VARIATION_H_
#define HARNESS_GENERATE_VARIATION_H_

#include <cstddef>
#include <cstdint>

#include "harness/generate/choice_stream.h"
#include "harness/generate/swarm.h"
#include "ir/program.h"

namespace faultline::harness {

// Each edits the statements [begin, end) of the draft, and the types of their results; true if it
// found something to change.
//
// One extent, everywhere it occurs, becomes another one; equalities are kept.
bool VaryExtents(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
// The largest extent becomes a small one.
bool ShrinkExtents(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
// One axis of one input alone: an equality may end.
bool VaryOneExtent(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
bool VaryScalars(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
bool VarySlices(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
// One attribute of one statement, or one declared dtype or scheme.
bool VaryAttribute(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
// One dtype becomes another one in every input that has it.
bool VaryDtype(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);
// Other data of the same form.
bool VaryData(ir::Program& draft, size_t begin, size_t end, ChoiceStream& choices);

// Data of `from` as data of another dtype: the same form where it has one.
ir::DataPtr RetypeData(const ir::DataSpec& data, const ir::Type& from, const ir::Type& to,
                       ChoiceStream& choices);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_VARIATION_H_
