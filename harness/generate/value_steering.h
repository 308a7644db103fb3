// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates a program as it is built, and turns away results that say nothing: all NaN, all
// infinite, all the same, or unbounded under the contract. Mostly, not always: programs about such
// values exist too.

#ifndef HARNESS_GENERATE_VALUE_STEERING_H_
#define HARNESS_GENERATE_VALUE_STEERING_H_

#include <cstddef>

#include "harness/generate/builder.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/steering.h"
#include "ir/program.h"
#include "reference/evaluate.h"

namespace faultline::harness {

class ValueSteering : public Steering {
 public:
  // Evaluates with enclosures under `contract`, or plain values where it is null. The builder must
  // outlive the object.
  ValueSteering(Builder& builder, const reference::Contract* contract);

  bool Accepts(ir::ValueId value, ChoiceStream& choices) override;
  void Rewind(size_t statements) override;

 private:
  Builder& builder_;
  reference::Evaluator evaluator_;
};

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_VALUE_STEERING_H_
