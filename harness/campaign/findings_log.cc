// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/findings_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/finding_json.h"

namespace faultline::harness {
namespace {

ir::Status IoError(std::string_view what, const std::string& path) {
  return {ir::StatusCode::kIo, fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno))};
}

ir::Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return IoError("write", path);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

ir::Status AppendFinding(const std::string& path, const reports::Finding& finding) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return IoError("open", path);
  // The newline in front ends a line that an earlier process died in; empty lines are no records.
  ir::Status status = WriteAll(fd, "\n" + reports::FindingToJson(finding) + "\n", path);
  if (status.ok() && fsync(fd) != 0) status = IoError("sync", path);
  close(fd);
  return status;
}

std::vector<reports::Finding> FindingsReader::Poll() {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return {};
  file.seekg(offset_);
  std::ostringstream buffer;
  buffer << file.rdbuf();
  const std::string text = buffer.str();
  const size_t end = text.rfind('\n');
  if (end == std::string::npos) return {};
  offset_ += static_cast<int64_t>(end + 1);
  return reports::FindingsFromJsonLines(std::string_view(text).substr(0, end + 1));
}

ir::Result<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream buffer;
  if (!file || !(buffer << file.rdbuf()).good()) {
    // An empty file makes the insertion fail; it is no error.
    if (file.is_open() && file.peek() == std::char_traits<char>::eof()) return std::string();
    return std::unexpected(IoError("read", path));
  }
  return buffer.str();
}

ir::Status WriteWholeFile(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return IoError("write", path);
  ir::Status status = WriteAll(fd, text, path);
  if (close(fd) != 0 && status.ok()) status = IoError("write", path);
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    status = IoError("write", path);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

ir::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return {ir::StatusCode::kIo, fmt::format("cannot make folder '{}': {}", path, error.message())};
}

}  // namespace faultline::harness
