// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One line of progress on stderr: rewritten in place on a terminal, a new line now and then where
// there is none (logs, CI).

#ifndef HARNESS_CAMPAIGN_STATUS_LINE_H_
#define HARNESS_CAMPAIGN_STATUS_LINE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace faultline::harness {

class StatusLine {
 public:
  explicit StatusLine(bool quiet = false);
  // Shows `text` if it is time: twice a second on a terminal, every ten seconds elsewhere.
  void Show(std::string_view text);
  // A lasting line above the status.
  void Print(std::string_view text);
  // Clears the line.
  void End();

 private:
  void Clear();
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  uint64_t next_ns_ = 0;
};

// "4.2 s", "3 min 20 s", "2 h 05 min"
std::string FormatSeconds(double seconds);
// "950", "12.3 k", "4.56 M"
std::string FormatCount(double count);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_STATUS_LINE_H_
