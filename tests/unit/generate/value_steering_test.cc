// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/value_steering.h"

#include <catch2/catch.hpp>
#include <memory>

#include "ir/element.h"

namespace faultline::harness {
namespace {

using ir::Dtype;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

ir::DataPtr Iota(double start) {
  auto data = std::make_shared<ir::DataSpec>();
  data->form = ir::DataForm::kIota;
  data->parameters = {start, 1};
  return data;
}

// How many of a hundred results are turned away.
int Rejected(Opcode op, double start) {
  int rejected = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const GenerateOptions options;
    Builder builder(options, 1000);
    ValueSteering steering(builder, options);
    ChoiceStream choices(seed);
    const ValueId a = builder.Input(Type(Dtype::kF32, Shape{4}), Iota(start));
    const ValueId b = builder.Apply(op, {&a, 1}, {}, {});
    REQUIRE(b != ir::kNoValue);
    if (!steering.Accepts(b, choices)) ++rejected;
  }
  return rejected;
}

TEST_CASE("results with something to see are kept") {
  CHECK(Rejected(Opcode::kLog, 1) == 0);
  CHECK(Rejected(Opcode::kNeg, -2) == 0);
}

TEST_CASE("results without numbers are mostly turned away") {
  const int nan = Rejected(Opcode::kLog, -10);
  CHECK(nan > 75);
  CHECK(nan < 100);
}

TEST_CASE("constant results are turned away more often than not") {
  const int constant = Rejected(Opcode::kRelu, -10);
  CHECK(constant > 40);
  CHECK(constant < 90);
}

TEST_CASE("a rewound statement is evaluated anew") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  ValueSteering steering(builder, options);
  ChoiceStream choices(uint64_t{1});
  const ValueId a = builder.Input(Type(Dtype::kI32, Shape{4}), Iota(3));
  const size_t mark = builder.statements();
  ValueId b = builder.Apply(Opcode::kNeg, {&a, 1}, {}, {});
  steering.Accepts(b, choices);
  CHECK(builder.StateOf(b).bounds.low == -6);
  builder.Rewind(mark);
  steering.Rewind(mark);
  b = builder.Apply(Opcode::kAbs, {&a, 1}, {}, {});
  CHECK(steering.Accepts(b, choices));
  CHECK(builder.StateOf(b).bounds.low == 3);
  CHECK(builder.StateOf(b).bounds.high == 6);
}

}  // namespace
}  // namespace faultline::harness
