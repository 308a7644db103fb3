// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A campaign's results as JSON, with the members that docs/cli.md documents.

#ifndef HARNESS_CLI_RESULT_JSON_H_
#define HARNESS_CLI_RESULT_JSON_H_

#include <string>

#include "harness/campaign/summary.h"

namespace faultline::harness {

std::string ResultToJson(const CampaignOptions& options, const CampaignResult& result,
                         const CampaignFigures& figures);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_RESULT_JSON_H_
