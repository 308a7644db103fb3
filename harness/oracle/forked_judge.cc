// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/forked_judge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "harness/oracle/judgement_codec.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kReportBytesMax = size_t{1} << 18;

// Both ends -1 if there are no descriptors left.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends = {-1, -1};
    // What a child executes and leaves behind must not hold the ends.
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    if (read >= 0) close(read);
    CloseWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void CloseWrite() {
    if (write >= 0) close(write);
    write = -1;
  }

  int read = -1;
  int write = -1;
};

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

[[noreturn]] void RunChild(const BackendMaker& make, const ir::Program& program,
                           const RunOptions& options, const Pipe& answer, const Pipe& report,
                           pid_t parent) {
  // A hang must not outlive a parent that is killed, not even one that was before it asked for
  // this.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(report.write, STDERR_FILENO);
  // The default actions: a handler of the parent (libFuzzer's, a supervisor's) is not the child's.
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM, SIGINT, SIGTERM}) {
    std::signal(signal, SIG_DFL);
  }
  Judgement judgement;
  if (auto backend = make()) {
    judgement = JudgeProgram(program, **backend, options);
  } else {
    judgement.verdict.kind = VerdictKind::kInconclusive;
    judgement.verdict.message = backend.error().message();
  }
  WriteAll(answer.write, EncodeJudgement(judgement));
  _exit(0);
}

// Reads the answer to its end, and what of the report is there by then; false if the deadline came
// first. The report's end may stay open in a grandchild; the answer's end says that the child is
// done.
bool Drain(const Pipe& answer, const Pipe& report, Clock::time_point deadline,
           std::string& answer_bytes, std::string& report_bytes) {
  std::array<pollfd, 2> fds = {pollfd{answer.read, POLLIN, 0}, pollfd{report.read, POLLIN, 0}};
  std::array<char, 1 << 14> buffer;
  while (true) {
    const bool answered = fds[0].fd < 0;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return answered;
    const int ready = poll(fds.data(), fds.size(), answered ? 0 : static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || (answered && ready == 0)) return answered;
    for (pollfd& fd : fds) {
      if (fd.fd < 0 || fd.revents == 0) continue;
      const ssize_t got = read(fd.fd, buffer.data(), buffer.size());
      if (got <= 0) {
        fd.fd = -1;
        continue;
      }
      std::string& bytes = fd.fd == answer.read ? answer_bytes : report_bytes;
      if (fd.fd == answer.read || bytes.size() < kReportBytesMax) {
        bytes.append(buffer.data(), static_cast<size_t>(got));
      }
    }
    if (answered && fds[1].fd < 0) return true;
  }
}

Judgement NoProcess() {
  Judgement judgement;
  judgement.verdict.kind = VerdictKind::kInconclusive;
  judgement.verdict.message = fmt::format("cannot start a process: {}", std::strerror(errno));
  return judgement;
}

Judgement JudgeInChild(const BackendMaker& make, double timeout_s, const ir::Program& program,
                       const RunOptions& options) {
  Pipe answer;
  Pipe report;
  if (answer.read < 0 || report.read < 0) return NoProcess();
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid == 0) RunChild(make, program, options, answer, report, self);
  answer.CloseWrite();
  report.CloseWrite();
  Judgement judgement = NoProcess();
  if (pid > 0) {
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
    std::string answer_bytes;
    std::string report_bytes;
    const bool ended = Drain(answer, report, deadline, answer_bytes, report_bytes);
    if (!ended) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (auto decoded = DecodeJudgement(answer_bytes)) {
      judgement = std::move(*decoded);
    } else if (!ended) {
      judgement.verdict = HangVerdict(timeout_s);
    } else {
      judgement.verdict = CrashVerdict(WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                       WIFEXITED(status) ? WEXITSTATUS(status) : 0, report_bytes);
    }
  }
  return judgement;
}

}  // namespace

Judge ForkedJudge(BackendMaker make, double timeout_s) {
  return
      [make = std::move(make), timeout_s](const ir::Program& program, const RunOptions& options) {
        return JudgeInChild(make, timeout_s, program, options);
      };
}

}  // namespace faultline::harness
