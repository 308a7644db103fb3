// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/tally.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace faultline::harness {
namespace {

using nlohmann::json;

json ToJson(const Quantiles& quantiles) {
  json bins = json::array();
  for (const auto& [bin, count] : quantiles.bins()) bins.push_back({bin, count});
  return bins;
}

void FromJson(const json& bins, Quantiles& quantiles) {
  for (const json& bin : bins) quantiles.AddBin(bin[0], bin[1]);
}

// The sums of a tally of one op, in one order for both directions.
template <typename Op, typename Visit>
void ForEachSum(Op& op, const Visit& visit) {
  for (auto* sum : {&op.applications, &op.compared, &op.exact, &op.vacuous, &op.compared_float,
                    &op.exact_float, &op.straddling, &op.enclosed_ns, &op.plain_ns}) {
    visit(*sum);
  }
}

}  // namespace

void OpTally::Merge(const OpTally& other) {
  applications += other.applications;
  compared += other.compared;
  exact += other.exact;
  vacuous += other.vacuous;
  compared_float += other.compared_float;
  exact_float += other.exact_float;
  straddling += other.straddling;
  radius.Merge(other.radius);
  radius_own.Merge(other.radius_own);
  reach = std::max(reach, other.reach);
  reach_wide = std::max(reach_wide, other.reach_wide);
  enclosed_ns += other.enclosed_ns;
  plain_ns += other.plain_ns;
}

void Tally::Merge(const Tally& other) {
  programs += other.programs;
  flagged += other.flagged;
  vacuous_programs += other.vacuous_programs;
  enclosed_ns += other.enclosed_ns;
  plain_ns += other.plain_ns;
  for (const auto& [key, op] : other.ops) ops[key].Merge(op);
  alarms.insert(alarms.end(), other.alarms.begin(), other.alarms.end());
  std::ranges::sort(alarms, {}, &FalseAlarm::index);
  if (alarms.size() > kAlarmsMax) alarms.resize(kAlarmsMax);
}

OpTally Tally::Total() const {
  OpTally total;
  for (const auto& [key, op] : ops) total.Merge(op);
  return total;
}

std::string PrintTally(const Tally& tally) {
  json ops = json::array();
  for (const auto& [key, op] : tally.ops) {
    json sums = json::array();
    ForEachSum(op, [&](int64_t sum) { sums.push_back(sum); });
    ops.push_back({static_cast<int>(key.first), static_cast<int>(key.second), std::move(sums),
                   ToJson(op.radius), ToJson(op.radius_own), op.reach, op.reach_wide});
  }
  json alarms = json::array();
  for (const FalseAlarm& alarm : tally.alarms) alarms.push_back({alarm.index, alarm.message});
  const json all = {tally.programs, tally.flagged,  tally.vacuous_programs, tally.enclosed_ns,
                    tally.plain_ns, std::move(ops), std::move(alarms)};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

Tally ParseTally(std::string_view line) {
  const json all = json::parse(line);
  Tally tally;
  tally.programs = all[0];
  tally.flagged = all[1];
  tally.vacuous_programs = all[2];
  tally.enclosed_ns = all[3];
  tally.plain_ns = all[4];
  for (const json& row : all[5]) {
    OpTally& op = tally.ops[{static_cast<ir::Opcode>(row[0].get<int>()),
                             static_cast<ir::Dtype>(row[1].get<int>())}];
    size_t next = 0;
    ForEachSum(op, [&](int64_t& sum) { sum = row[2][next++]; });
    FromJson(row[3], op.radius);
    FromJson(row[4], op.radius_own);
    op.reach = row[5];
    op.reach_wide = row[6];
  }
  for (const json& alarm : all[6]) tally.alarms.push_back({alarm[0], alarm[1]});
  return tally;
}

}  // namespace faultline::harness
