// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline show: one program, as the harness sees it.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/backend/run.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/graph.h"
#include "harness/oracle/explain.h"
#include "harness/oracle/needs.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kDetails =
    R"(Prints the canonical text, or (several may be asked for):
  --values  what each value is and what a correct backend may give, under the contract
  --plan    how the backend fused it: launches, decisions, cache, bytes moved
  --graph   the graph in DOT, launches as boxes

Examples:
  faultline show corpus/seeds/softmax_rows.fl
  faultline show found.fl --values --plan --backend fusion-cpu
  faultline show found.fl --graph | dot -Tsvg > found.svg
)";

std::string PrintCounts(std::string_view title, const Counts& counts) {
  if (counts.empty()) return {};
  std::string text = fmt::format("{}:", title);
  for (const auto& [name, count] : counts) text += fmt::format(" {}={}", name, count);
  return text + "\n";
}

std::string PrintPlan(const PlanTrace& trace) {
  if (trace.blocks.empty()) return "the backend reports no plan\n";
  std::string text;
  for (size_t i = 0; i < trace.blocks.size(); ++i) {
    const TracedBlock& block = trace.blocks[i];
    text += fmt::format("launch {} ({}):", i, block.tier);
    for (size_t k = 0; k < block.source_ops.size(); ++k) {
      text += fmt::format(" {}", ir::Mnemonic(block.source_ops[k]));
      if (k < block.values.size() && !block.values[k].empty()) {
        text += fmt::format(" %{}", block.values[k]);
      }
    }
    if (!block.rules.empty()) text += fmt::format("  [{}]", fmt::join(block.rules, ", "));
    text += '\n';
  }
  for (const TracedDecision& decision : trace.decisions) {
    text += fmt::format("decision {}={} of {}\n", decision.name, decision.choice,
                        decision.alternatives);
  }
  text += PrintCounts("launches", trace.launches);
  text += PrintCounts("rules", trace.rules_fired);
  text += PrintCounts("in place refused", trace.in_place_refused);
  text += fmt::format("in place: {}\ncache: {} hits, {} misses, {} evictions\n", trace.in_place,
                      trace.cache_hits, trace.cache_misses, trace.cache_evictions);
  text +=
      fmt::format("bytes: {} read, {} written, {} at least; pool at most {}\n", trace.bytes_read,
                  trace.bytes_written, trace.bytes_least, trace.pool_high_water);
  if (!trace.environment.empty()) text += fmt::format("environment: {}\n", trace.environment);
  return text;
}

struct Line {
  std::vector<std::string> paths;
  BackendOptions backend;
  bool values = false;
  bool plan = false;
  bool graph = false;
  int64_t elements = 8;
};

ir::Result<PlanTrace> TraceOf(const ir::Program& program, Backend& backend,
                              SessionOptions session) {
  FAULTLINE_ASSIGN_OR_RETURN(const Needs needs, ParseNeeds(program.header.needs));
  RunOptions run = {.session = std::move(session)};
  ApplyNeeds(needs, run);
  run.session.decisions = program.header.decisions;
  Observation observation = RunProgram(program, backend, run);
  if (!observation.opened.ok()) return std::unexpected(observation.opened);
  return std::move(observation.trace);
}

ExitCode RunShow(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  line.backend.AddTo(set);
  set.Flag("graph", &line.graph, "the graph in DOT");
  set.Flag("plan", &line.plan, "run it and show the plan");
  set.Flag("values", &line.values, "values and admissible sets");
  set.Positional("FILE", &line.paths);
  set.Value("elements", &line.elements, "N", "elements of a value to show (default 8)");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.paths.size() != 1) return Failed({ir::StatusCode::kUsage, "show takes one file"});
  const std::string& path = line.paths.front();
  const ir::Result<ir::Program> program = LoadProgram(path);
  if (!program.has_value()) return Failed(program.error(), path);
  std::string text;
  if (!line.values && !line.plan && !line.graph) text = ir::Print(*program);
  if (line.values || line.plan || line.graph) {
    const auto backend = line.backend.MakeOnly();
    if (!backend.has_value()) return Failed(backend.error());
    if (line.values) text += ExplainProgram(*program, (*backend)->contract(), line.elements);
    if (line.plan || line.graph) {
      const ir::Result<PlanTrace> trace = TraceOf(*program, **backend, line.backend.Session());
      if (!trace.has_value()) return Failed(trace.error(), path);
      if (line.plan) text += PrintPlan(*trace);
      if (line.graph) text += PrintGraph(*program, *trace);
    }
  }
  const ir::Status status = WriteText("-", text);
  return status.ok() ? ExitCode::kOk : Failed(status);
}

}  // namespace

const Command kShowCommand = {
    .name = "show",
    .synopsis = "FILE [--values] [--plan] [--graph] [--backend NAME]",
    .summary = "show a program, its values, its plan or its graph",
    .details = kDetails,
    .run = RunShow,
};

}  // namespace faultline::harness
