// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sessions of one engine run at once, each with a thread pool under it, and meet in the plan cache,
// the kernels and the memory pool. Under ThreadSanitizer a race is a failure; everywhere, the bytes
// have to be those of a session that was alone.

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fusion/engine.h"
#include "ir/base/check.h"
#include "ir/parse.h"

namespace faultline::fusion {
namespace {

using Reads = std::vector<std::vector<std::byte>>;

// Each is larger than one tile and as small as that allows.
constexpr std::array<std::string_view, 5> kPrograms = {
    R"(faultline 1
%a: f32[48,96] = input uniform(seed=1, lo=-2, hi=2)
%b: f32[96] = input uniform(seed=2, lo=-2, hi=2)
%c: f32[48,96] = mul %a %b
%d: f32[48,96] = add_scalar %c 0x1p-1
%e: f32[48,96] = relu %d
%f: f32[48,1] = sum_dim %e dim=1
read %e %f
)",
    R"(faultline 1
%a: f32[24,40] = input normal(seed=3, mean=0, std=1)
%b: f32[40,56] = input normal(seed=4, mean=0, std=1)
%c: f32[24,56] = matmul %a %b
%d: f32[24,56] = softmax %c dim=1
read %d
read %c
)",
    R"(faultline 1
%a: i32[5000] = input ints(seed=5, lo=-9, hi=9)
%b: i32[5000] = mul %a %a
stream 1
%c: i32[5000] = add_scalar %b 7
%d: i32[5000] = cumsum %c dim=0
read %d %b %d
stream 0
%e: bool[5000] = equal_scalar %b 0
read %e
)",
    R"(faultline 1
%a: f32[64,32] = input uniform(seed=6, lo=-1, hi=1)
%q: q8s[64,32] = quantize %a
%b: f32[64,32] = dequantize %q
%p: f32[32,64] = permute %b axes=[1,0]
%c: f32[32,64] = neg %p
drop %b
read %q %c %a
)",
    R"(faultline 1
%a: f64[4096] = input iota(start=0, step=0x1p-3)
%b: f64[4096] = sqrt %a
%c: f64[64,64] = reshape %b
%d: f64[64,64] = sort %c dim=1 descending=true
sync
%e: f64[1] = max %d
read %e %d
)",
};

// Runs a program of inputs, applications, streams, syncs, drops and reads in a session. Assertions
// of Catch2 are not for several threads, hence the checks.
Reads Run(Session& session, const ir::Program& program) {
  std::map<ir::ValueId, Handle> handles;
  Reads reads;
  int stream = 0;
  for (const ir::Statement& statement : program.statements) {
    std::vector<Handle> operands;
    for (ir::ValueId operand : statement.operands) operands.push_back(handles.at(operand));
    switch (statement.kind) {
      case ir::StatementKind::kInput: {
        const ir::Type& type = program.TypeOf(statement.results[0]);
        const ir::HostTensor tensor = ir::Materialize(*statement.data, type);
        handles[statement.results[0]] =
            session.Create(stream, type, statement.layout, tensor.bytes).value();
        break;
      }
      case ir::StatementKind::kApply: {
        const std::array<ir::Type, 1> declared = {program.TypeOf(statement.results[0])};
        handles[statement.results[0]] = session
                                            .Apply({.stream = stream,
                                                    .op = statement.op,
                                                    .operands = operands,
                                                    .scalars = statement.scalars,
                                                    .attributes = &statement.attributes,
                                                    .declared = declared,
                                                    .names = {}})
                                            .value()
                                            .at(0);
        break;
      }
      case ir::StatementKind::kDrop:
        FAULTLINE_CHECK(session.Drop(stream, operands[0]).ok(), "drop failed");
        handles.erase(statement.operands[0]);
        break;
      case ir::StatementKind::kRead:
        for (ir::HostTensor& tensor : session.Read(stream, operands).value()) {
          reads.push_back(std::move(tensor.bytes));
        }
        break;
      case ir::StatementKind::kStream:
        stream = statement.stream;
        break;
      case ir::StatementKind::kSync:
        FAULTLINE_CHECK(session.Sync(stream).ok(), "sync failed");
        break;
      case ir::StatementKind::kClone:
      case ir::StatementKind::kExpect:
      case ir::StatementKind::kExpectError:
        FAULTLINE_CHECK(false, "not used by the programs of this test");
    }
  }
  for (const auto& [value, handle] : handles) {
    FAULTLINE_CHECK(session.Drop(stream, handle).ok(), "drop failed");
  }
  return reads;
}

std::vector<ir::Program> ParsedPrograms() {
  std::vector<ir::Program> programs;
  for (std::string_view text : kPrograms) {
    ir::Result<ir::Program> program = ir::ParseAndVerify(text);
    if (!program.has_value()) FAIL(program.error().Format("program"));
    programs.push_back(std::move(*program));
  }
  return programs;
}

std::unique_ptr<Engine> MakeEngine(int threads, int cache_entries) {
  EngineOptions options;
  options.threads = threads;
  options.cache_entries = cache_entries;
  return Engine::Create(options).value();
}

TEST_CASE("Sessions that run at once give the bytes of a session alone", "[threads]") {
  const std::vector<ir::Program> programs = ParsedPrograms();
  std::vector<Reads> alone;
  for (const ir::Program& program : programs) {
    const std::unique_ptr<Engine> engine = MakeEngine(1, 64);
    alone.push_back(Run(*engine->Open({}).value(), program));
  }

  constexpr int kSessions = 4;
  constexpr size_t kRounds = 12;
  const int cache_entries = GENERATE(3, 64);  // with 3, plans are evicted while they run
  const std::unique_ptr<Engine> engine = MakeEngine(2, cache_entries);
  std::array<int, kSessions> wrong = {};
  std::array<LiveCounts, kSessions> live = {};
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kSessions; ++t) {
      threads.emplace_back([&, t] {
        SessionOptions options;
        options.fusion = t != 3;
        if (t == 2) options.decisions.chaos_seed = 17;  // reaches the thread pool at any size
        const std::unique_ptr<Session> session = engine->Open(options).value();
        for (size_t round = 0; round < kRounds; ++round) {
          const size_t p = (t + round) % programs.size();
          if (Run(*session, programs[p]) != alone[p]) ++wrong[t];
        }
        live[t] = session->live();
      });
    }
  }
  for (size_t t = 0; t < kSessions; ++t) {
    CAPTURE(t);
    CHECK(wrong[t] == 0);
    CHECK(live[t].handles == 0);
    CHECK(live[t].bytes == 0);
  }
  CHECK((cache_entries == 3 ? engine->cache().evictions : engine->cache().hits) > 0);
}

}  // namespace
}  // namespace faultline::fusion
