// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/about.h"

#include "harness/generate/builder.h"
#include "harness/generate/composer.h"
#include "harness/generate/swarm.h"

namespace faultline::harness {

ir::Program GenerateAbout(const Subject& subject, ChoiceStream& choices,
                          const GenerateOptions& options) {
  Swarm swarm = DrawSwarm(choices, options);
  swarm.script = Script::kGeneral;
  swarm.streams = 1;
  // What gives one element is applied many times, to little.
  const bool whole = ir::InfoOf(subject.op).shape_rule == ir::ShapeRule::kReduceAll;
  swarm.operations = whole ? 48 : static_cast<int>(choices.Between(4, 12));
  swarm.work = choices.LogUniform(8, 12);
  swarm.work_max = 4 * swarm.work;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if (!subject.feeds(info.op)) swarm.ops[static_cast<size_t>(info.op)] = 0;
  }
  swarm.ops[static_cast<size_t>(subject.op)] += 1;  // never nothing at all
  // Where none is left all of an op's dtypes are drawn alike.
  for (size_t i = 0; i < swarm.dtypes.size(); ++i) {
    if ((subject.dtypes >> i & 1) == 0) swarm.dtypes[i] = 0;
  }
  Builder builder(options, swarm.work_max);
  Composer composer(choices, swarm, builder);
  const uint32_t fed_percent = choices.Below(50);
  for (int i = 0; i < swarm.operations && !builder.full(); ++i) {
    if (choices.Percent(fed_percent)) composer.AddOperation();
    composer.AddOperation(subject.op);
  }
  composer.Finish();
  return builder.Take();
}

}  // namespace faultline::harness
