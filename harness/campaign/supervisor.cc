// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/supervisor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/campaign/child_process.h"
#include "harness/campaign/cost_check.h"
#include "harness/campaign/findings_log.h"
#include "harness/campaign/judge_queue.h"
#include "harness/campaign/make_finding.h"
#include "harness/campaign/shared_state.h"
#include "harness/campaign/status_line.h"
#include "harness/oracle/verdict.h"
#include "ir/parse.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

constexpr int kQuickDeathsMax = 5;     // a worker that dies so often before its first program
constexpr double kJudgingGraceS = 60;  // for open judges after the campaign's end
constexpr size_t kReportTailBytes = 65536;

volatile std::sig_atomic_t interrupts = 0;

extern "C" void OnInterrupt(int) { interrupts = interrupts + 1; }

// libFuzzer's exit codes (FuzzerOptions): a timeout and exhausted memory are told from a crash.
constexpr int kTimeoutExit = 70;
constexpr int kOutOfMemoryExit = 71;

struct WorkerProcess {
  pid_t pid = 0;  // 0: not running
  int generation = 0;
  int quick_deaths = 0;
  uint64_t programs_at_start = 0;
  int64_t log_offset = 0;
};

class Supervisor {
 public:
  Supervisor(CampaignOptions options, const Backend& backend, SharedState state)
      : options_(std::move(options)),
        backend_(backend),
        paths_(options_.out),
        state_(std::move(state)),
        judges_(options_),
        workers_(static_cast<size_t>(options_.jobs)),
        status_(options_.quiet) {
    for (int i = 0; i < options_.jobs; ++i) readers_.emplace_back(paths_.findings_log(i));
    readers_.emplace_back(paths_.findings_log(kSupervisorLog));
  }

  ir::Result<CampaignResult> Run();

 private:
  static constexpr int kSupervisorLog = kJobsMax;

  ir::Status Start(int index);
  ir::Status Watch(int index);
  void RecordDeath(int index, const ChildExit& exit);
  void CollectFindings();
  void CheckCosts();
  bool Running() const;
  void ShowStatus();
  void StopWorkers();
  void FinishJudging();
  Statistics GatherStatistics() const;
  CampaignResult Gather();
  uint64_t Programs() const;
  double Elapsed() const { return static_cast<double>(MonotonicNs() - started_ns_) / 1e9; }

  CampaignOptions options_;
  const Backend& backend_;
  CampaignPaths paths_;
  SharedState state_;
  JudgeQueue judges_;
  std::vector<WorkerProcess> workers_;
  std::vector<FindingsReader> readers_;
  StatusLine status_;
  uint64_t started_ns_ = MonotonicNs();
  uint64_t crashes_ = 0;
  uint64_t hangs_ = 0;
  uint64_t restarts_ = 0;
  uint64_t recorded_ = 0;
  uint64_t costs_looked_at_ns_ = 0;
  bool costs_checked_ = false;
};

void Pause(int64_t ms) {
  const timespec pause = {.tv_sec = 0, .tv_nsec = ms * 1'000'000};
  nanosleep(&pause, nullptr);
}

std::string TailOf(const std::string& path, int64_t from) {
  const auto text = ReadWholeFile(path);
  if (!text) return {};
  std::string_view tail = *text;
  tail.remove_prefix(std::min(tail.size(), static_cast<size_t>(from)));
  if (tail.size() > kReportTailBytes) tail.remove_prefix(tail.size() - kReportTailBytes);
  return std::string(tail);
}

