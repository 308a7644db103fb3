// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/check.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kReportBytesMax = 1 << 16;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(4);  // the parent is gone
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// A forked child that works through the items [next, last).
class Child {
 public:
  Child(int first, int last, const std::function<std::string(int)>& work)
      : next_(first), last_(last) {
    std::array<int, 2> ends = {-1, -1};
    FAULTLINE_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "no file descriptors left");
    answers_ = ends[0];
    report_ = memfd_create("stderr", MFD_CLOEXEC);
    FAULTLINE_CHECK(report_ >= 0, "no file descriptors left");
    std::fflush(nullptr);  // or the child would print it again
    pid_ = fork();
    FAULTLINE_CHECK(pid_ >= 0, "no processes left");
    if (pid_ == 0) Work(ends[1], work);
    close(ends[1]);
    started_ = Clock::now();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) Kill();
    close(answers_);
    close(report_);
  }

  int answers() const { return answers_; }
  int next() const { return next_; }
  int last() const { return last_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Takes what is in the pipe, reports whole lines; false at its end.
  bool Receive(const std::function<void(int, const ItemResult&)>& done) {
    std::array<char, 1 << 14> buffer;
    const ssize_t got = read(answers_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    pending_.append(buffer.data(), static_cast<size_t>(got));
    size_t newline = 0;
    while ((newline = pending_.find('\n')) != std::string::npos) {
      ItemResult result;
      result.answer = pending_.substr(0, newline);
      pending_.erase(0, newline + 1);
      started_ = Clock::now();
      done(next_++, result);
    }
    return true;
  }

  // Waits for the end. kDied unless every item was answered.
  ItemResult Finish() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    ItemResult result;
    if (next_ == last_) return result;
    result.end = ItemResult::End::kDied;
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    result.report = Report();
    return result;
  }

  ItemResult TimeOut() {
    Kill();
    ItemResult result;
    result.end = ItemResult::End::kTimedOut;
    result.report = Report();
    return result;
  }

 private:
  [[noreturn]] void Work(int answers, const std::function<std::string(int)>& work) {
    dup2(report_, STDERR_FILENO);
    // The terminal's Ctrl-C is the parent's to handle.
    std::signal(SIGINT, SIG_IGN);
    for (int item = next_; item < last_; ++item) {
      // Only what the item at hand has to say is of interest.
      static_cast<void>(ftruncate(STDERR_FILENO, 0));
      static_cast<void>(lseek(STDERR_FILENO, 0, SEEK_SET));
      WriteAll(answers, work(item) + "\n");
    }
    _exit(0);
  }

  void Kill() {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

  std::string Report() const {
    std::string report(kReportBytesMax, '\0');
    const ssize_t got = pread(report_, report.data(), report.size(), 0);
    report.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return report;
  }

  int next_;
  const int last_;
  pid_t pid_ = -1;
  int answers_ = -1;
  int report_ = -1;
  std::string pending_;
  Clock::time_point started_;
};

class Pool {
 public:
  Pool(int items, const PoolOptions& options, const std::function<std::string(int)>& work,
       const std::function<void(int, const ItemResult&)>& done)
      : options_(options), work_(work), done_(done) {
    const int step = std::max(1, options.items_per_child);
    for (int first = 0; first < items; first += step) {
      waiting_.emplace_back(first, std::min(items, first + step));
    }
    std::ranges::reverse(waiting_);
  }

  void Run(const std::function<bool()>& stopped) {
    while (!stopped()) {
      while (children_.size() < static_cast<size_t>(std::max(1, options_.workers)) &&
             !waiting_.empty()) {
        const auto [first, last] = waiting_.back();
        waiting_.pop_back();
        children_.push_back(std::make_unique<Child>(first, last, work_));
      }
      if (children_.empty()) return;
      Poll();
    }
    children_.clear();
  }

 private:
  void Poll() {
    std::vector<pollfd> fds;
    for (const auto& child : children_) fds.push_back({child->answers(), POLLIN, 0});
    // Long enough to idle, short enough to see deadlines and Ctrl-C.
    constexpr int kPollMs = 100;
    if (poll(fds.data(), fds.size(), kPollMs) < 0) return;
    for (size_t i = fds.size(); i-- > 0;) {
      Child& child = *children_[i];
      if (fds[i].revents != 0 && !child.Receive(done_)) {
        End(i, child.Finish());
      } else if (child.seconds() > options_.timeout_s) {
        End(i, child.TimeOut());
      }
    }
  }

  // Reports the item that ended the child, if one did, and puts its remaining items back.
  void End(size_t i, const ItemResult& result) {
    const int next = children_[i]->next();
    const int last = children_[i]->last();
    children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
    if (result.end == ItemResult::End::kAnswered) return;
    done_(next, result);
    if (next + 1 < last) waiting_.emplace_back(next + 1, last);
  }

  const PoolOptions& options_;
  const std::function<std::string(int)>& work_;
  const std::function<void(int, const ItemResult&)>& done_;
  std::vector<std::pair<int, int>> waiting_;  // ranges of items; the back comes first
  std::vector<std::unique_ptr<Child>> children_;
};

}  // namespace

void RunInChildren(int items, const PoolOptions& options,
                   const std::function<std::string(int)>& work,
                   const std::function<void(int, const ItemResult&)>& done,
                   const std::function<bool()>& stopped) {
  Pool(items, options, work, done).Run(stopped);
}

}  // namespace faultline::harness
