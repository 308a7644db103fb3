// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A transaction of 100 small tensors of every kind, beside as many copies into host tensors.

#include <array>

#include "benchmarks/engine/pairs.h"
#include "fusion/engine.h"
#include "ir/base/check.h"

namespace faultline::benchmarks {
namespace {

constexpr int kReads = 100;

// Types by turns: float, int, bool, quantized.
ir::Type TypeOf(int i) {
  const ir::Shape shape = {16};
  switch (i % 4) {
    case 0:
      return {ir::Dtype::kF32, shape};
    case 1:
      return {ir::Dtype::kI64, shape};
    case 2:
      return {ir::Dtype::kBool, shape};
    default:
      return {ir::ElementType(ir::Scheme()), shape};
  }
}

std::vector<std::byte> BytesOf(const ir::Type& type) {
  std::vector<std::byte> bytes(static_cast<size_t>(type.HostBytes()), std::byte{1});
  return bytes;
}

void ReadsHand(benchmark::State& state) {
  std::vector<ir::HostTensor> stored;
  for (int i = 0; i < kReads; ++i) stored.push_back({TypeOf(i), BytesOf(TypeOf(i))});
  for (auto _ : state) {
    std::vector<ir::HostTensor> result(stored);
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
}

void ReadsEngine(benchmark::State& state) {
  auto engine = fusion::Engine::Create({});
  FAULTLINE_CHECK(engine.has_value(), "an engine");
  fusion::SessionOptions options;
  options.trace = false;
  auto session = (*engine)->Open(options);
  FAULTLINE_CHECK(session.has_value(), "a session");
  std::vector<fusion::Handle> handles;
  for (int i = 0; i < kReads; ++i) {
    const ir::Type type = TypeOf(i);
    auto handle = (*session)->Create(0, type, {}, BytesOf(type));
    FAULTLINE_CHECK(handle.has_value(), "a value");
    handles.push_back(*handle);
  }
  for (auto _ : state) {
    auto result = (*session)->Read(0, handles);
    FAULTLINE_CHECK(result.has_value(), "a read");
    benchmark::DoNotOptimize(result->data());
  }
  for (const fusion::Handle handle : handles) {
    FAULTLINE_CHECK((*session)->Drop(0, handle).ok(), "a drop");
  }
}

}  // namespace

void RegisterTransactions() {
  benchmark::RegisterBenchmark("reads_of_100/16/hand", ReadsHand);
  benchmark::RegisterBenchmark("reads_of_100/16/engine", ReadsEngine);
}

}  // namespace faultline::benchmarks
