// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks of the tile interpreter beside loops fused by hand.

#include <fmt/format.h>

#include "benchmarks/engine/device.h"
#include "benchmarks/engine/hand.h"
#include "benchmarks/engine/pairs.h"

namespace faultline::benchmarks {
namespace {

using fusion::BlockBuilder;
using fusion::Op;
using fusion::Val;
using ir::Dtype;

fusion::Block Cheap8Block() {
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int out = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val vx = b.Load(x);
  const Val vy = b.Load(y);
  Val v = b.Binary(Op::kMul, b.Binary(Op::kAdd, vx, vy), vy);
  v = b.Binary(Op::kMul, b.Binary(Op::kSub, v, vx), b.F32(0.5f));
  v = b.Binary(Op::kMul, b.Binary(Op::kAdd, v, vy), vx);
  v = b.Binary(Op::kMul, b.Binary(Op::kSub, v, vy), b.F32(1.25f));
  b.Store(out, b.Binary(Op::kAdd, v, vx));
  return b.Finish();
}

fusion::Block SoftmaxBlock() {
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int out = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val most = b.Reduce(Op::kReduceMax, b.Load(x));
  b.BeginElementPhase();
  const Val e = b.Unary(Op::kExp, b.Binary(Op::kSub, b.Load(x), most));
  const Val sum = b.Reduce(Op::kReduceSum, e);
  b.BeginElementPhase();
  b.Store(out, b.Binary(Op::kDiv, e, sum));
  return b.Finish();
}

fusion::Block LayerNormBlock() {
  BlockBuilder b(2, true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int gamma = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int beta = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int out = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val count = b.Parameter(fusion::Reg::kF32);
  const Val sum = b.Reduce(Op::kReduceSum, b.Load(x));
  b.BeginRowPhase();
  const Val mean = b.Binary(Op::kDiv, sum, count);
  b.BeginElementPhase();
  const Val d = b.Binary(Op::kSub, b.Load(x), mean);
  const Val squares = b.Reduce(Op::kReduceSum, b.Binary(Op::kMul, d, d));
  b.BeginRowPhase();
  const Val variance = b.Binary(Op::kDiv, squares, count);
  const Val deviation = b.Unary(Op::kSqrt, b.Binary(Op::kAdd, variance, b.F32(1e-5f)));
  b.BeginElementPhase();
  const Val normal = b.Binary(Op::kDiv, b.Binary(Op::kSub, b.Load(x), mean), deviation);
  const Val scaled = b.Binary(Op::kMul, normal, b.Load(gamma));
  b.Store(out, b.Binary(Op::kAdd, scaled, b.Load(beta)));
  return b.Finish();
}

void Cheap8Hand(benchmark::State& state, int64_t n) {
  const std::vector<float> x = Ramp(n);
  const std::vector<float> y = Ramp(n);
  std::vector<float> out(x.size());
  for (auto _ : state) {
    GetHand().cheap8(x.data(), y.data(), out.data(), n);
    benchmark::ClobberMemory();
  }
}

void Cheap8Engine(benchmark::State& state, int64_t n) {
  Device device;
  const auto kernel =
      device.Compile(fusion::BlockLaunch{std::make_shared<const fusion::Block>(Cheap8Block())});
  const std::vector<int64_t> extents = {n};
  const std::vector<fusion::Buffer*> buffers = {device.Floats(Ramp(n)), device.Floats(Ramp(n)),
                                                device.Floats(Ramp(n))};
  const std::vector<fusion::AccessBinding> maps(3, Map({n}, {1}));
  const fusion::LaunchBinding binding = fusion::BlockBinding{extents, buffers, maps, {}};
  for (auto _ : state) device.Run(*kernel, binding);
}

void SoftmaxHand(benchmark::State& state, int64_t rows, int64_t row) {
  const std::vector<float> x = Ramp(rows * row);
  std::vector<float> out(x.size());
  for (auto _ : state) {
    GetHand().softmax(x.data(), out.data(), rows, row);
    benchmark::ClobberMemory();
  }
}

void SoftmaxEngine(benchmark::State& state, int64_t rows, int64_t row) {
  Device device;
  const auto kernel =
      device.Compile(fusion::BlockLaunch{std::make_shared<const fusion::Block>(SoftmaxBlock())});
  const std::vector<int64_t> extents = {rows, row};
  const std::vector<fusion::Buffer*> buffers = {device.Floats(Ramp(rows * row)),
                                                device.Floats(Ramp(rows * row))};
  const std::vector<fusion::AccessBinding> maps(2, Map({rows, row}, {row, 1}));
  const fusion::LaunchBinding binding = fusion::BlockBinding{extents, buffers, maps, {}};
  for (auto _ : state) device.Run(*kernel, binding);
}

void LayerNormHand(benchmark::State& state, int64_t rows, int64_t row) {
  const std::vector<float> x = Ramp(rows * row);
  const std::vector<float> gamma = Ramp(row);
  std::vector<float> out(x.size());
  for (auto _ : state) {
    GetHand().layer_norm(x.data(), gamma.data(), gamma.data(), out.data(), rows, row);
    benchmark::ClobberMemory();
  }
}

void LayerNormEngine(benchmark::State& state, int64_t rows, int64_t row) {
  Device device;
  const auto kernel =
      device.Compile(fusion::BlockLaunch{std::make_shared<const fusion::Block>(LayerNormBlock())});
  const std::vector<int64_t> extents = {rows, row};
  const std::vector<fusion::Buffer*> buffers = {device.Floats(Ramp(rows * row)),
                                                device.Floats(Ramp(row)), device.Floats(Ramp(row)),
                                                device.Floats(Ramp(rows * row))};
  const std::vector<fusion::AccessBinding> maps = {
      Map({rows, row}, {row, 1}), Map({rows, row}, {0, 1}), Map({rows, row}, {0, 1}),
      Map({rows, row}, {row, 1})};
  const float count = static_cast<float>(row);
  uint32_t bits;
  __builtin_memcpy(&bits, &count, sizeof(bits));
  const std::vector<uint64_t> parameters = {bits};
  const fusion::LaunchBinding binding = fusion::BlockBinding{extents, buffers, maps, parameters};
  for (auto _ : state) device.Run(*kernel, binding);
}

}  // namespace

void RegisterBlocks() {
  for (const int64_t n : {int64_t{50}, int64_t{4096}, int64_t{1} << 20, int64_t{1} << 24}) {
    const std::string name = fmt::format("cheap8/{}", n);
    benchmark::RegisterBenchmark((name + "/hand").c_str(), Cheap8Hand, n);
    benchmark::RegisterBenchmark((name + "/engine").c_str(), Cheap8Engine, n);
  }
  const std::pair<int64_t, int64_t> shapes[] = {{4096, 64}, {512, 1024}, {4096, 1024}};
  for (const auto& [rows, row] : shapes) {
    const std::string softmax = fmt::format("softmax/{}x{}", rows, row);
    benchmark::RegisterBenchmark((softmax + "/hand").c_str(), SoftmaxHand, rows, row);
    benchmark::RegisterBenchmark((softmax + "/engine").c_str(), SoftmaxEngine, rows, row);
    const std::string norm = fmt::format("layer_norm/{}x{}", rows, row);
    benchmark::RegisterBenchmark((norm + "/hand").c_str(), LayerNormHand, rows, row);
    benchmark::RegisterBenchmark((norm + "/engine").c_str(), LayerNormEngine, rows, row);
  }
}

}  // namespace faultline::benchmarks
