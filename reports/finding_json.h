// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Finding records as JSON: one line each in a campaign's findings/*.jsonl, a list in results.

#ifndef REPORTS_FINDING_JSON_H_
#define REPORTS_FINDING_JSON_H_

#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"
#include "reports/finding.h"

namespace faultline::reports {

// One line, without the newline. Bytes that are not UTF-8 are replaced.
std::string FindingToJson(const Finding& finding);
// Unknown members are ignored, absent ones keep their default; kSyntax if it is no JSON object or
// of a newer schema.
ir::Result<Finding> FindingFromJson(std::string_view text);

// Every whole line of a .jsonl text; a torn last line is left out.
std::vector<Finding> FindingsFromJsonLines(std::string_view text);

}  // namespace faultline::reports

#endif  // REPORTS_FINDING_JSON_H_
