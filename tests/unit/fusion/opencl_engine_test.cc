// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The engine on the default OpenCL device. Where there is none, that there is a reason.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

// Null, with a warning, where this machine has no device.
std::unique_ptr<Engine> OpenClEngine(PoolMode pool = PoolMode::kPlain) {
  EngineOptions options;
  options.device = "opencl";
  options.pool = pool;
  auto engine = Engine::Create(options);
  if (engine.has_value()) return std::move(*engine);
  CHECK(engine.error().code() == ir::StatusCode::kUnsupported);
  WARN("skipped: " << engine.error().message());
  return nullptr;
}

bool Launched(const ProgramRun& run, std::string_view tier) {
  return std::ranges::any_of(run.trace.launches,
                             [&](const LaunchRecord& launch) { return TierName(launch) == tier; });
}

constexpr std::string_view kChain = R"(%x: f32[4] = input [1, 2, 3, 4]
%y: f32[4] = add %x %x
%z: f32[4] = mul %y %x
read %z
)";

TEST_CASE("a chain runs on the device, and on the host where that is chosen") {
  const auto engine = OpenClEngine();
  if (engine == nullptr) return;
  const ProgramRun device = RunText(*engine, kChain);
  CHECK(Launched(device, "block on device: generated if large"));
  CHECK(device.live.bytes == 0);
  SessionOptions options;
  options.decisions.deny = {"tier"};
  const ProgramRun host = RunText(*engine, kChain, options);
  CHECK(Launched(host, "block on host: chosen"));
  CHECK(BytesOf(device) == BytesOf(host));
}

TEST_CASE("what the device does not run says so in the trace") {
  const auto engine = OpenClEngine();
  if (engine == nullptr) return;
  const ProgramRun run = RunText(*engine, R"(%x: f32[2,2] = input [1, 2, 3, 4]
%y: f32[2,2] = matmul %x %x
%z: f32[2,2] = sort %y dim=1
read %z
)");
  CHECK(Launched(run, "matmul on host"));
  CHECK(Launched(run, "sort on host"));
}

TEST_CASE("exhausted memory fails the values that it was for, and nothing else") {
  const auto engine = OpenClEngine();
  if (engine == nullptr) return;
  SessionOptions options;
  options.fail_allocation = 2;
  const ProgramRun failed = RunText(*engine, kChain, options);
  REQUIRE(failed.reads.size() == 1);
  REQUIRE_FALSE(failed.reads[0].has_value());
  CHECK(failed.reads[0].error().code() == ir::StatusCode::kOutOfMemory);
  CHECK(failed.live.bytes == 0);
  CHECK(RunText(*engine, kChain).reads[0].has_value());
}

TEST_CASE("guard zones around buffers of the device") {
  const auto engine = OpenClEngine(PoolMode::kGuard);
  if (engine == nullptr) return;
  const ProgramRun run = RunText(*engine, R"(%x: f32[2,3] = input [5, 1, -inf, 3, 0, 2]
%y: f32[2,3] = softmax %x dim=1
%z: f32[2,3] = cumsum %y dim=1
read %z %y
)");
  CHECK(run.failures.empty());
  REQUIRE(run.reads.size() == 1);
  CHECK(run.reads[0].has_value());
}

TEST_CASE("a device that is not there is a status that names it") {
  EngineOptions options;
  options.device = "opencl:no such device";
  const auto engine = Engine::Create(options);
  REQUIRE_FALSE(engine.has_value());
  CHECK(engine.error().code() == ir::StatusCode::kUnsupported);
}

TEST_CASE("a forked process is told that its parent's drivers are not its own") {
  if (OpenClEngine() == nullptr) return;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    EngineOptions options;
    options.device = "opencl";
    const auto engine = Engine::Create(options);
    const bool told = !engine.has_value() && engine.error().code() == ir::StatusCode::kUnsupported;
    _exit(told ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace faultline::fusion
