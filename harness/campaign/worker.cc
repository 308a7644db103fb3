// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/backend/support.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/features.h"
#include "harness/campaign/findings_log.h"
#include "harness/campaign/make_finding.h"
#include "harness/campaign/options.h"
#include "harness/campaign/parsed_programs.h"
#include "harness/campaign/shared_state.h"
#include "harness/campaign/statistics.h"
#include "harness/campaign/worker_totals.h"
#include "harness/generate/for_backend.h"
#include "harness/generate/generate.h"
#include "harness/mutate/mutate.h"
#include "harness/oracle/judge.h"
#include "ir/print.h"

// Features of this input, in the section that libFuzzer clears before and scans after each input.
// Not static: a write-only array of internal linkage would be removed.
__attribute__((section("__libfuzzer_extra_counters"), used))
uint8_t faultline_extra_counters[faultline::harness::kFeaturesMax];

// libFuzzer as a library: its driver, and the hooks that it looks for.
extern "C" {
int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*callback)(const uint8_t*, size_t));
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                 uint8_t* out, size_t max_size, unsigned seed);
}

namespace faultline::harness {
namespace {

constexpr uint64_t kWriteStatisticsNs = 1'000'000'000;
// A fresh program instead of a mutant, once in so many.
constexpr uint32_t kFreshOneIn = 8;
constexpr int kRejected = -1;  // libFuzzer: keep out of the corpus

std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

class Worker {
 public:
  Worker(const WorkerOptions& options, CampaignOptions campaign, SharedState state,
         std::unique_ptr<Backend> backend);

  int RunDriver();
  int RunOne(std::string_view text);
  size_t Mutate(uint8_t* data, size_t size, size_t max_size, unsigned seed);
  size_t Cross(std::string_view a, std::string_view b, uint8_t* out, size_t max_size,
               unsigned seed);

 private:
  // What the mutator made last: the target is called with the same bytes next.
  struct Memo {
    std::string text;
    ProgramPtr program;
  };

  WorkerSlot& slot() { return state_->workers[options_.index]; }
  ProgramPtr ProgramOf(std::string_view text);
  size_t Emit(ir::Program program, uint8_t* out, size_t max_size);
  void Account(const ir::Program& program, const Judgement& judgement, bool counted);
  void Record(const ir::Program& program, const RunOptions& run, const Judgement& judgement);
  void CountFeatures(const ir::Program& program, const Judgement& judgement);
  void WriteStatistics();
  [[noreturn]] void Leave();

