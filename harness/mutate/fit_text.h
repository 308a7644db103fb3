// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Keeps programs within a number of bytes of canonical text: the limit of libFuzzer's input, and
// what makes `-minimize_crash` work.

#ifndef HARNESS_MUTATE_FIT_TEXT_H_
#define HARNESS_MUTATE_FIT_TEXT_H_

#include "harness/generate/choice_stream.h"
#include "harness/mutate/mutate.h"
#include "ir/program.h"

namespace faultline::harness {

// The program, or less and less of it until its text fits options.text_bytes_max; at last the
// smallest program there is.
ir::Program FitText(ir::Program program, ChoiceStream& choices, const MutateOptions& options);

// One input of one element, read.
ir::Program SmallestProgram();

}  // namespace faultline::harness

#endif  // HARNESS_MUTATE_FIT_TEXT_H_
