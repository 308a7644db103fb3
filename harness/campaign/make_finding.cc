// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/make_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "ir/print.h"
#include "ir/shape.h"

namespace faultline::harness {
namespace {

void AppendNeed(std::string& needs, const std::string& need) {
  if (!needs.empty()) needs += ' ';
  needs += need;
}

std::string IndexText(const ir::Shape& shape, int64_t flat) {
  std::string text = "[";
  const auto strides = shape.RowMajorStrides();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t stride = std::max<int64_t>(strides[static_cast<size_t>(axis)], 1);
    text +=
        fmt::format("{}{}", axis > 0 ? "," : "", flat / stride % std::max<int64_t>(shape[axis], 1));
  }
  return text + "]";
}

reports::FindingElement ElementOf(const Verdict& verdict, const ElementEvidence& evidence,
                                  const ir::Program& program) {
  reports::FindingElement element;
  element.value = verdict.value;
  const auto value = program.Find(verdict.value);
  element.index = value && evidence.part.empty()
                      ? IndexText(program.TypeOf(*value).shape, evidence.index)
                      : fmt::format("{} {}", evidence.part, evidence.index);
  element.expected = evidence.expected;
  element.actual = evidence.actual;
  element.ulp_distance = evidence.ulp;
  return element;
}

std::string TitleOf(const Verdict& verdict) {
  if (verdict.kind != VerdictKind::kDivergence) {
    return fmt::format("{}: {}", VerdictName(verdict.kind), verdict.message);
  }
  const std::string maker =
      verdict.op ? std::string(ir::Mnemonic(*verdict.op)) : std::string("input");
  return fmt::format("{} of %{}: {} ({} of {} elements)", maker, verdict.value,
                     AspectName(verdict.aspect), verdict.mismatches, verdict.elements);
}

// Whether bytes of an input depend on RunOptions::poison.
bool MeetsPoison(const ir::Program& program) {
  return std::ranges::any_of(program.statements, [&](const ir::Statement& statement) {
    if (statement.kind != ir::StatementKind::kInput) return false;
    return !statement.layout.contiguous() ||
           program.TypeOf(statement.results[0]).dtype() == ir::Dtype::kBool;
  });
}

bool HasSeveralStreams(const ir::Program& program) {
  return std::ranges::any_of(program.statements, [](const ir::Statement& statement) {
    return statement.kind == ir::StatementKind::kStream && statement.stream != 0;
  });
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const size_t colon = line.find(": ");
      return colon == std::string::npos ? line : line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace

int CountApplications(const ir::Program& program) {
  return static_cast<int>(std::ranges::count_if(program.statements, [](const auto& statement) {
    return statement.kind == ir::StatementKind::kApply;
  }));
}

ir::Program WithRunConditions(const ir::Program& program, const RunOptions& run,
                              const PlanTrace* trace) {
  const SessionOptions& options = run.session;
  ir::Program result = program;
  std::string needs;
  if (options.pool != PoolMode::kPlain) {
    AppendNeed(needs, fmt::format("pool={}", PoolModeName(options.pool)));
  }
  if (options.threads > 1) AppendNeed(needs, fmt::format("threads={}", options.threads));
  if (!options.fusion) AppendNeed(needs, "fusion=off");
  if (options.fail_allocation > 0) {
    AppendNeed(needs, fmt::format("fail_allocation={}", options.fail_allocation));
  }
  if (!options.isa.empty()) AppendNeed(needs, "isa=" + options.isa);
  if (run.poison != kDefaultPoison && MeetsPoison(program)) {
    AppendNeed(needs, fmt::format("poison={}", run.poison));
  }
  if (run.streams == StreamMode::kFree && HasSeveralStreams(program)) {
    AppendNeed(needs, "streams=free");
  }
  if (options.chaos && trace == nullptr) AppendNeed(needs, fmt::format("chaos={}", *options.chaos));
  result.header.needs = needs;
  if (options.chaos && trace != nullptr) {
    result.header.decisions.clear();
    for (const TracedDecision& decision : trace->decisions) {
      result.header.decisions.push_back({decision.name, decision.choice});
    }
  }
  return result;
}

void DescribeVerdict(const ir::Program& program, const Verdict& verdict, const PlanTrace* trace,
                     reports::Finding& finding) {
  finding.key = verdict.key;
  finding.verdict = VerdictName(verdict.kind);
  finding.title = TitleOf(verdict);
  finding.detail = verdict.message;
  if (!verdict.frames.empty()) finding.detail += "\n" + verdict.frames;
  finding.pattern = PatternName(verdict.pattern);
  finding.op = verdict.op ? std::string(ir::Mnemonic(*verdict.op)) : std::string();
  finding.elements_wrong = verdict.mismatches;
  finding.elements_compared = verdict.elements;
  finding.elements.clear();
  for (const ElementEvidence& evidence : verdict.worst) {
    finding.elements.push_back(ElementOf(verdict, evidence, program));
  }
  if (verdict.statement >= 0 && std::cmp_less(verdict.statement, program.statements.size())) {
    const ir::Statement& statement = program.statements[static_cast<size_t>(verdict.statement)];
    finding.statement = ir::PrintStatement(program, statement);
    finding.line = statement.where.line;
  }
  if (trace == nullptr) return;
  finding.blocks.clear();
  for (const TracedBlock& block : trace->blocks) {
    reports::FindingBlock& target = finding.blocks.emplace_back();
    for (std::string_view rule : block.rules) target.rules.emplace_back(rule);
    for (ir::Opcode op : block.source_ops) target.ops.emplace_back(ir::Mnemonic(op));
  }
}

reports::Finding MakeFinding(const ir::Program& program, std::string text, const Verdict& verdict,
                             const PlanTrace* trace) {
  reports::Finding finding;
  finding.id = fmt::format("{:016x}", ir::HashText(text));
  finding.program = std::move(text);
  finding.statements = static_cast<int>(program.statements.size());
  finding.ops = CountApplications(program);
  DescribeVerdict(program, verdict, trace, finding);
  return finding;
}

std::vector<std::pair<std::string, std::string>> DescribeEnvironment() {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  const char* sanitizer = "address";
#elif __has_feature(thread_sanitizer)
  const char* sanitizer = "thread";
#else
  const char* sanitizer = "none";
#endif
  return {{"compiler", __VERSION__}, {"cpu", CpuModel()}, {"sanitizer", sanitizer}};
}

}  // namespace faultline::harness
