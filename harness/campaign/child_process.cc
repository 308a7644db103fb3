// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>

#include "harness/campaign/shared_state.h"

namespace faultline::harness {
namespace {

void Redirect(const std::string& path, int target) {
  const char* file = path.empty() ? "/dev/null" : path.c_str();
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd >= 0) dup2(fd, target);
}

// In the child, between fork and exec: async-signal-safe calls only.
[[noreturn]] void BecomeChild(const ChildOptions& options, char* const* argv, pid_t parent) {
  if (options.own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the request above took effect.
  if (getppid() != parent) _exit(127);
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  Redirect(options.stdout_path, STDOUT_FILENO);
  Redirect(options.stderr_path, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  execv("/proc/self/exe", argv);
  _exit(127);
}

}  // namespace

std::string ChildExit::Describe() const {
  if (signal == 0) return fmt::format("exit {}", code);
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("signal {} (SIG{})", signal, name)
                         : fmt::format("signal {}", signal);
}

std::string SelfPath() {
  std::array<char, PATH_MAX> buffer = {};
  const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  return length > 0 ? std::string(buffer.data(), static_cast<size_t>(length)) : "faultline";
}

ir::Result<pid_t> SpawnSelf(const ChildOptions& options) {
  std::vector<std::string> arguments = {SelfPath()};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    return ir::Error(ir::StatusCode::kInternal,
                     fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid == 0) BecomeChild(options, argv.data(), parent);
  return pid;
}

std::optional<ChildExit> PollChild(pid_t pid) {
  int status = 0;
  const pid_t done = waitpid(pid, &status, WNOHANG);
  if (done == 0 || (done < 0 && errno == EINTR)) return std::nullopt;
  if (done < 0) return ChildExit{.code = 127};
  if (WIFSIGNALED(status)) return ChildExit{.signal = WTERMSIG(status)};
  return ChildExit{.code = WEXITSTATUS(status)};
}

ChildExit WaitChild(pid_t pid, double timeout_s) {
  const uint64_t deadline = MonotonicNs() + static_cast<uint64_t>(timeout_s * 1e9);
  while (true) {
    if (const auto exit = PollChild(pid)) return *exit;
    if (MonotonicNs() >= deadline) break;
    const timespec pause = {.tv_sec = 0, .tv_nsec = 2'000'000};
    nanosleep(&pause, nullptr);
  }
  KillChild(pid);
  int status = 0;
  waitpid(pid, &status, 0);
  return ChildExit{.signal = SIGKILL};
}

void KillChild(pid_t pid) { kill(pid, SIGKILL); }

}  // namespace faultline::harness
