// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Which blocks become programs of the interpreter kernel. What those compute is shown by the tests
// of the CPU target, run on a device.

#include "fusion/opencl/device_program.h"

#include <catch2/catch.hpp>
#include <vector>

#include "fusion/block/builder.h"
#include "fusion/opencl/words.h"

namespace faultline::fusion::opencl {
namespace {

using ir::Dtype;

Block Sum(Dtype dtype) {
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), dtype);
  const int y = b.AddStrided(b.AddSlot(), dtype);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  b.Store(y, b.Binary(Op::kAdd, v, v));
  return b.Finish();
}

// A sum of `count` loads that are all made before the first is added.
Block ManyAlive(int count) {
  BlockBuilder b(1);
  std::vector<int> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back(b.AddStrided(b.AddSlot(), Dtype::kF32));
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  std::vector<Val> loaded;
  for (int input : inputs) loaded.push_back(b.Load(input));
  Val sum = loaded.back();
  for (size_t i = 0; i + 1 < loaded.size(); ++i) sum = b.Binary(Op::kAdd, loaded[i], sum);
  b.Store(y, sum);
  return b.Finish();
}

// One after the other is added to what there is, so that two are alive at a time.
Block LongChain(int count) {
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  Val sum = b.Load(x);
  for (int i = 0; i < count; ++i) sum = b.Binary(Op::kAdd, b.Load(x), sum);
  b.Store(y, sum);
  return b.Finish();
}

TEST_CASE("f64 runs on the host where the device has none") {
  CHECK(WhyOnHost(Sum(Dtype::kF64), true).empty());
  CHECK(WhyOnHost(Sum(Dtype::kF64), false) == "block on host: the device has no f64");
  CHECK(WhyOnHost(Sum(Dtype::kF32), false).empty());
}

TEST_CASE("codes are decoded on the host") {
  BlockBuilder b(1);
  ir::Scheme scheme;
  const int x = b.AddStrided(b.AddSlot(), ir::ElementType(scheme));
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  b.Store(y, b.Load(x));
  CHECK(WhyOnHost(b.Finish(), true) == "block on host: reads codes");
}

TEST_CASE("powers to an integer run on the host in f64, and without f64") {
  const auto power = [](Dtype dtype) {
    BlockBuilder b(1);
    const int x = b.AddStrided(b.AddSlot(), dtype);
    const int y = b.AddStrided(b.AddSlot(), dtype);
    b.BeginElementPhase();
    b.Store(y, b.Powi(b.Load(x), b.Constant(Reg::kI64, 3)));
    return b.Finish();
  };
  CHECK(WhyOnHost(power(Dtype::kF32), true).empty());
  CHECK_FALSE(WhyOnHost(power(Dtype::kF32), false).empty());
  CHECK_FALSE(WhyOnHost(power(Dtype::kF64), true).empty());
  CHECK(WhyOnHost(power(Dtype::kI32), false).empty());
}

TEST_CASE("registers are used again, and their number is a limit") {
  const int registers = kFileSizes[FileOf(Reg::kF32)];
  CHECK(EncodeBlock(LongChain(10 * registers)) != nullptr);
  CHECK(EncodeBlock(ManyAlive(registers)) != nullptr);
  CHECK(EncodeBlock(ManyAlive(registers + 1)) == nullptr);
}

TEST_CASE("element values that a later phase uses wait in the row buffer") {
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val v = b.Load(x);
  const Val twice = b.Binary(Op::kAdd, v, v);
  const Val most = b.Reduce(Op::kReduceMax, twice);
  b.BeginElementPhase();
  b.Store(y, b.Binary(Op::kSub, twice, most));
  const auto program = EncodeBlock(b.Finish());
  REQUIRE(program != nullptr);
  CHECK(program->spilled == 1);
  CHECK_FALSE(program->indexed);
}

}  // namespace
}  // namespace faultline::fusion::opencl
