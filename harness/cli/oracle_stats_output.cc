// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/oracle_stats_output.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "ir/dtype.h"
#include "ir/op.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

json OpToJson(const OpTally& op) {
  return {{"applications_timed", op.applications},
          {"elements_compared", op.compared},
          {"share_exact", Share(op.exact, op.compared)},
          {"share_exact_float", Share(op.exact_float, op.compared_float)},
          {"share_vacuous", Share(op.vacuous, op.compared)},
          {"share_straddling_float", Share(op.straddling, op.compared_float)},
          {"median_radius_ulp", op.radius.At(0.5)},
          {"p99_radius_ulp", op.radius.At(0.99)},
          {"median_radius_own_ulp", op.radius_own.At(0.5)},
          {"p99_radius_own_ulp", op.radius_own.At(0.99)},
          {"adversary_reach", op.reach},
          {"adversary_reach_wide", op.reach_wide},
          {"reference_cost_ratio", Share(op.enclosed_ns, op.plain_ns)}};
}

// A number of ulp in five characters or so.
std::string Ulp(double value) {
  return value < 1e4 ? fmt::format("{:.4g}", value) : fmt::format("{:.0e}", value);
}

std::string Row(std::string_view name, const OpTally& op) {
  return fmt::format("{:<26}{:>10}{:>8.2f}{:>8.3f}{:>9}{:>9}{:>9}{:>7.2f}{:>7.2f}\n", name,
                     op.compared, 100 * Share(op.exact, op.compared),
                     100 * Share(op.vacuous, op.compared), Ulp(op.radius.At(0.5)),
                     Ulp(op.radius.At(0.99)), Ulp(op.radius_own.At(0.99)), op.reach,
                     Share(op.enclosed_ns, op.plain_ns));
}

}  // namespace

json TallyToJson(const Tally& tally) {
  json fields = OpToJson(tally.Total());
  fields.erase("applications_timed");
  // Of whole programs: what runs no kernel costs too.
  fields["reference_cost_ratio"] = Share(tally.enclosed_ns, tally.plain_ns);
  fields["adversary_programs"] = tally.programs;
  fields["adversary_flagged"] = tally.flagged;
  fields["adversary_vacuous"] = tally.vacuous_programs;
  json alarms = json::array();
  for (const FalseAlarm& alarm : tally.alarms) {
    alarms.push_back({{"index", alarm.index}, {"message", alarm.message}});
  }
  fields["alarms"] = std::move(alarms);
  json ops = json::array();
  for (const auto& [key, op] : tally.ops) {
    json row = OpToJson(op);
    row["op"] = ir::Mnemonic(key.first);
    row["dtype"] = ir::DtypeName(key.second);
    ops.push_back(std::move(row));
  }
  fields["ops"] = std::move(ops);
  return fields;
}

std::string TallyToText(const Tally& tally) {
  std::map<ir::Opcode, OpTally> by_op;
  for (const auto& [key, op] : tally.ops) by_op[key.first].Merge(op);
  std::string text =
      "                            elements   exact  cannot    radius, ulp     of own        "
      "  cost\n"
      "op                          compared       %  fail %   median      p99  unit,p99  reach"
      "  ratio\n";
  for (const auto& [op, sums] : by_op) text += Row(ir::Mnemonic(op), sums);
  OpTally total = tally.Total();
  total.enclosed_ns = tally.enclosed_ns;
  total.plain_ns = tally.plain_ns;
  text += Row("all", total);
  text += fmt::format("{} legal executions, {} flagged\n", tally.programs, tally.flagged);
  return text;
}

}  // namespace faultline::harness
