// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/judge_queue.h"

#include <algorithm>
#include <utility>

#include "harness/campaign/causes.h"
#include "harness/campaign/child_process.h"
#include "harness/campaign/findings_log.h"
#include "harness/campaign/shared_state.h"
#include "reports/finding_json.h"

namespace faultline::harness {
namespace {

// A judge that takes longer than this is stuck; its finding stays unreduced.
constexpr uint64_t kJudgeLimitNs = 120'000'000'000;

}  // namespace

JudgeQueue::JudgeQueue(const CampaignOptions& options) : options_(options), paths_(options.out) {}

void JudgeQueue::Add(reports::Finding finding) {
  OfKey& of_key = by_key_[finding.key];
  ++of_key.count;
  if (of_key.judged >= std::max(1, options_.judged_per_key)) return;
  ++of_key.judged;
  // What a whole campaign shows has no program to judge.
  if (finding.program.empty() || options_.judged_per_key == 0) {
    done_.push_back(std::move(finding));
    return;
  }
  waiting_.push_back(std::move(finding));
}

void JudgeQueue::StartNext() {
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  const std::string path = paths_.judged(current_.id);
  ir::Status status = WriteWholeFile(path, reports::FindingToJson(current_));
  if (status.ok()) {
    const auto pid = SpawnSelf({.arguments = {"judge", "--out", options_.out, "--finding", path},
                                .stdout_path = paths_.out + "/log/judge.log",
                                .stderr_path = paths_.out + "/log/judge.log"});
    if (pid) {
      running_ = *pid;
      deadline_ns_ = MonotonicNs() + kJudgeLimitNs;
      return;
    }
  }
  done_.push_back(std::move(current_));
}

void JudgeQueue::Finish() {
  running_ = 0;
  if (const auto text = ReadWholeFile(paths_.judged(current_.id))) {
    if (auto judged = reports::FindingFromJson(*text)) {
      if (judged->key != current_.key) renamed_.emplace(current_.key, judged->key);
      current_ = std::move(*judged);
    }
  }
  done_.push_back(std::move(current_));
}

bool JudgeQueue::Work() {
  if (running_ != 0) {
    if (MonotonicNs() > deadline_ns_) KillChild(running_);
    if (PollChild(running_)) Finish();
  } else if (!waiting_.empty()) {
    StartNext();
  }
  return running_ != 0 || !waiting_.empty();
}

void JudgeQueue::Abandon() {
  if (running_ != 0) {
    KillChild(running_);
    (void)WaitChild(running_, 5);
    Finish();
  }
  for (reports::Finding& finding : waiting_) done_.push_back(std::move(finding));
  waiting_.clear();
}

std::vector<reports::Finding> JudgeQueue::Folded() const {
  std::map<std::string, uint64_t> uncounted;
  for (const auto& [key, of_key] : by_key_) {
    const auto renamed = renamed_.find(key);
    uncounted[renamed == renamed_.end() ? key : renamed->second] +=
        of_key.count - static_cast<uint64_t>(of_key.judged);
  }
  return FoldFindings(done_, uncounted);
}

}  // namespace faultline::harness
