// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Who says no to a result while a program is being built. Apart from the composer, so that it can
// be left out: mutation does not evaluate.

#ifndef HARNESS_GENERATE_STEERING_H_
#define HARNESS_GENERATE_STEERING_H_

#include <cstddef>

#include "harness/generate/choice_stream.h"
#include "ir/program.h"

namespace faultline::harness {

class Steering {
 public:
  virtual ~Steering() = default;
  // Whether the latest result may stay. May draw: such values are kept now and then.
  virtual bool Accepts(ir::ValueId value, ChoiceStream& choices) = 0;
  // The program has been cut back to so many statements.
  virtual void Rewind(size_t statements) = 0;
};

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_STEERING_H_
