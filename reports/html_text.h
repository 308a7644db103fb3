// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Pieces of the HTML page: escaping, and one finding as an article.

#ifndef REPORTS_HTML_TEXT_H_
#define REPORTS_HTML_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/finding.h"

namespace faultline::reports {

// Safe as text and as the value of a quoted attribute.
std::string EscapeHtml(std::string_view text);

// `number` is the finding's place on the page, from 1.
std::string FindingToHtml(const Finding& finding, size_t number);

}  // namespace faultline::reports

#endif  // REPORTS_HTML_TEXT_H_
