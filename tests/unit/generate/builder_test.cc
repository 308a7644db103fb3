// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/builder.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>

#include "ir/verify.h"

namespace faultline::harness {
namespace {

using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

ir::DataPtr Ones() {
  auto data = std::make_shared<ir::DataSpec>();
  data->form = ir::DataForm::kConstant;
  data->elements.push_back(ir::FromDouble(Dtype::kF32, 1));
  return data;
}

ValueId Floats(Builder& builder, const Shape& shape) {
  return builder.Input(Type(Dtype::kF32, shape), Ones());
}

TEST_CASE("a builder adds only what verifies") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  const ValueId a = Floats(builder, {2, 3});
  const ValueId b = Floats(builder, {4});
  const std::array<ValueId, 2> unequal = {a, b};
  CHECK(builder.Apply(Opcode::kAdd, unequal, {}, {}) == kNoValue);
  const ValueId c = builder.Apply(Opcode::kNeg, {&a, 1}, {}, {});
  REQUIRE(c != kNoValue);
  CHECK(builder.TypeOf(c) == Type(Dtype::kF32, Shape{2, 3}));
  REQUIRE(builder.Drop(a));
  CHECK_FALSE(builder.Drop(a));
  CHECK(builder.Apply(Opcode::kNeg, {&a, 1}, {}, {}) == kNoValue);
  CHECK_FALSE(builder.Read({&a, 1}));
  REQUIRE(builder.Read({&c, 1}));
  const ir::Program program = builder.Take();
  CHECK(program.statements.size() == 5);
  CHECK(ir::Verify(program).ok());
}

TEST_CASE("no application passes the limit of work") {
  const GenerateOptions options;
  Builder builder(options, 10);
  const ValueId a = Floats(builder, {6});
  CHECK(builder.Apply(Opcode::kNeg, {&a, 1}, {}, {}) != kNoValue);
  CHECK(builder.Apply(Opcode::kNeg, {&a, 1}, {}, {}) == kNoValue);
  CHECK(builder.work() == 6);
  CHECK(builder.work_left() == 4);
}

TEST_CASE("what the backend does not support is not added") {
  GenerateOptions options;
  options.supports = [](Opcode op, const ir::Attributes&, std::span<const Type>,
                        std::span<const Type>) { return op != Opcode::kExp; };
  Builder builder(options, 1000);
  const ValueId a = Floats(builder, {2});
  CHECK(builder.Apply(Opcode::kExp, {&a, 1}, {}, {}) == kNoValue);
  CHECK(builder.Apply(Opcode::kAbs, {&a, 1}, {}, {}) != kNoValue);
}

TEST_CASE("rewinding restores everything that later statements may depend on") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  const ValueId a = Floats(builder, {2});
  const size_t mark = builder.statements();
  REQUIRE(builder.SetStream(2));
  const ValueId b = builder.Apply(Opcode::kNeg, {&a, 1}, {}, {});
  REQUIRE(builder.Clone(b) != kNoValue);
  builder.Rewind(mark);
  CHECK(builder.stream() == 0);
  CHECK(builder.work() == 0);
  CHECK(builder.applications() == 0);
  CHECK(builder.live().size() == 1);
  CHECK(builder.StateOf(a).uses == 0);
  CHECK(builder.program().values.size() == 1);
  CHECK(builder.Apply(Opcode::kAbs, {&a, 1}, {}, {}) == 1);
}

TEST_CASE("pending ends with a read or a sync on the value's stream") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  const ValueId a = Floats(builder, {2});
  CHECK_FALSE(builder.StateOf(a).pending);
  const ValueId b = builder.Apply(Opcode::kNeg, {&a, 1}, {}, {});
  CHECK(builder.StateOf(b).pending);
  builder.SetStream(1);
  builder.Sync();
  CHECK(builder.StateOf(b).pending);
  builder.SetStream(0);
  builder.Sync();
  CHECK_FALSE(builder.StateOf(b).pending);
}

TEST_CASE("bounds of indices follow from argmax and survive views") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  const ValueId a = Floats(builder, {4, 5});
  ir::Attributes dim;
  dim.Set(ir::AttributeKey::kDimOptional, 1);
  const Type declared(Dtype::kI64, Shape{4, 1});
  const ValueId index = builder.Apply(Opcode::kArgmax, {&a, 1}, {}, dim, {&declared, 1});
  REQUIRE(index != kNoValue);
  CHECK(builder.StateOf(index).bounds.known);
  CHECK(builder.StateOf(index).bounds.high == 4);
  ir::Attributes axes;
  axes.Set(ir::AttributeKey::kAxes, std::vector<int64_t>{1, 0});
  const ValueId view = builder.Apply(Opcode::kPermute, {&index, 1}, {}, axes);
  REQUIRE(view != kNoValue);
  CHECK(builder.StateOf(view).bounds.high == 4);
  const ValueId sum = builder.Apply(Opcode::kNeg, {&index, 1}, {}, {});
  CHECK_FALSE(builder.StateOf(sum).bounds.known);
}

TEST_CASE("made-up names never meet given ones") {
  const GenerateOptions options;
  Builder builder(options, 1000);
  builder.NumberNamesFrom(8);
  builder.NameNext({"v7"});
  const ValueId a = Floats(builder, {2});
  const ValueId b = builder.Apply(Opcode::kNeg, {&a, 1}, {}, {});
  CHECK(builder.program().values[a].name == "v7");
  CHECK(builder.program().values[b].name == "v8");
}

}  // namespace
}  // namespace faultline::harness
