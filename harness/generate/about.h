// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Programs about one op: little else than applications of it. For what is done op by op;
// campaigns draw from everything.

#ifndef HARNESS_GENERATE_ABOUT_H_
#define HARNESS_GENERATE_ABOUT_H_

#include <functional>

#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "ir/op.h"
#include "ir/program.h"

namespace faultline::harness {

struct Subject {
  ir::Opcode op;
  // Of what it is applied to, where a program is drawn; indices and the like have their own.
  ir::DtypeMask dtypes = ir::kPlainMask;
  // Ops whose results it may be applied to.
  std::function<bool(ir::Opcode)> feeds;
};
// A program of the subject, of views where operands ask for them, and of what feeds it.
ir::Program GenerateAbout(const Subject& subject, ChoiceStream& choices,
                          const GenerateOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_ABOUT_H_