int64_t FileSize(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

uint64_t CountFiles(const std::string& path) {
  std::error_code error;
  uint64_t count = 0;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

ir::Status Supervisor::Start(int index) {
  WorkerProcess& worker = workers_[static_cast<size_t>(index)];
  WorkerSlot& slot = state_->workers[index];
  EndInput(slot);
  worker.programs_at_start = slot.programs.load() + slot.seeds.load();
  worker.log_offset = FileSize(paths_.log(index));
  const auto pid =
      SpawnSelf({.arguments = {"worker", "--out", options_.out, "--index", fmt::format("{}", index),
                               "--generation", fmt::format("{}", worker.generation)},
                 .stdout_path = paths_.log(index),
                 .stderr_path = paths_.log(index)});
  if (!pid) return pid.error();
  worker.pid = *pid;
  return {};
}

// The text was in the worker's hands when it died: it becomes a finding of the supervisor's.
void Supervisor::RecordDeath(int index, const ChildExit& exit) {
  const WorkerSlot& slot = state_->workers[index];
  const std::string text = RunningText(slot);
  const auto program = ir::ParseAndVerify(text);
  if (text.empty() || !program) return;
  const bool hang = exit.signal == 0 && exit.code == kTimeoutExit;
  const std::string report =
      TailOf(paths_.log(index), workers_[static_cast<size_t>(index)].log_offset);
  Verdict verdict = hang ? HangVerdict(options_.timeout_s)
                         : CrashVerdict(exit.signal, exit.code, report);
  if (exit.signal == 0 && exit.code == kOutOfMemoryExit) verdict.message = "out of memory";
  ++(hang ? hangs_ : crashes_);
  const RunOptions run = DrawRunOptions(options_, ir::HashText(text));
  const ir::Program conditioned = WithRunConditions(*program, run, nullptr);
  reports::Finding finding = MakeFinding(conditioned, ir::Print(conditioned), verdict, nullptr);
  finding.backend = options_.backend.name;
  finding.fault = options_.backend.fault;
  finding.environment = DescribeEnvironment();
  finding.programs_to_find = slot.programs.load();
  for (const std::string& before : TextsBefore(slot)) finding.history += before + "\n";
  if (const ir::Status status = AppendFinding(paths_.findings_log(kSupervisorLog), finding);
      !status.ok()) {
    status_.Print(status.message());
  }
}

ir::Status Supervisor::Watch(int index) {
  WorkerProcess& worker = workers_[static_cast<size_t>(index)];
  if (worker.pid == 0) return {};
  const std::optional<ChildExit> exit = PollChild(worker.pid);
  if (!exit) return {};
  worker.pid = 0;
  if (exit->ok()) return {};  // stopped, or no ticket left
  const WorkerSlot& slot = state_->workers[index];
  const bool quick = slot.programs.load() + slot.seeds.load() == worker.programs_at_start;
  worker.quick_deaths = quick ? worker.quick_deaths + 1 : 0;
  RecordDeath(index, *exit);
  if (worker.quick_deaths >= kQuickDeathsMax) {
    return {ir::StatusCode::kInternal,
            fmt::format("worker {} ended {} times before its first program ({}); its log is {}",
                        index, worker.quick_deaths, exit->Describe(), paths_.log(index))};
  }
  if (state_->stop.load() != 0) return {};
  ++worker.generation;
  ++restarts_;
  return Start(index);
}

void Supervisor::CollectFindings() {
  for (FindingsReader& reader : readers_) {
    for (reports::Finding& finding : reader.Poll()) {
      ++recorded_;
      finding.seconds_to_find = Elapsed();
      if (judges_.IsNewKey(finding)) {
        status_.Print(fmt::format("finding: {}  [{}]", finding.title, finding.key));
      }
      judges_.Add(std::move(finding));
      const bool enough = options_.findings_max > 0 && recorded_ >= options_.findings_max;
      if (options_.stop_at_first || enough) state_->stop.store(1);
    }
  }
}

// Once, when there is enough to judge by. The statistics are written every second.
void Supervisor::CheckCosts() {
  constexpr uint64_t kIntervalNs = 500'000'000;
  if (costs_checked_ || Programs() < kCostPrograms ||
      MonotonicNs() - costs_looked_at_ns_ < kIntervalNs) {
    return;
  }
  costs_looked_at_ns_ = MonotonicNs();
  const Statistics statistics = GatherStatistics();
  const uint64_t counted = statistics.Get("verdict.agree");
  if (counted < kCostPrograms) return;
  costs_checked_ = true;
  for (const reports::Finding& finding :
       harness::CheckCosts(options_, backend_, statistics, counted)) {
    const ir::Status status = AppendFinding(paths_.findings_log(kSupervisorLog), finding);
    if (!status.ok()) status_.Print(status.message());
  }
}

bool Supervisor::Running() const {
  return std::ranges::any_of(workers_, [](const WorkerProcess& w) { return w.pid != 0; });
}

uint64_t Supervisor::Programs() const {
  uint64_t programs = 0;
  for (int i = 0; i < options_.jobs; ++i) programs += state_->workers[i].programs.load();
  return programs;
}

void Supervisor::ShowStatus() {
  uint64_t features = 0;
  for (int i = 0; i < options_.jobs; ++i) {
    features = std::max<uint64_t>(features, state_->workers[i].features.load());
  }
  const double elapsed = Elapsed();
  const auto programs = static_cast<double>(Programs());
  std::string left = "no limit, Ctrl-C ends";
  if (options_.seconds > 0) {
    left = FormatSeconds(std::max(0.0, options_.seconds - elapsed)) + " left";
  } else if (options_.runs > 0) {
    left = FormatCount(static_cast<double>(state_->runs_left.load())) + " programs left";
  }
  status_.Show(
      fmt::format("{} programs, {}/s | corpus {}, features {} | findings {} in {} keys | {}",
                  FormatCount(programs), FormatCount(programs / std::max(elapsed, 0.1)),
                  CountFiles(paths_.corpus()), features, recorded_, judges_.keys(), left));
}

void Supervisor::StopWorkers() {
  state_->stop.store(1);
  const double deadline = Elapsed() + options_.timeout_s + 2;
  while (Running() && Elapsed() < deadline) {
    for (int i = 0; i < options_.jobs; ++i) (void)Watch(i).ok();
    Pause(5);
  }
  for (int i = 0; i < options_.jobs; ++i) {
    WorkerProcess& worker = workers_[static_cast<size_t>(i)];
    if (worker.pid == 0) continue;
    KillChild(worker.pid);
    (void)WaitChild(worker.pid, 5);
    worker.pid = 0;
    // It did not come back from its program: that is a hang, whatever libFuzzer's alarm did.
    RecordDeath(i, ChildExit{.code = kTimeoutExit});
  }
}

void Supervisor::FinishJudging() {
  const int interrupts_before = interrupts;
  const double deadline = Elapsed() + kJudgingGraceS;
  while (judges_.Work() && Elapsed() < deadline && interrupts == interrupts_before) {
    status_.Show(fmt::format("confirming and reducing findings: {} to go", judges_.open()));
    Pause(20);
  }
  judges_.Abandon();
}

ir::Result<CampaignResult> Supervisor::Run() {
  for (int i = 0; i < options_.jobs; ++i) FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(Start(i));
  ir::Status failure;
  while (Running() && failure.ok()) {
    for (int i = 0; i < options_.jobs && failure.ok(); ++i) failure = Watch(i);
    CheckCosts();
    CollectFindings();
    (void)judges_.Work();
    ShowStatus();
    const bool over = options_.seconds > 0 && Elapsed() >= options_.seconds;
    if (over || interrupts > 0 || state_->stop.load() != 0) break;
    Pause(20);
  }
  StopWorkers();
  costs_looked_at_ns_ = 0;
  CheckCosts();
  CollectFindings();
  FinishJudging();
  status_.End();
  if (!failure.ok()) return std::unexpected(failure);
  return Gather();
}

Statistics Supervisor::GatherStatistics() const {
  Statistics all;
  for (int i = 0; i < options_.jobs; ++i) {
    for (int g = 0; g <= workers_[static_cast<size_t>(i)].generation; ++g) {
      const auto text = ReadWholeFile(paths_.statistics(i, g));
      if (!text) continue;
      if (const auto statistics = Statistics::Parse(*text)) all.Merge(*statistics);
    }
  }
  return all;
}

CampaignResult Supervisor::Gather() {
  CampaignResult result;
  result.jobs = options_.jobs;
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  for (int i = 0; i < options_.jobs; ++i) {
    const WorkerSlot& slot = state_->workers[i];
    result.programs += slot.programs.load();
    result.seeds += slot.seeds.load();
    result.vacuous += slot.vacuous.load();
    result.rejected += slot.rejected.load();
    result.features = std::max<uint64_t>(result.features, slot.features.load());
    if (slot.first_ns.load() != 0) first = std::min<uint64_t>(first, slot.first_ns.load());
    last = std::max<uint64_t>(last, slot.last_ns.load());
  }
  result.statistics = GatherStatistics();
  if (last > first) result.seconds = static_cast<double>(last - first) / 1e9;
  result.corpus = CountFiles(paths_.corpus());
  result.crashes = crashes_;
  result.hangs = hangs_;
  result.restarts = restarts_;
  result.findings_recorded = recorded_;
  result.interrupted = interrupts > 0;
  result.findings = judges_.Folded();
  return result;
}

ir::Status PrepareFolder(const CampaignOptions& options) {
  const CampaignPaths paths(options.out);
  for (const std::string& folder : {paths.out, paths.corpus(), paths.findings(), paths.artifacts(),
                                    paths.out + "/log", paths.out + "/statistics"}) {
    FAULTLINE_RETURN_IF_ERROR(MakeFolder(folder));
  }
  return WriteWholeFile(paths.options(), PrintOptions(options));
}

}  // namespace

double CampaignResult::ProgramsPerSecondPerCore() const {
  return seconds > 0 ? static_cast<double>(programs) / (seconds * jobs) : 0;
}

double CampaignResult::VacuousShare() const {
  return programs > 0 ? static_cast<double>(vacuous) / static_cast<double>(programs) : 0;
}

ir::Result<CampaignResult> RunCampaign(const CampaignOptions& options) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(PrepareFolder(options));
  // A bad backend or fault is a set-up error here, not a worker that dies.
  FAULTLINE_ASSIGN_OR_RETURN(const auto backend, MakeBackend(options.backend));
  FAULTLINE_ASSIGN_OR_RETURN(SharedState state,
                             SharedState::Create(CampaignPaths(options.out).state()));
  state->runs_left.store(options.runs > 0 ? options.runs : UINT64_MAX);
  interrupts = 0;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  struct sigaction old_int = {};
  struct sigaction old_term = {};
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
  // Sanitizers report to the log and let libFuzzer's exit codes stand; what the user set wins.
  setenv("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0", 0);
  Supervisor supervisor(options, *backend, std::move(state));
  ir::Result<CampaignResult> result = supervisor.Run();
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  return result;
}

}  // namespace faultline::harness
