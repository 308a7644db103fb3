// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/oracle_stats_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "harness/account/certification.h"
#include "harness/cli/oracle_comparison.h"
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

std::string Row(std::string_view name, const OpTally& op, const CertifyCounts& certified) {
  return fmt::format("{:<26}{:>10}{:>8.2f}{:>8.3f}{:>9}{:>9}{:>9}{:>7.2f}{:>7.2f}{:>10}{:>7}\n",
                     name, op.compared, 100 * Share(op.exact, op.compared),
                     100 * Share(op.vacuous, op.compared), Ulp(op.radius.At(0.5)),
                     Ulp(op.radius.At(0.99)), Ulp(op.radius_own.At(0.99)), op.reach,
                     Share(op.enclosed_ns, op.plain_ns), certified.elements,
                     certified.violations + certified.naive_outside);
}

void Add(CertifyCounts& sum, const CertifyCounts& counts) {
  sum.elements += counts.elements;
  sum.from_sets += counts.from_sets;
  sum.violations += counts.violations;
  sum.naive_outside += counts.naive_outside;
}

void PutCertified(const CertifyCounts& counts, json& fields) {
  fields["mpfr_elements"] = counts.elements;
  fields["mpfr_from_sets"] = counts.from_sets;
  fields["mpfr_violations"] = counts.violations;
  fields["naive_outside"] = counts.naive_outside;
}

std::string_view KindName(CertifyKind kind) {
  switch (kind) {
    case CertifyKind::kCertified:
      return "mpfr";
    case CertifyKind::kExact:
      return "exact";
    case CertifyKind::kNone:
      return "none";
  }
  return "";
}

}  // namespace

bool IsFaulty(const OracleFigures& figures) {
  const bool alarms = std::ranges::any_of(
      figures.compared, [](const PowerRow& row) { return row.second.clean_flagged[kOurs] > 0; });
  return figures.tally.flagged > 0 || !figures.certified.violations.empty() || alarms;
}

json FiguresToJson(const OracleFigures& figures) {
  const Tally& tally = figures.tally;
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
  CertifyCounts all;
  for (const auto& [key, counts] : figures.certified.ops) Add(all, counts);
  PutCertified(all, fields);
  fields["not_certified"] = NotCertified();
  json violations = json::array();
  for (const CertifyViolation& one : figures.certified.violations) {
    violations.push_back({{"op", ir::Mnemonic(one.op)},
                          {"dtype", ir::DtypeName(one.dtype)},
                          {"message", one.message},
                          {"program", one.program}});
  }
  fields["violations"] = std::move(violations);
  json ops = json::array();
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (const ir::Dtype dtype : ir::DtypesOf(info.op)) {
      const auto met = tally.ops.find({info.op, dtype});
      json row = OpToJson(met != tally.ops.end() ? met->second : OpTally{});
      row["op"] = info.mnemonic;
      row["dtype"] = ir::DtypeName(dtype);
      row["certified"] = KindName(CertifyKindOf(info.op, dtype));
      const auto counts = figures.certified.ops.find({info.op, dtype});
      PutCertified(counts != figures.certified.ops.end() ? counts->second : CertifyCounts{}, row);
      ops.push_back(std::move(row));
    }
  }
  fields["ops"] = std::move(ops);
  if (!figures.compared.empty()) fields["compare"] = ComparisonToJson(figures.compared);
  return fields;
}

std::string FiguresToText(const OracleFigures& figures) {
  std::map<ir::Opcode, std::pair<OpTally, CertifyCounts>> by_op;
  for (const auto& [key, op] : figures.tally.ops) by_op[key.first].first.Merge(op);
  CertifyCounts certified;
  for (const auto& [key, counts] : figures.certified.ops) {
    Add(by_op[key.first].second, counts);
    Add(certified, counts);
  }
  std::string text =
      "                            elements   exact  cannot    radius, ulp     of own        "
      "  cost      MPFR\n"
      "op                          compared       %  fail %   median      p99  unit,p99  reach"
      "  ratio  elements outside\n";
  for (const auto& [op, sums] : by_op) text += Row(ir::Mnemonic(op), sums.first, sums.second);
  OpTally total = figures.tally.Total();
  total.enclosed_ns = figures.tally.enclosed_ns;
  total.plain_ns = figures.tally.plain_ns;
  text += Row("all", total, certified);
  const std::vector<std::string> left_out = NotCertified();
  if (!left_out.empty()) {
    text += fmt::format("no formula certifies: {}, nor results that are quantized anew\n",
                        fmt::join(left_out, " "));
  }
  text += fmt::format(
      "{} legal executions, {} flagged; {} elements by MPFR, {} outside their sets\n",
      figures.tally.programs, figures.tally.flagged, certified.elements, certified.violations);
  if (!figures.compared.empty()) text += ComparisonToText(figures.compared);
  return text;
}

}  // namespace faultline::harness
