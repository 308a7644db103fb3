// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/opencl_probe.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace faultline::harness {
namespace {

using fusion::opencl::DeviceFacts;

// Every field, in the order in which a child writes them, one a line.
template <typename Facts, typename Visit>
void ForEachField(Facts& facts, const Visit& visit) {
  visit(facts.platform);
  visit(facts.name);
  visit(facts.version);
  visit(facts.driver);
  visit(facts.kind);
  visit(facts.compute_units);
  visit(facts.memory_bytes);
  visit(facts.allocation_bytes);
  visit(facts.f64);
  visit(facts.f32_subnormals);
  visit(facts.f64_subnormals);
  visit(facts.f32_divides_correctly);
  visit(facts.unified_memory);
}

constexpr std::string_view kFound = "found\n";
constexpr std::string_view kMissing = "missing\n";

std::string Answer(std::string_view selector) {
  const auto facts = fusion::opencl::DescribeDevice(selector);
  if (!facts.has_value()) return std::string(kMissing) + facts.error().message();
  // So that no worker's first program meets its time limit while a driver compiles.
  const ir::Status prepared = fusion::opencl::PrepareDevice(selector);
  if (!prepared.ok()) return std::string(kMissing) + prepared.message();
  std::string text(kFound);
  ForEachField(*facts, [&](const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
      text += field;
    } else {
      text += std::to_string(static_cast<int64_t>(field));
    }
    text += '\n';
  });
  return text;
}

ir::Result<DeviceFacts> Parse(std::string_view text) {
  if (text.starts_with(kMissing)) {
    return ir::Error(ir::StatusCode::kUnsupported, std::string(text.substr(kMissing.size())));
  }
  bool whole = text.starts_with(kFound);
  if (whole) text.remove_prefix(kFound.size());
  DeviceFacts facts;
  ForEachField(facts, [&](auto& field) {
    const size_t end = text.find('\n');
    whole = whole && end != std::string_view::npos;
    if (!whole) return;
    const std::string_view line = text.substr(0, end);
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::string>) {
      field = line;
    } else {
      int64_t number = 0;
      std::from_chars(line.data(), line.data() + line.size(), number);
      field = static_cast<Field>(number);
    }
    text.remove_prefix(end + 1);
  });
  if (whole) return facts;
  return ir::Error(ir::StatusCode::kDeviceLost, "an OpenCL driver ended the process that asked it");
}

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

ir::Result<DeviceFacts> AskInChild(std::string_view selector) {
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) return ir::Error(ir::StatusCode::kInternal, "no pipe to a child");
  const pid_t child = fork();
  if (child < 0) return ir::Error(ir::StatusCode::kInternal, "no child to ask a device");
  if (child == 0) {
    close(ends[0]);
    WriteAll(ends[1], Answer(selector));
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return Parse(text);
}

}  // namespace

ir::Result<DeviceFacts> ProbeDevice(std::string_view selector) {
  static std::mutex mutex;
  static std::map<std::string, DeviceFacts, std::less<>> known;
  const std::lock_guard lock(mutex);
  if (const auto it = known.find(selector); it != known.end()) return it->second;
  FAULTLINE_ASSIGN_OR_RETURN(DeviceFacts facts, fusion::opencl::DriversAreOpen()
                                                    ? fusion::opencl::DescribeDevice(selector)
                                                    : AskInChild(selector));
  known.emplace(selector, facts);
  return facts;
}

}  // namespace faultline::harness