  WorkerOptions options_;
  CampaignOptions campaign_;
  CampaignPaths paths_;
  SharedState state_;
  std::unique_ptr<Backend> backend_;
  std::vector<std::string_view> rules_;
  MutateOptions mutate_;
  Memo memo_;
  ParsedPrograms parsed_;
  bool memo_is_next_ = false;
  Statistics statistics_;
  WorkerTotals totals_;
  std::array<uint8_t, kFeaturesMax> features_seen_ = {};
  uint64_t statistics_written_ns_ = 0;
  uint64_t left_target_ns_ = 0;
};

Worker* worker = nullptr;

Worker::Worker(const WorkerOptions& options, CampaignOptions campaign, SharedState state,
               std::unique_ptr<Backend> backend)
    : options_(options),
      campaign_(std::move(campaign)),
      paths_(options.out),
      state_(std::move(state)),
      backend_(std::move(backend)),
      rules_(backend_->RuleNames()) {
  GenerateOptions& generate = mutate_.generate;
  generate = OptionsFor(*backend_);
  generate.input_dtypes = 0;
  for (const auto& [op, dtype] : SupportedOpDtypes(*backend_)) {
    if (ir::InfoOf(op).arity != 0) generate.input_dtypes |= ir::MaskOf(dtype);
  }
  if (!campaign_.focus.empty()) generate.focus = FindFocus(campaign_.focus);
}

int Worker::RunDriver() {
  std::vector<std::string> arguments = {
      "faultline", fmt::format("-max_len={}", ir::kTextBytesMax),
      fmt::format("-timeout={}", campaign_.timeout_s), "-rss_limit_mb=4096", "-reload=1",
      // Cheap programs are tried more often than dear ones: over the same 30,000 programs 11.8 ops
      // each instead of 15, 22 % less time, the same features.
      "-entropic_scale_per_exec_time=1", "-print_final_stats=0", "-verbosity=0", "-detect_leaks=0",
      "-use_value_profile=0",
      // One feature a counter instead of eight levels. Over the same 12,000 programs the corpus
      // grew to 922 entries instead of 2,152, and our own features to 1,025 instead of 1,005.
      "-use_counters=0", "-create_missing_dirs=1",
      fmt::format("-artifact_prefix={}", paths_.artifacts()),
      fmt::format("-seed={}",
                  1 + MixSeed(campaign_.seed, static_cast<uint64_t>(options_.index) * 1000 +
                                                  static_cast<uint64_t>(options_.generation)) %
                          0x7ffffffe),
      paths_.corpus()};
  arguments.insert(arguments.end(), campaign_.seeds.begin(), campaign_.seeds.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  char** argv_data = argv.data();
  return LLVMFuzzerRunDriver(&argc, &argv_data, [](const uint8_t* data, size_t size) {
    return worker->RunOne(TextOf(data, size));
  });
}

ProgramPtr Worker::ProgramOf(std::string_view text) {
  return text == memo_.text ? memo_.program : parsed_.Find(text);
}

size_t Worker::Emit(ir::Program program, uint8_t* out, size_t max_size) {
  std::string text = ir::Print(program);
  // Not a program any more if cut, but libFuzzer never lets it come to that: max_len is the limit
  // of a text.
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  memo_ = {std::move(text), std::make_shared<const ir::Program>(std::move(program))};
  memo_is_next_ = true;
  return size;
}

size_t Worker::Mutate(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const uint64_t start = MonotonicNs();
  if (left_target_ns_ != 0) totals_.Spend(Stage::kFuzzer, start - left_target_ns_);
  ChoiceStream choices(MixSeed(campaign_.seed, seed));
  mutate_.text_bytes_max = static_cast<int64_t>(max_size);
  ProgramPtr base;
  if (!choices.OneIn(kFreshOneIn)) base = ProgramOf(TextOf(data, size));
  ir::Program program = base != nullptr ? harness::Mutate(*base, choices, mutate_)
                                        : Generate(choices, mutate_.generate);
  const size_t length = Emit(std::move(program), data, max_size);
  totals_.Spend(Stage::kMutate, MonotonicNs() - start);
  return length;
}

size_t Worker::Cross(std::string_view a, std::string_view b, uint8_t* out, size_t max_size,
                     unsigned seed) {
  const ProgramPtr left = ProgramOf(a);
  const ProgramPtr right = ProgramOf(b);
  if (left == nullptr || right == nullptr) return 0;
  ChoiceStream choices(MixSeed(campaign_.seed, seed));
  mutate_.text_bytes_max = static_cast<int64_t>(max_size);
  return Emit(Crossover(*left, *right, choices, mutate_), out, max_size);
}

int Worker::RunOne(std::string_view text) {
  if (state_->stop.load(std::memory_order_relaxed) != 0) Leave();
  const uint64_t start = MonotonicNs();
  // Inputs that the mutator did not just make are seeds, or come from other workers.
  const bool counted = std::exchange(memo_is_next_, false) && text == memo_.text;
  const ProgramPtr program = ProgramOf(text);
  if (program == nullptr) {
    slot().rejected.fetch_add(1, std::memory_order_relaxed);
    return kRejected;
  }
  if (counted && !TakeTicket(*state_)) Leave();
  const RunOptions run = DrawRunOptions(campaign_, ir::HashText(text));
  BeginInput(slot(), text);
  const uint64_t parsed = MonotonicNs();
  const Judgement judgement = JudgeProgram(*program, *backend_, run);
  EndInput(slot());
  const uint64_t judged = MonotonicNs();
  // Made for another backend, or an input that this one does not hold: it says nothing.
  if (judgement.verdict.kind == VerdictKind::kUnsupported) {
    slot().rejected.fetch_add(1, std::memory_order_relaxed);
    return kRejected;
  }
  Account(*program, judgement, counted);
  if (IsFinding(judgement.verdict.kind)) Record(*program, run, judgement);
  const uint64_t now = MonotonicNs();
  if (now - statistics_written_ns_ > kWriteStatisticsNs) WriteStatistics();
  totals_.Spend(Stage::kParse, parsed - start);
  totals_.Spend(Stage::kJudge, judged - parsed);
  left_target_ns_ = MonotonicNs();
  totals_.Spend(Stage::kCount, left_target_ns_ - judged);
  // What is kept out of the corpus leads to nothing: the next program is a fresh one.
  const bool keep = judgement.verdict.kind == VerdictKind::kAgree &&
                    campaign_.feedback != FeedbackName(Feedback::kNone);
  return keep ? 0 : kRejected;
}

void Worker::Account(const ir::Program& program, const Judgement& judgement, bool counted) {
  CountFeatures(program, judgement);
  if (!counted) {
    slot().seeds.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  statistics_.CountProgram(program);
  totals_.Count(judgement);
  const uint64_t now = MonotonicNs();
  if (slot().first_ns.load(std::memory_order_relaxed) == 0) slot().first_ns.store(now);
  slot().last_ns.store(now, std::memory_order_relaxed);
  slot().programs.fetch_add(1, std::memory_order_relaxed);
  if (judgement.verdict.kind == VerdictKind::kVacuous) {
    slot().vacuous.fetch_add(1, std::memory_order_relaxed);
  }
}

void Worker::CountFeatures(const ir::Program& program, const Judgement& judgement) {
  const std::span<uint8_t> counters(faultline_extra_counters);
  Features features{counters};
  features.CountProgram(program);
  features.CountTrace(judgement.observation.trace, rules_);
  features.CountComparison(judgement.verdict, judgement.statistics);
  // Whole vectors at a time: compilers see to it.
  for (size_t i = 0; i < kFeaturesMax; ++i) {
    features_seen_[i] |= faultline_extra_counters[i];
  }
  const auto unseen = static_cast<size_t>(std::ranges::count(features_seen_, 0));
  slot().features.store(kFeaturesMax - unseen, std::memory_order_relaxed);
  if (campaign_.feedback != FeedbackName(Feedback::kAll)) std::ranges::fill(counters, uint8_t{0});
}

void Worker::Record(const ir::Program& program, const RunOptions& run, const Judgement& judgement) {
  const PlanTrace& trace = judgement.observation.trace;
  const ir::Program conditioned = WithRunConditions(program, run, &trace);
  reports::Finding finding =
      MakeFinding(conditioned, ir::Print(conditioned), judgement.verdict, &trace);
  finding.backend = backend_->name();
  finding.fault = campaign_.backend.fault;
  finding.environment = DescribeEnvironment();
  finding.environment.emplace_back("engine", trace.environment);
  finding.programs_to_find = slot().programs.load(std::memory_order_relaxed);
  for (const std::string& text : TextsBefore(slot())) finding.history += text + "\n";
  const ir::Status status = AppendFinding(paths_.findings_log(options_.index), finding);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\nthe finding was:\n%s\n", status.message().c_str(),
                 finding.program.c_str());
    std::abort();
  }
  slot().findings.fetch_add(1, std::memory_order_relaxed);
}

void Worker::WriteStatistics() {
  statistics_written_ns_ = MonotonicNs();
  Statistics all = statistics_;
  totals_.AddTo(all);
  AddFeatures(features_seen_, all);
  // A lost update of numbers is no reason to end a campaign.
  (void)WriteWholeFile(paths_.statistics(options_.index, options_.generation), all.Serialize())
      .ok();
}

void Worker::Leave() {
  WriteStatistics();
  std::fflush(nullptr);
  // libFuzzer's driver does not return on request; nothing is left to be written.
  std::_Exit(0);
}

int Fail(const ir::Status& status) {
  std::fprintf(stderr, "%s\n", status.Format("").c_str());
  return 5;
}

}  // namespace

int RunWorker(const WorkerOptions& options) {
  const CampaignPaths paths(options.out);
  const auto text = ReadWholeFile(paths.options());
  if (!text) return Fail(text.error());
  auto campaign = ParseOptions(*text);
  if (!campaign) return Fail(campaign.error());
  auto state = SharedState::Open(paths.state());
  if (!state) return Fail(state.error());
  auto backend = MakeBackend(campaign->backend);
  if (!backend) return Fail(backend.error());
  Worker self(options, std::move(*campaign), std::move(*state), std::move(*backend));
  worker = &self;
  return self.RunDriver();
}

}  // namespace faultline::harness

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return faultline::harness::worker->Mutate(data, size, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  using faultline::harness::TextOf;
  return faultline::harness::worker->Cross(TextOf(a, a_size), TextOf(b, b_size), out, max_size,
                                           seed);
}
