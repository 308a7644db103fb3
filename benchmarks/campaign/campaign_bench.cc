// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The campaign's loop piece by piece, over the same generated programs: time is a program's. The
// counter `of_plain` is the ratio to the plain evaluation of these programs in the same run.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/generate/generate.h"
#include "harness/mutate/mutate.h"
#include "harness/oracle/compare.h"
#include "harness/oracle/judge.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "reference/contract.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

constexpr int kPrograms = 512;
using Clock = std::chrono::steady_clock;

struct Bench {
  std::unique_ptr<Backend> backend;
  MutateOptions mutate;
  std::vector<ir::Program> programs;
  std::vector<std::string> texts;
  std::vector<reference::Evaluation> evaluations;
  std::vector<Observation> observations;
  double plain_ns = 0;
};

double PlainNs(const Bench& bench) {
  const auto start = Clock::now();
  for (const ir::Program& program : bench.programs) {
    benchmark::DoNotOptimize(
        reference::Evaluate(program, bench.backend->contract(), {}, {.enclosures = false}));
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kPrograms;
}

const Bench& TheBench() {
  static const Bench bench = [] {
    Bench made;
    auto backend = MakeBackend({});
    if (!backend) std::abort();
    made.backend = std::move(*backend);
    Backend* raw = made.backend.get();
    made.mutate.generate.contract = &raw->contract();
    made.mutate.generate.supports = [raw](ir::Opcode op, const ir::Attributes& attributes,
                                          std::span<const ir::Type> operands,
                                          std::span<const ir::Type> results) {
      return raw->Supports(op, attributes, operands, results).ok();
    };
    for (uint64_t i = 0; i < kPrograms; ++i) {
      ChoiceStream choices(MixSeed(1, i));
      made.programs.push_back(Generate(choices, made.mutate.generate));
      made.texts.push_back(ir::Print(made.programs.back()));
      made.evaluations.push_back(reference::Evaluate(made.programs.back(), raw->contract()));
      made.observations.push_back(RunProgram(made.programs.back(), *raw, {}));
    }
    made.plain_ns = PlainNs(made);
    return made;
  }();
  return bench;
}

// Runs `piece` on one program after the other.
template <typename Piece>
void EachProgram(benchmark::State& state, Piece piece) {
  const Bench& bench = TheBench();
  size_t i = 0;
  const auto start = Clock::now();
  for (auto _ : state) {
    piece(bench, i);
    i = (i + 1) % kPrograms;
  }
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  state.counters["of_plain"] = ns / static_cast<double>(state.iterations()) / bench.plain_ns;
}

void Parse(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(ir::Parse(bench.texts[i]));
  });
}
void Verify(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(ir::Verify(bench.programs[i]).ok());
  });
}
void Print(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(ir::Print(bench.programs[i]));
  });
}
void GenerateValueAware(benchmark::State& state) {
  uint64_t seed = 0;
  EachProgram(state, [&](const Bench& bench, size_t) {
    ChoiceStream choices(MixSeed(2, seed++));
    benchmark::DoNotOptimize(Generate(choices, bench.mutate.generate));
  });
}
void MutateProgram(benchmark::State& state) {
  uint64_t seed = 0;
  EachProgram(state, [&](const Bench& bench, size_t i) {
    ChoiceStream choices(MixSeed(3, seed++));
    benchmark::DoNotOptimize(Mutate(bench.programs[i], choices, bench.mutate));
  });
}
void PlainReference(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(reference::Evaluate(bench.programs[i], bench.backend->contract(), {},
                                                 {.enclosures = false}));
  });
}
void Enclosures(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(reference::Evaluate(bench.programs[i], bench.backend->contract()));
  });
}

// A new engine a program: every plan is a miss. Making the engine is not counted.
void RecordPlanMissExecute(benchmark::State& state) {
  const Bench& bench = TheBench();
  size_t i = 0;
  double ns = 0;
  for (auto _ : state) {
    (void)bench.backend->Renew().ok();
    const auto start = Clock::now();
    benchmark::DoNotOptimize(RunProgram(bench.programs[i], *bench.backend, {}));
    const double spent = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    state.SetIterationTime(spent / 1e9);
    ns += spent;
    i = (i + 1) % kPrograms;
  }
  state.counters["of_plain"] = ns / static_cast<double>(state.iterations()) / bench.plain_ns;
}
// The same programs on the same engine again and again: every plan is a hit.
void RecordPlanHitExecute(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(RunProgram(bench.programs[i], *bench.backend, {}));
  });
}
void CompareObservation(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(Compare(bench.programs[i], bench.backend->contract(),
                                     bench.evaluations[i], bench.observations[i]));
  });
}
void JudgeWhole(benchmark::State& state) {
  EachProgram(state, [](const Bench& bench, size_t i) {
    benchmark::DoNotOptimize(JudgeProgram(bench.programs[i], *bench.backend, {}));
  });
}

BENCHMARK(Parse);
BENCHMARK(Verify);
BENCHMARK(Print);
BENCHMARK(GenerateValueAware);
BENCHMARK(MutateProgram);
BENCHMARK(PlainReference);
BENCHMARK(Enclosures);
BENCHMARK(RecordPlanMissExecute)->UseManualTime();
BENCHMARK(RecordPlanHitExecute);
BENCHMARK(CompareObservation);
BENCHMARK(JudgeWhole);

}  // namespace
}  // namespace faultline::harness

BENCHMARK_MAIN();
