// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a campaign's processes share: one file mapped by the supervisor and every worker. Counters
// and the texts a worker was running live here, so that they survive the worker's death; nothing
// here needs a lock. Not for findings (findings_log.h) and not for the corpus (libFuzzer's folder).

#ifndef HARNESS_CAMPAIGN_SHARED_STATE_H_
#define HARNESS_CAMPAIGN_SHARED_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"
#include "ir/program.h"

namespace faultline::harness {

inline constexpr int kJobsMax = 64;
inline constexpr int kInflightTexts = 17;  // the current input and the last 16

// Nanoseconds of CLOCK_MONOTONIC, the same clock in every process.
uint64_t MonotonicNs();

// One text of the in-flight ring. `length` is stored last, so a reader sees a whole text or none.
struct InflightText {
  std::atomic<uint32_t> length;
  char text[ir::kTextBytesMax];
};

// Owned by one worker (and its successors after a restart), read by the supervisor.
struct WorkerSlot {
  std::atomic<uint64_t> programs;  // judged, without seeds
  std::atomic<uint64_t> seeds;     // judged corpus entries
  std::atomic<uint64_t> vacuous;   // programs that could not have failed
  std::atomic<uint64_t> findings;  // records appended
  std::atomic<uint64_t> rejected;  // inputs that did not parse, verify or fit the work bound
  std::atomic<uint64_t> features;  // of libFuzzer's extra counters, ever seen
  std::atomic<uint64_t> first_ns;  // first judged program, 0 before
  std::atomic<uint64_t> last_ns;   // last judged program
  std::atomic<uint64_t> running;   // 1 while an input is executed
  std::atomic<uint64_t> sequence;  // inputs begun; the ring's write position
  InflightText ring[kInflightTexts];
};

struct CampaignState {
  std::atomic<uint32_t> stop;       // asked to end: workers leave after their current input
  std::atomic<uint64_t> runs_left;  // tickets of --runs; workers take one a program
  WorkerSlot workers[kJobsMax];
};

// The mapped file. Moves, never copies.
class SharedState {
 public:
  // Creates (zeroed) or opens the file at `path`.
  static ir::Result<SharedState> Create(const std::string& path);
  static ir::Result<SharedState> Open(const std::string& path);
  SharedState(SharedState&& other) noexcept;
  SharedState& operator=(SharedState&& other) noexcept;
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;
  ~SharedState();

  CampaignState& operator*() const { return *state_; }
  CampaignState* operator->() const { return state_; }

 private:
  explicit SharedState(CampaignState* state) : state_(state) {}
  CampaignState* state_ = nullptr;
};

// Takes one program's ticket; false when none is left.
bool TakeTicket(CampaignState& state);

// Marks `text` as being run by the worker; EndInput marks it as over.
void BeginInput(WorkerSlot& slot, std::string_view text);
void EndInput(WorkerSlot& slot);

// The text that was running when the worker died (empty if none), and the ones before it, oldest
// first.
std::string RunningText(const WorkerSlot& slot);
std::vector<std::string> TextsBefore(const WorkerSlot& slot);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_SHARED_STATE_H_
