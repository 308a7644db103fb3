// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/replay_case.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "harness/cli/files.h"
#include "harness/oracle/expect.h"
#include "harness/oracle/judge.h"
#include "harness/oracle/localise.h"
#include "harness/oracle/needs.h"
#include "ir/parse.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

// What a text of corpus/rejected says of itself.
struct Rejection {
  ir::StatusCode code = ir::StatusCode::kSyntax;
  int line = 0;
};

std::optional<Rejection> FindRejection(std::string_view text) {
  constexpr std::string_view kMark = "\n# status: rejected ";
  const size_t at = text.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kMark.size());
  text = text.substr(0, text.find('\n'));
  const size_t space = text.find(' ');
  Rejection rejection;
  rejection.code = ir::FindStatusCode(text.substr(0, space)).value_or(ir::StatusCode::kOk);
  if (space != std::string_view::npos) {
    std::from_chars(text.data() + space + 1, text.data() + text.size(), rejection.line);
  }
  return rejection;
}

json BadInput(const std::string& path, const ir::Status& status) {
  return {{"verdict", "bad_input"}, {"message", status.Format(path)}};
}

json CheckRejection(const std::string& path, const Rejection& expected, const ir::Status& status) {
  if (status.code() == expected.code && status.where().line == expected.line) {
    return {{"verdict", "agree"}};
  }
  const std::string got = status.ok() ? std::string("it is accepted")
                                      : fmt::format("it is rejected as {} at line {}: {}",
                                                    ir::StatusCodeName(status.code()),
                                                    status.where().line, status.message());
  return {{"verdict", "divergence"},
          {"key", "rejection"},
          {"message", fmt::format("{} is to be rejected as {} at line {}, but {}", path,
                                  ir::StatusCodeName(expected.code), expected.line, got)}};
}

json Judged(const ir::Program& program, Backend& backend, const RunOptions& run) {
  const Judgement judgement = JudgeProgram(program, backend, run);
  json result = VerdictToJson(judgement.verdict);
  const int statement = judgement.verdict.statement;
  if (statement >= 0 && statement < static_cast<int>(program.statements.size())) {
    const ir::Statement& at = program.statements[static_cast<size_t>(statement)];
    result["statement"] = ir::PrintStatement(program, at);
    result["line"] = at.where.line;
  }
  const CompareStatistics& seen = judgement.statistics;
  result["compared"] = seen.compared;
  result["exact"] = seen.exact;
  result["unbounded"] = seen.vacuous;
  return result;
}

json Replay(const std::string& path, Backend& backend, const RunOptions& run) {
  const ir::Result<std::string> text = ReadProgramText(path);
  if (!text.has_value()) return BadInput(path, text.error());
  const ir::Result<ir::Program> program = ir::ParseAndVerify(*text);
  if (const std::optional<Rejection> expected = FindRejection(*text)) {
    return CheckRejection(path, *expected, program.has_value() ? ir::Status() : program.error());
  }
  if (!program.has_value()) return BadInput(path, program.error());
  if (const ir::Result<Needs> needs = ParseNeeds(program->header.needs); !needs.has_value()) {
    return BadInput(path, needs.error());
  }
  if (const ir::Status status = VerifyExpects(*program); !status.ok()) {
    return BadInput(path, status);
  }
  return Judged(*program, backend, run);
}

// JSON has no infinity.
json Number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

}  // namespace

json VerdictToJson(const Verdict& verdict) {
  json result = {{"verdict", VerdictName(verdict.kind)}};
  if (!verdict.message.empty()) result["message"] = verdict.message;
  if (verdict.kind == VerdictKind::kAgree) return result;
  result["key"] = verdict.key;
  if (verdict.aspect != Aspect::kNone) result["aspect"] = AspectName(verdict.aspect);
  if (!verdict.value.empty()) {
    result["value"] = verdict.value;
    result["type"] = verdict.type;
  }
  if (verdict.op.has_value()) result["op"] = ir::Mnemonic(*verdict.op);
  if (verdict.mismatches == 0) return result;
  result["pattern"] = PatternName(verdict.pattern);
  result["mismatches"] = verdict.mismatches;
  json& elements = result["elements"] = json::array();
  for (const ElementEvidence& element : verdict.worst) {
    elements.push_back({{"index", element.index},
                        {"part", element.part},
                        {"expected", element.expected},
                        {"actual", element.actual},
                        {"plain", element.naive},
                        {"ulp", Number(element.ulp)}});
  }
  return result;
}

json UnjudgedCase(const std::string& path, const std::string& backend, const Verdict& verdict) {
  json result = VerdictToJson(verdict);
  result["file"] = path;
  result["backend"] = backend;
  return result;
}

json ReplayCase(const std::string& path, Backend& backend, const RunOptions& run) {
  const auto start = std::chrono::steady_clock::now();
  json result = Replay(path, backend, run);
  result["file"] = path;
  result["backend"] = backend.name();
  result["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

json LocaliseCase(const std::string& path, const BackendMaker& make, const RunOptions& run) {
  constexpr double kTimeoutSeconds = 10;
  json result = json::object();
  const ir::Result<std::string> text = ReadProgramText(path);
  if (!text.has_value()) return result;
  const ir::Result<ir::Program> program = ir::ParseAndVerify(*text);
  if (!program.has_value()) return result;
  const Judge judge = ForkedJudge(make, kTimeoutSeconds);
  const Verdict verdict = judge(*program, run).verdict;
  if (verdict.kind != VerdictKind::kDivergence || verdict.mismatches == 0) return result;
  const Localisation found = Localise(*program, verdict, judge, run);
  result["localised"] = LocalisedName(found.localised);
  if (!found.statement.empty()) result["first_wrong"] = found.statement;
  return result;
}

}  // namespace faultline::harness
