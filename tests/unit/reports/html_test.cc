// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>

#include "reports/campaign_report.h"
#include "reports/html_text.h"

namespace faultline::reports {
namespace {

TEST_CASE("text from a program cannot become markup") {
  Finding finding;
  finding.title = "<script>alert(1)</script>";
  finding.program = "faultline 1\n# name: \"<b>&\"\n";
  const std::string html = FindingToHtml(finding, 1);
  CHECK(html.find("<script>") == std::string::npos);
  CHECK(html.find("&lt;script&gt;") != std::string::npos);
  CHECK(html.find("&quot;&lt;b&gt;&amp;&quot;") != std::string::npos);
}

TEST_CASE("the diverging line is marked") {
  Finding finding;
  finding.reduced = "faultline 1\nread %a\n";
  finding.line = 2;
  CHECK(FindingToHtml(finding, 1).find("<span class=\"hit\">read %a</span>") != std::string::npos);
}

TEST_CASE("the page is one file and says what was found") {
  CampaignReport report;
  report.title = "Campaign of x";
  report.matrix = {{"add"}, {"f32", "bool"}, {{12, -1}}};
  const std::string clean = ReportToHtml(report);
  CHECK(clean.find("No findings") != std::string::npos);
  CHECK(clean.find("http") == std::string::npos);
  CHECK(clean.find("</html>") != std::string::npos);
  report.findings.resize(2);
  CHECK(ReportToHtml(report).find("2 findings") != std::string::npos);
}

}  // namespace
}  // namespace faultline::reports
