// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a campaign was asked to do. Written to OUT/campaign.txt, so that workers, judges and
// `--resume` read the same words.

#ifndef HARNESS_CAMPAIGN_OPTIONS_H_
#define HARNESS_CAMPAIGN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "ir/base/status.h"

namespace faultline::harness {

// What leads libFuzzer: nothing (every program is a fresh one), the backend's code alone, or also
// our features.
enum class Feedback : uint8_t { kNone, kCode, kAll };
inline constexpr int kFeedbackCount = 3;
std::string_view FeedbackName(Feedback feedback);

struct CampaignOptions {
  BackendSpec backend;
  std::string device;
  std::vector<std::string> seeds;  // folders of programs to begin with; read only
  std::string out;                 // folder of corpus, findings, logs; made if absent
  std::string focus;               // empty: none
  double seconds = 0;              // 0: no limit of time
  uint64_t runs = 0;               // programs over all jobs; 0: no limit
  uint64_t seed = 1;
  int jobs = 1;
  int timeout_s = 10;         // of one program
  uint64_t findings_max = 0;  // records after which it ends; 0: no limit
  int judged_per_key = 5;     // findings of one key that are reduced; the rest is counted
  std::string feedback = std::string(FeedbackName(Feedback::kAll));
  int max_decisions = -1;
  std::vector<std::string> deny;
  bool chaos = false;          // random planner decisions in every program
  bool free_streams = false;   // StreamMode::kFree in every program
  bool resume = false;         // go on in `out` as it is
  bool stop_at_first = false;  // end with the first finding
  bool quiet = false;          // no status line; not part of the file
};

// Lines of "key value"; a list is one line an entry.
std::string PrintOptions(const CampaignOptions& options);
ir::Result<CampaignOptions> ParseOptions(std::string_view text);

// The files of a campaign's folder.
struct CampaignPaths {
  explicit CampaignPaths(std::string_view out) : out(out) {}
  std::string out;
  std::string options() const { return out + "/campaign.txt"; }
  std::string state() const { return out + "/state.bin"; }
  std::string corpus() const { return out + "/corpus"; }
  std::string findings() const { return out + "/findings"; }
  std::string findings_log(int worker) const;
  std::string judged(std::string_view id) const;
  std::string log(int worker) const;
  std::string statistics(int worker, int generation) const;
  std::string artifacts() const { return out + "/artifacts/"; }
};

// Drawn from the text alone, so that the same text is always run the same way: pool mode, poison,
// threads, chaos and fusion on or off.
RunOptions DrawRunOptions(const CampaignOptions& options, uint64_t text_hash);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_OPTIONS_H_
