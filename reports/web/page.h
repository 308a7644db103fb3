// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Style and script of the HTML page, put into the executable at build time.

#ifndef REPORTS_WEB_PAGE_H_
#define REPORTS_WEB_PAGE_H_

namespace faultline::reports {

extern const char kPageCss[];
extern const char kPageJs[];

}  // namespace faultline::reports

#endif  // REPORTS_WEB_PAGE_H_
