// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The stand-alone libFuzzer target, for services that bring a libFuzzer and a corpus of their own:
//
//   faultline_fuzz [--backend=NAME] [--fault=ID] [--abort-on-finding=0|1] [libFuzzer's options]
//
// A finding ends the process in a function named after its key, or, with --abort-on-finding=0, is
// printed as a JSON line. Nothing is confirmed or reduced here.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/backend/registry.h"
#include "harness/campaign/features.h"
#include "harness/campaign/make_finding.h"
#include "harness/campaign/options.h"
#include "harness/campaign/trampolines.h"
#include "harness/generate/for_backend.h"
#include "harness/mutate/mutate.h"
#include "harness/oracle/judge.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "reports/finding_json.h"

__attribute__((section("__libfuzzer_extra_counters"), used))
uint8_t faultline_target_counters[faultline::harness::kFeaturesMax];

extern "C" {
int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                 uint8_t* out, size_t max_size, unsigned seed);
}

namespace faultline::harness {
namespace {

constexpr int kRejected = -1;  // libFuzzer: keep out of the corpus

struct Target {
  CampaignOptions campaign;
  std::unique_ptr<Backend> backend;
  MutateOptions mutate;
  bool abort_on_finding = true;
};
Target target;

std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// libFuzzer leaves arguments with two dashes to the target.
void ReadArgument(std::string_view argument) {
  const auto value = [argument](std::string_view name) -> const char* {
    return argument.starts_with(name) ? argument.data() + name.size() : nullptr;
  };
  if (const char* name = value("--backend=")) target.campaign.backend.name = name;
  if (const char* fault = value("--fault=")) target.campaign.backend.fault = fault;
  if (const char* flag = value("--abort-on-finding=")) {
    target.abort_on_finding = std::string_view(flag) != "0";
  }
}

size_t Emit(const ir::Program& program, uint8_t* out, size_t max_size) {
  const std::string text = ir::Print(program);
  if (text.size() > max_size) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

int JudgeText(std::string_view text) {
  const auto program = ir::ParseAndVerify(text);
  if (!program) return kRejected;
  const RunOptions run = DrawRunOptions(target.campaign, ir::HashText(text));
  const Judgement judgement = JudgeProgram(*program, *target.backend, run);
  Features features{std::span<uint8_t>(faultline_target_counters)};
  features.CountProgram(*program);
  features.CountTrace(judgement.observation.trace, target.backend->RuleNames());
  features.CountComparison(judgement.verdict, judgement.statistics);
  if (!IsFinding(judgement.verdict.kind)) {
    return judgement.verdict.kind == VerdictKind::kAgree ? 0 : kRejected;
  }
  const PlanTrace& trace = judgement.observation.trace;
  const ir::Program conditioned = WithRunConditions(*program, run, &trace);
  const reports::Finding finding =
      MakeFinding(conditioned, ir::Print(conditioned), judgement.verdict, &trace);
  if (target.abort_on_finding) DieOfFinding(finding.title, finding.key);
  std::printf("%s\n", reports::FindingToJson(finding).c_str());
  return kRejected;
}

}  // namespace
}  // namespace faultline::harness

namespace harness = faultline::harness;
using harness::target;
using harness::TextOf;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) harness::ReadArgument((*argv)[i]);
  auto backend = harness::MakeBackend(target.campaign.backend);
  if (!backend) {
    std::fprintf(stderr, "%s\n", backend.error().Format("").c_str());
    std::exit(5);
  }
  target.backend = std::move(*backend);
  target.mutate.generate = harness::OptionsFor(*target.backend);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return harness::JudgeText(TextOf(data, size));
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  harness::ChoiceStream choices{uint64_t{seed}};
  target.mutate.text_bytes_max = static_cast<int64_t>(max_size);
  const auto base = faultline::ir::ParseAndVerify(TextOf(data, size));
  // What is no program is answered by one.
  const auto program = base ? harness::Mutate(*base, choices, target.mutate)
                            : harness::Generate(choices, target.mutate.generate);
  return harness::Emit(program, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  const auto left = faultline::ir::ParseAndVerify(TextOf(a, a_size));
  const auto right = faultline::ir::ParseAndVerify(TextOf(b, b_size));
  if (!left || !right) return 0;
  harness::ChoiceStream choices{uint64_t{seed}};
  target.mutate.text_bytes_max = static_cast<int64_t>(max_size);
  return harness::Emit(harness::Crossover(*left, *right, choices, target.mutate), out, max_size);
}
