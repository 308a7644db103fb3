// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A campaign as people read it: what was run, how far it reached, what was found. Plain data that
// the page is made from.

#ifndef REPORTS_CAMPAIGN_REPORT_H_
#define REPORTS_CAMPAIGN_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reports/finding.h"

namespace faultline::reports {

// How often each op met each dtype; -1 where the backend does not take the pair.
struct OpMatrix {
  std::vector<std::string> ops;
  std::vector<std::string> dtypes;
  std::vector<std::vector<int64_t>> counts;  // [op][dtype]
};

// One line of what was reached.
struct CoverageRow {
  std::string group;
  size_t reached = 0;
  size_t of = 0;
  bool all_can_be = true;
  std::vector<std::string> never;
};

struct CampaignReport {
  std::string title;                                          // "fusion-cpu"
  std::string subtitle;                                       // when, how long, with which seed
  std::vector<std::pair<std::string, std::string>> figures;   // the large numbers: value, caption
  std::vector<std::pair<std::string, std::string>> settings;  // name, value
  std::vector<std::pair<std::string, uint64_t>> rules;        // fusion rule, times fired
  OpMatrix matrix;
  std::vector<CoverageRow> coverage;
  std::vector<std::string> never;  // what was never generated or never fired
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, uint64_t>> statistics;
  std::string contract;
};

// A page of one file: style and script inside, nothing fetched.
std::string ReportToHtml(const CampaignReport& report);

}  // namespace faultline::reports

#endif  // REPORTS_CAMPAIGN_REPORT_H_
