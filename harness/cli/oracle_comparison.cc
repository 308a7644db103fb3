// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/oracle_comparison.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace faultline::harness {
namespace {

using nlohmann::json;

// What one oracle made of one backend's runs.
struct Score {
  int64_t programs = 0;             // without a fault
  int64_t alarms = 0;               // of these, flagged
  int64_t faults = 0;               // that changed a run
  int64_t found = 0;                // of these
  int64_t changed = 0;              // runs that a fault changed
  int64_t flagged = 0;              // of these, flagged
  std::vector<std::string> missed;  // of these faults
  std::vector<std::string> unmet;   // faults that changed no run
};

std::map<std::string, Score> ScoresOf(std::span<const PowerRow> rows, size_t oracle) {
  std::map<std::string, Score> scores;
  for (const auto& [run, counts] : rows) {
    Score& score = scores[run.backend];
    if (run.fault.empty()) {
      score.programs += counts.programs;
      score.alarms += counts.clean_flagged[oracle];
      continue;
    }
    if (!counts.died && counts.changed == 0) {
      score.unmet.push_back(run.fault);
      continue;
    }
    ++score.faults;
    score.changed += counts.changed;
    score.flagged += counts.changed_flagged[oracle];
    if (counts.died || counts.found[oracle] > 0) {
      ++score.found;
    } else {
      score.missed.push_back(run.fault);
    }
  }
  return scores;
}

std::string Percent(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

json ComparisonToJson(std::span<const PowerRow> rows) {
  json list = json::array();
  for (size_t oracle = 0; oracle < kOracleCount; ++oracle) {
    json backends = json::object();
    for (const auto& [backend, score] : ScoresOf(rows, oracle)) {
      backends[backend] = {{"programs", score.programs}, {"false_alarms", score.alarms},
                           {"faults", score.faults},     {"found", score.found},
                           {"changed", score.changed},   {"flagged", score.flagged},
                           {"missed", score.missed},     {"unmet", score.unmet}};
    }
    list.push_back({{"oracle", OracleName(oracle)}, {"backends", std::move(backends)}});
  }
  return list;
}

std::string ComparisonToText(std::span<const PowerRow> rows) {
  std::string head = "| oracle |";
  std::string rule = "|---|";
  std::string missed;
  std::string unmet;
  std::string body;
  for (size_t oracle = 0; oracle < kOracleCount; ++oracle) {
    body += fmt::format("| {} |", OracleName(oracle));
    for (const auto& [backend, score] : ScoresOf(rows, oracle)) {
      if (score.programs > 0) {
        body += fmt::format(" {} |", Percent(score.alarms, score.programs));
        if (oracle == 0) head += fmt::format(" false alarms, {} |", backend), rule += "---|";
      }
      if (score.faults == 0) continue;
      body += fmt::format(" {} of {} | {} |", score.found, score.faults,
                          Percent(score.flagged, score.changed));
      if (oracle == 0) head += fmt::format(" faults of {} | changed runs flagged |", backend);
      if (oracle == 0) rule += "---|---|";
      if (oracle == 0 && !score.unmet.empty()) {
        unmet += fmt::format("- {}: {}\n", backend, fmt::join(score.unmet, ", "));
      }
      if (score.missed.empty()) continue;
      missed +=
          fmt::format("- {}, {}: {}\n", OracleName(oracle), backend, fmt::join(score.missed, ", "));
    }
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body + (missed.empty() ? "" : "\nNot found:\n\n" + missed) +
         (unmet.empty() ? "" : "\nChanged no run of these programs:\n\n" + unmet);
}

}  // namespace faultline::harness
