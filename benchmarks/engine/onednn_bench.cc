// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// oneDNN's products of 8-bit codes, where the library is installed: signed by signed, scaled to
// f32, which is what q_matmul does; and the bare product of its BLAS-like interface, to i32.

#include <dlfcn.h>
#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "benchmarks/engine/pairs.h"

namespace faultline::benchmarks {
namespace {

// One thread, as what it stands beside. The library brings the OpenMP runtime it was built with.
void UseOneThread() {
  using SetThreads = void (*)(int);
  void* found = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (found != nullptr) reinterpret_cast<SetThreads>(found)(1);
}

std::vector<int8_t> Codes(int64_t count) {
  std::vector<int8_t> codes(static_cast<size_t>(count));
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  return codes;
}

void Matmul(benchmark::State& state, int64_t n) {
  using dnnl::memory;
  UseOneThread();
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto type = [n](memory::data_type dtype) {
    return memory::desc({n, n}, dtype, memory::format_tag::ab);
  };
  const memory::desc codes = type(memory::data_type::s8);
  const memory::desc floats = type(memory::data_type::f32);
  dnnl::primitive_attr scaled;
  scaled.set_output_scales(0, {0.5f});
  const dnnl::matmul product(
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(codes, codes, floats), scaled, engine));
  std::vector<int8_t> left = Codes(n * n);
  std::vector<int8_t> right = left;
  std::vector<float> out(left.size());
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, memory(codes, engine, left.data())},
      {DNNL_ARG_WEIGHTS, memory(codes, engine, right.data())},
      {DNNL_ARG_DST, memory(floats, engine, out.data())}};
  for (auto _ : state) {
    product.execute(stream, arguments);
    stream.wait();
  }
}

void Gemm(benchmark::State& state, int64_t n) {
  UseOneThread();
  const std::vector<int8_t> left = Codes(n * n);
  const std::vector<int8_t> right = left;
  std::vector<int32_t> out(left.size());
  const int32_t offset = 0;
  for (auto _ : state) {
    dnnl_gemm_s8s8s32('N', 'N', 'F', n, n, n, 1, left.data(), n, 0, right.data(), n, 0, 0,
                      out.data(), n, &offset);
    benchmark::ClobberMemory();
  }
}

}  // namespace

void RegisterOneDnn() {
  for (const int64_t n : kQMatmulSizes) {
    const std::string name = fmt::format("q_matmul_q8s/{}", n);
    benchmark::RegisterBenchmark((name + "/onednn_matmul").c_str(), Matmul, n);
    benchmark::RegisterBenchmark((name + "/onednn_gemm_to_i32").c_str(), Gemm, n);
  }
}

}  // namespace faultline::benchmarks
