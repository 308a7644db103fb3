// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, 8> kVerdictNames = {
    "agree", "divergence", "crash", "hang", "leak", "unsupported", "inconclusive", "vacuous"};
constexpr std::array<std::string_view, 11> kAspectNames = {
    "none", "number", "non-finite", "zero-sign", "scale", "code",
    "type", "order",  "status",     "one-value", "expect"};
constexpr std::array<std::string_view, 9> kPatternNames = {
    "none", "single", "tail", "row-tail", "row", "column", "strided", "all", "scattered"};

template <typename Enum, size_t N>
std::optional<Enum> FindName(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// What an op does to elements, as a word: coarse, so that the key survives reduction.
std::string_view KindOf(std::optional<ir::Opcode> op) {
  if (!op.has_value()) return "input";
  constexpr std::array<std::pair<ir::Traits, std::string_view>, 12> kKinds = {{
      {ir::kQuantizing, "quantizing"},
      {ir::kContraction, "contraction"},
      {ir::kRowwise, "rowwise"},
      {ir::kReducing, "reduction"},
      {ir::kScanning, "scan"},
      {ir::kSorting, "sort"},
      {ir::kScattering, "scatter"},
      {ir::kIndexing, "indexing"},
      {ir::kView, "view"},
      {ir::kJoin, "join"},
      {ir::kCreation, "creation"},
      {ir::kElementwise, "elementwise"},
  }};
  for (const auto& [trait, kind] : kKinds) {
    if (ir::HasTrait(*op, trait)) return kind;
  }
  return ir::Mnemonic(*op);
}

// The part of a line of `report` from `from` to the line's end.
std::string_view LineFrom(std::string_view report, size_t from) {
  return report.substr(from, report.find('\n', from) - from);
}

// "#0 0x5566 in faultline::fusion::Foo(int) file.cc:12" -> "Foo"; empty if it is no frame.
std::string FrameFunction(std::string_view line) {
  const size_t in = line.find(" in ");
  if (line.find('#') == std::string_view::npos || in == std::string_view::npos) return {};
  std::string_view name = line.substr(in + 4);
  name = name.substr(0, name.find_first_of("(< "));
  const size_t scope = name.rfind("::");
  return std::string(scope == std::string_view::npos ? name : name.substr(scope + 2));
}

// Up to three frames that are not of the sanitizer or libc, joined by " < ".
std::string TopFrames(std::string_view report) {
  std::string frames;
  int count = 0;
  for (size_t at = 0; at < report.size() && count < 3;) {
    const std::string_view line = LineFrom(report, at);
    at += line.size() + 1;
    const std::string function = FrameFunction(line);
    if (function.empty() || function.starts_with("__") || function == "abort" ||
        function == "raise" || function == "CheckFailed") {
      continue;
    }
    frames += fmt::format("{}{}", count++ == 0 ? "" : " < ", function);
  }
  return frames;
}

}  // namespace

std::string_view VerdictName(VerdictKind kind) { return kVerdictNames[static_cast<size_t>(kind)]; }

std::optional<VerdictKind> FindVerdict(std::string_view name) {
  return FindName<VerdictKind>(kVerdictNames, name);
}

bool IsFinding(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kDivergence:
    case VerdictKind::kCrash:
    case VerdictKind::kHang:
    case VerdictKind::kLeak:
      return true;
    case VerdictKind::kAgree:
    case VerdictKind::kUnsupported:
    case VerdictKind::kInconclusive:
    case VerdictKind::kVacuous:
      return false;
  }
  return false;
}

std::string_view AspectName(Aspect aspect) { return kAspectNames[static_cast<size_t>(aspect)]; }

std::optional<Aspect> FindAspect(std::string_view name) {
  return FindName<Aspect>(kAspectNames, name);
}

std::string_view PatternName(MismatchPattern pattern) {
  return kPatternNames[static_cast<size_t>(pattern)];
}

std::string KeyOf(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::kAgree:
    case VerdictKind::kUnsupported:
    case VerdictKind::kInconclusive:
    case VerdictKind::kVacuous:
    case VerdictKind::kHang:
    case VerdictKind::kLeak:
      return std::string(VerdictName(verdict.kind));
    case VerdictKind::kCrash:
      return fmt::format("crash/{}", verdict.frames);
    case VerdictKind::kDivergence:
      return fmt::format("divergence/{}/{}/{}", AspectName(verdict.aspect), KindOf(verdict.op),
                         verdict.dtype_class);
  }
  return {};
}

Verdict CrashVerdict(int signal, int exit_code, std::string_view report) {
  Verdict verdict;
  verdict.kind = VerdictKind::kCrash;
  const std::string how = signal != 0 ? fmt::format("signal {} ({})", signal, strsignal(signal))
                                      : fmt::format("exit code {}", exit_code);
  constexpr std::string_view kCheck = "check failed: ";
  constexpr std::string_view kSanitizer = "Sanitizer: ";
  if (const size_t check = report.find(kCheck); check != std::string_view::npos) {
    verdict.frames = LineFrom(report, check);
    verdict.message = fmt::format("the process died: {}", verdict.frames);
  } else if (const size_t kind = report.find(kSanitizer); kind != std::string_view::npos) {
    const std::string_view what = LineFrom(report, kind + kSanitizer.size());
    const std::string frames = TopFrames(report.substr(kind));
    verdict.frames =
        fmt::format("{}{}{}", what.substr(0, what.find(' ')), frames.empty() ? "" : " in ", frames);
    verdict.message = fmt::format("the process died: {}", what);
  } else if (const size_t error = report.find("runtime error: "); error != std::string_view::npos) {
    verdict.frames = LineFrom(report, error);
    verdict.message = fmt::format("the process died: {}", verdict.frames);
  } else {
    const std::string frames = TopFrames(report);
    verdict.frames = frames.empty() ? how : frames;
    verdict.message = fmt::format("the process died with {}", how);
  }
  verdict.key = KeyOf(verdict);
  return verdict;
}

Verdict HangVerdict(double seconds) {
  Verdict verdict;
  verdict.kind = VerdictKind::kHang;
  verdict.message = fmt::format("no answer after {:g} s", seconds);
  verdict.key = KeyOf(verdict);
  return verdict;
}

}  // namespace faultline::harness
