// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Findings on their way to being judged: the first few of each key get a judge process, one at a
// time; the others are counted. Afterwards they are folded by signature.

#ifndef HARNESS_CAMPAIGN_JUDGE_QUEUE_H_
#define HARNESS_CAMPAIGN_JUDGE_QUEUE_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "harness/campaign/options.h"
#include "reports/finding.h"

namespace faultline::harness {

class JudgeQueue {
 public:
  explicit JudgeQueue(const CampaignOptions& options);

  bool IsNewKey(const reports::Finding& finding) const { return !by_key_.contains(finding.key); }
  void Add(reports::Finding finding);
  // Starts, polls or ends a judge. Returns whether anything is left to do.
  bool Work();
  // Ends a running judge; what was not judged stays as it was recorded.
  void Abandon();

  int open() const { return static_cast<int>(waiting_.size()) + (running_ != 0 ? 1 : 0); }
  size_t keys() const { return by_key_.size(); }
  // One finding a cause (see causes.h), smallest first, with the number folded into it; confirmed
  // ones first.
  std::vector<reports::Finding> Folded() const;

 private:
  struct OfKey {
    int judged = 0;      // handed to a judge
    uint64_t count = 0;  // recorded
  };

  void StartNext();
  void Finish();

  CampaignOptions options_;
  CampaignPaths paths_;
  std::map<std::string, OfKey> by_key_;         // as recorded
  std::map<std::string, std::string> renamed_;  // recorded key: the one that a judge gave
  std::deque<reports::Finding> waiting_;
  std::vector<reports::Finding> done_;
  reports::Finding current_;
  pid_t running_ = 0;
  uint64_t deadline_ns_ = 0;
};

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_JUDGE_QUEUE_H_
