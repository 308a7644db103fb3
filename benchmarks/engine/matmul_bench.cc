// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products beside the bare library call, those of 8-bit codes beside the same call on floats, and
// with bias and gelu behind them beside the call and one loop by hand.

#include <fmt/format.h>

#include "benchmarks/engine/device.h"
#include "benchmarks/engine/hand.h"
#include "benchmarks/engine/pairs.h"
#include "fusion/cpu/blas.h"
#include "ir/scheme.h"

namespace faultline::benchmarks {
namespace {

using fusion::Op;
using fusion::Val;
using ir::Dtype;

// gelu(product + bias)
std::shared_ptr<const fusion::Block> Epilogue() {
  fusion::BlockBuilder b(2);
  const int product = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int bias = b.AddStrided(b.AddSlot(), Dtype::kF32);
  const int out = b.AddStrided(b.AddSlot(), Dtype::kF32);
  b.BeginElementPhase();
  const Val x = b.Binary(Op::kAdd, b.Load(product), b.Load(bias));
  const Val erf = b.Unary(Op::kErf, b.Binary(Op::kMul, x, b.F32(0.70710678f)));
  const Val half = b.Binary(Op::kMul, b.F32(0.5f), x);
  b.Store(out, b.Binary(Op::kMul, half, b.Binary(Op::kAdd, b.F32(1), erf)));
  return std::make_shared<const fusion::Block>(b.Finish());
}

void MatmulHand(benchmark::State& state, int64_t n, bool gelu) {
  const std::vector<float> a = Ramp(n * n);
  const std::vector<float> bias = Ramp(n);
  std::vector<float> out(a.size());
  const int size = static_cast<int>(n);
  for (auto _ : state) {
    fusion::cpu::GetBlas().sgemm(fusion::cpu::kBlasRowMajor, fusion::cpu::kBlasAsIs,
                                 fusion::cpu::kBlasAsIs, size, size, size, 1, a.data(), size,
                                 a.data(), size, 0, out.data(), size);
    if (gelu) GetHand().bias_gelu(bias.data(), out.data(), n, n);
    benchmark::ClobberMemory();
  }
}

void MatmulEngine(benchmark::State& state, int64_t n, bool gelu) {
  Device device;
  fusion::MatmulLaunch launch;
  if (gelu) launch.epilogue = Epilogue();
  const auto kernel = device.Compile(launch);
  fusion::TensorBinding tensor;
  tensor.shape = {n, n};
  tensor.place.strides = {n, 1};
  fusion::MatmulBinding matmul;
  matmul.left = tensor;
  matmul.left.buffer = device.Floats(Ramp(n * n));
  matmul.right = matmul.left;
  matmul.result = tensor;
  matmul.result.buffer = device.Floats(Ramp(n * n));
  const std::vector<int64_t> extents = {n, n};
  const std::vector<fusion::Buffer*> buffers = {nullptr, device.Floats(Ramp(n)),
                                                matmul.result.buffer};
  const std::vector<fusion::AccessBinding> maps = {fusion::AccessBinding(), Map({n, n}, {0, 1}),
                                                   Map({n * n}, {1})};
  if (gelu) matmul.epilogue = {extents, buffers, maps, {}};
  const fusion::LaunchBinding binding = matmul;
  for (auto _ : state) device.Run(*kernel, binding);
}

// q8s by q8s, per tensor; what it is measured against is the product of floats.
void QMatmulEngine(benchmark::State& state, int64_t n, ir::QStore store) {
  Device device;
  ir::Scheme scheme;
  scheme.store = store;
  const auto kernel = device.Compile(fusion::QMatmulLaunch{scheme, scheme});
  const ir::Shape shape = {n, n};
  // Codes of every kind: any bytes are some, behind them a scale of 1.
  std::vector<float> host(static_cast<size_t>(ir::LayoutOf(scheme, shape).total_bytes / 4));
  auto* codes = reinterpret_cast<int8_t*>(host.data());
  for (int64_t i = 0; i < n * n; ++i) codes[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  host.back() = 1;
  fusion::QMatmulBinding product;
  product.left = device.Floats(host);
  product.right = device.Floats(host);
  product.left_shape = shape;
  product.right_shape = shape;
  product.result.shape = shape;
  product.result.place.strides = {n, 1};
  product.result.buffer = device.Floats(Ramp(n * n));
  const fusion::LaunchBinding binding = product;
  for (auto _ : state) device.Run(*kernel, binding);
}

}  // namespace

void RegisterMatmul() {
  if (fusion::cpu::GetBlas().sgemm == nullptr) return;
  for (const int64_t n : {16, 64, 256, 1024}) {
    for (const bool gelu : {false, true}) {
      const std::string name = fmt::format("matmul{}/{}", gelu ? "_bias_gelu" : "", n);
      benchmark::RegisterBenchmark((name + "/hand").c_str(), MatmulHand, n, gelu);
      benchmark::RegisterBenchmark((name + "/engine").c_str(), MatmulEngine, n, gelu);
    }
  }
  for (const int64_t n : kQMatmulSizes) {
    const std::string name = fmt::format("q_matmul_q8s/{}", n);
    benchmark::RegisterBenchmark((name + "/sgemm").c_str(), MatmulHand, n, false);
    benchmark::RegisterBenchmark((name + "/engine").c_str(), QMatmulEngine, n, ir::QStore::kNative);
    benchmark::RegisterBenchmark((name + "/engine_packed_u32").c_str(), QMatmulEngine, n,
                                 ir::QStore::kPackedU32);
  }
}

}  // namespace faultline::benchmarks
