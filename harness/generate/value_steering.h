// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates a program as it is built, and turns away results that say nothing: all NaN, all
// infinite, all the same, or unbounded under the contract. Mostly, not always: programs about such
// values exist too.

#ifndef HARNESS_GENERATE_VALUE_STEERING_H_
#define HARNESS_GENERATE_VALUE_STEERING_H_

#include <cstddef>
#include <vector>

#include "harness/generate/builder.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/steering.h"
#include "ir/program.h"
#include "reference/evaluate.h"

namespace faultline::harness {

class ValueSteering : public Steering {
 public:
  // Takes `contract` and `enclosures` of the options. The builder must outlive the object.
  ValueSteering(Builder& builder, const GenerateOptions& options);

  bool Accepts(ir::ValueId value, ChoiceStream& choices) override;
  void Rewind(size_t statements) override;

 private:
  // Whether no function of the machine's library went into a value. Only such values may decide
  // what is drawn next by their exact bits: the same seed gives the same program everywhere.
  bool IsPortable(ir::ValueId value);

  Builder& builder_;
  reference::Evaluator evaluator_;
  std::vector<bool> portable_;  // by value
  size_t marked_ = 0;           // statements that portable_ covers
};

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_VALUE_STEERING_H_
