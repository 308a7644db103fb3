// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/power.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/for_backend.h"
#include "harness/generate/generate.h"
#include "harness/oracle/compare.h"
#include "ir/program.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

using nlohmann::json;
using Flags = std::array<bool, kOracleCount>;

// What one program gave: what each oracle says, and a hash of all that was observed.
struct Outcome {
  Flags flagged = {};
  uint64_t observed = 0;
};

// Pools and planner decisions as a campaign draws them, because some faults show with guarded
// memory alone. Nothing else of a session is drawn: rivals have no word for a failed allocation.
RunOptions RunOptionsOf(uint64_t seed, uint64_t index) {
  ChoiceStream choices(MixSeed(seed + 1, index));
  constexpr PoolMode kModes[] = {PoolMode::kPlain, PoolMode::kGuard, PoolMode::kPitch};
  RunOptions run = {.trace = false};
  run.session.pool = choices.Pick(kModes);
  run.session.pool_seed = choices.Below(1024);
  if (choices.OneIn(6)) run.session.chaos = choices.Below(1 << 20);
  run.poison = static_cast<uint8_t>(run.session.pool_seed | 1);
  return run;
}

uint64_t HashOf(const Observation& observation) {
  std::string text;
  for (const ReadObservation& read : observation.reads) {
    text += std::to_string(static_cast<int>(read.status.code()));
    for (const ir::HostTensor& tensor : read.tensors) {
      text += ir::PrintType(tensor.type);
      text.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
  }
  text += std::to_string(observation.failures.size()) + " " +
          std::to_string(observation.live.handles) + " " + std::to_string(observation.live.bytes);
  return ir::HashText(text);
}

// A harness with a tolerance also sees a call that fails and a read that fails or does not against
// expectation; it looks at no counts of what is alive.
bool IsFlaggedBy(Rival rival, const ir::Program& program, const reference::Evaluation& evaluation,
                 const Observation& observation) {
  if (!observation.opened.ok() || !observation.failures.empty()) return true;
  for (const ReadObservation& read : observation.reads) {
    const auto statement = static_cast<size_t>(read.statement);
    const reference::ReadPrediction& predicted = evaluation.reads[statement];
    if (predicted.outcome == reference::Outcome::kMaybe) continue;
    const bool should_fail = predicted.outcome == reference::Outcome::kError;
    if (should_fail != !read.status.ok()) return true;
    const std::vector<ir::ValueId>& values = program.statements[statement].operands;
    if (should_fail) continue;
    if (read.tensors.size() != values.size()) return true;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!Accepts(rival, evaluation.Naive(values[i]), read.tensors[i])) return true;
    }
  }
  return false;
}

Outcome RunOne(Backend& backend, const GenerateOptions& options, uint64_t seed, uint64_t index) {
  ChoiceStream choices(MixSeed(seed, index));
  const ir::Program program = Generate(choices, options);
  const reference::Contract& contract = backend.contract();
  const reference::Evaluation evaluation = reference::Evaluate(program, contract);
  const Observation observation = RunProgram(program, backend, RunOptionsOf(seed, index));
  Outcome outcome;
  outcome.observed = HashOf(observation);
  const Comparison ours = Compare(program, contract, evaluation, observation);
  outcome.flagged[kOurs] = IsFinding(ours.verdict.kind);
  for (size_t i = 0; i < kRivals.size(); ++i) {
    outcome.flagged[i + 1] = IsFlaggedBy(kRivals[i], program, evaluation, observation);
  }
  return outcome;
}

// What a backend with a fault is without it.
std::string_view CleanOf(std::string_view backend) {
  return backend == "canary" ? "reference" : backend;
}

// Whether this machine has a device for it.
bool IsHere(const std::string& backend) {
  const auto made = MakeBackend({.name = backend});
  return made.has_value() || made.error().code() != ir::StatusCode::kUnsupported;
}

}  // namespace

std::string_view OracleName(size_t oracle) {
  return oracle == kOurs ? "Faultline" : RivalName(kRivals[oracle - 1]);
}

std::vector<PowerRun> PowerRuns() {
  std::vector<PowerRun> runs;
  for (const BackendRow& row : BuiltInBackends()) {
    const std::string name(row.name);
    // The reference runs without a fault beside each of the canary's.
    if (name == CleanOf(name) && IsHere(name)) runs.push_back({name, ""});
    for (const SeededFault& fault : SeededFaults(name)) {
      runs.push_back({name, std::string(fault.id)});
    }
  }
  return runs;
}

ir::Result<PowerCounts> CountPower(const PowerRun& run, int64_t programs, uint64_t seed) {
  PowerCounts counts;
  FAULTLINE_ASSIGN_OR_RETURN(auto clean, MakeBackend({.name = std::string(CleanOf(run.backend))}));
  const GenerateOptions options = OptionsFor(*clean);
  // The clean run comes first as a whole: a seeded fault, once on, is on in the whole process.
  std::vector<Outcome> without;
  for (int64_t i = 0; i < programs; ++i) {
    without.push_back(RunOne(*clean, options, seed, static_cast<uint64_t>(i)));
    for (size_t k = 0; k < kOracleCount; ++k) counts.clean_flagged[k] += without.back().flagged[k];
  }
  counts.programs = programs;
  if (run.fault.empty()) return counts;
  FAULTLINE_ASSIGN_OR_RETURN(auto faulty, MakeBackend({.name = run.backend, .fault = run.fault}));
  for (int64_t i = 0; i < programs; ++i) {
    const Outcome with = RunOne(*faulty, options, seed, static_cast<uint64_t>(i));
    const Outcome& before = without[static_cast<size_t>(i)];
    if (with.observed == before.observed) continue;
    ++counts.changed;
    for (size_t k = 0; k < kOracleCount; ++k) {
      counts.changed_flagged[k] += with.flagged[k];
      counts.found[k] += with.flagged[k] && !before.flagged[k];
    }
  }
  return counts;
}

std::string PrintPowerCounts(const PowerCounts& counts) {
  return json{counts.programs, counts.changed, counts.clean_flagged, counts.changed_flagged,
              counts.found}
      .dump();
}

PowerCounts ParsePowerCounts(std::string_view line) {
  const json all = json::parse(line);
  PowerCounts counts;
  counts.programs = all[0];
  counts.changed = all[1];
  counts.clean_flagged = all[2];
  counts.changed_flagged = all[3];
  counts.found = all[4];
  return counts;
}

}  // namespace faultline::harness
