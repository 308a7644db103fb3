// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "harness/campaign/shared_state.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kTerminalPeriodNs = 500'000'000;
constexpr uint64_t kLogPeriodNs = 10'000'000'000;

size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr) {
  if (!terminal_) next_ns_ = MonotonicNs() + kLogPeriodNs;
}

void StatusLine::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void StatusLine::Show(std::string_view text) {
  const uint64_t now = MonotonicNs();
  if (quiet_ || now < next_ns_) return;
  next_ns_ = now + (terminal_ ? kTerminalPeriodNs : kLogPeriodNs);
  if (!terminal_) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    return;
  }
  Clear();
  const std::string_view cut = text.substr(0, TerminalWidth() - 1);
  std::fprintf(stderr, "%.*s", static_cast<int>(cut.size()), cut.data());
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::Print(std::string_view text) {
  if (quiet_) return;
  Clear();
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

void StatusLine::End() { Clear(); }

std::string FormatSeconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string FormatCount(double count) {
  if (count < 1e4) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.1f} k", count / 1e3);
  return fmt::format("{:.2f} M", count / 1e6);
}

}  // namespace faultline::harness
