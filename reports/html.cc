// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "reports/campaign_report.h"
#include "reports/html_text.h"
#include "reports/web/page.h"

namespace faultline::reports {
namespace {

using NamedText = std::vector<std::pair<std::string, std::string>>;

std::string Rows(const NamedText& rows) {
  std::string out = "<table>\n";
  for (const auto& [name, value] : rows) {
    out += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", EscapeHtml(name), EscapeHtml(value));
  }
  return out + "</table>\n";
}

std::string CountRows(const std::vector<std::pair<std::string, uint64_t>>& rows) {
  std::string out = "<table>\n";
  for (const auto& [name, count] : rows) {
    out +=
        fmt::format("<tr><td>{}</td><td class=\"number\">{}</td></tr>\n", EscapeHtml(name), count);
  }
  return out + "</table>\n";
}

std::string Fold(std::string_view title, std::string_view body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", title, body);
}

std::string Banner(const CampaignReport& report) {
  if (report.findings.empty()) {
    return "<p class=\"banner good\">No findings: everything read was something that a correct "
           "execution could give.</p>\n";
  }
  return fmt::format("<p class=\"banner bad\">{} finding{}</p>\n", report.findings.size(),
                     report.findings.size() == 1 ? "" : "s");
}

std::string Figures(const NamedText& figures) {
  std::string out = "<div class=\"figures\">\n";
  for (const auto& [value, caption] : figures) {
    out += fmt::format("<div class=\"figure\"><b>{}</b><span>{}</span></div>\n", EscapeHtml(value),
                       EscapeHtml(caption));
  }
  return out + "</div>\n";
}

// Shades by the logarithm: the cells of a healthy campaign differ by orders of magnitude.
std::string Cell(int64_t count, double log_max) {
  if (count < 0) return "<td class=\"none\">-</td>";
  if (count == 0) return "<td class=\"zero\">0</td>";
  const double share = log_max > 0 ? std::log1p(static_cast<double>(count)) / log_max : 1;
  return fmt::format(
      "<td style=\"background: color-mix(in srgb, var(--accent) {:.0f}%, transparent)\">{}</td>",
      8 + 34 * share, count);
}

std::string Matrix(const OpMatrix& matrix) {
  int64_t largest = 0;
  for (const auto& row : matrix.counts) {
    for (int64_t count : row) largest = std::max(largest, count);
  }
  std::string out = "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th></th>";
  for (const std::string& dtype : matrix.dtypes) {
    out += fmt::format("<th>{}</th>", EscapeHtml(dtype));
  }
  out += "</tr></thead><tbody>\n";
  for (size_t i = 0; i < matrix.ops.size(); ++i) {
    out += fmt::format("<tr><th>{}</th>", EscapeHtml(matrix.ops[i]));
    for (int64_t count : matrix.counts[i]) {
      out += Cell(count, std::log1p(static_cast<double>(largest)));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string Coverage(const std::vector<CoverageRow>& rows) {
  std::string out = "<table><thead><tr><th>group</th><th>reached</th><th>of</th></tr></thead>\n";
  for (const CoverageRow& row : rows) {
    out += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}{}</td></tr>\n",
        EscapeHtml(row.group), row.reached, row.all_can_be ? "" : "at most ", row.of);
  }
  out += "</table>\n";
  for (const CoverageRow& row : rows) {
    if (!row.all_can_be || row.never.empty()) continue;
    out += Fold(fmt::format("never met of {}: {}", EscapeHtml(row.group), row.never.size()),
                fmt::format("<p><code>{}</code></p>\n",
                            EscapeHtml(fmt::format("{}", fmt::join(row.never, " ")))));
  }
  return out;
}

}  // namespace

std::string ReportToHtml(const CampaignReport& report) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Faultline: {0}</title>\n<style>\n{2}</style>\n</head>\n<body>\n"
      "<h1>{0}</h1>\n<p class=\"soft\">{1}</p>\n",
      EscapeHtml(report.title), EscapeHtml(report.subtitle), kPageCss);
  out += Banner(report) + Figures(report.figures);
  if (!report.findings.empty()) out += "<h2>Findings</h2>\n";
  for (size_t i = 0; i < report.findings.size(); ++i) {
    out += FindingToHtml(report.findings[i], i + 1);
  }
  out += "<h2>Reach</h2>\n";
  if (report.never.empty()) {
    out +=
        "<p>Every op x dtype that the backend takes was generated; every fusion rule fired.</p>\n";
  } else {
    out += fmt::format("<p>Never met: <code>{}</code></p>\n",
                       EscapeHtml(fmt::format("{}", fmt::join(report.never, " "))));
  }
  if (!report.coverage.empty()) out += "<h3>By group</h3>\n" + Coverage(report.coverage);
  out += "<h3>Fusion rules</h3>\n" + CountRows(report.rules);
  out += "<h3>Op x dtype, as generated</h3>\n" + Matrix(report.matrix);
  out += "<h2>Campaign</h2>\n" + Rows(report.settings);
  out +=
      Fold("contract of the backend", fmt::format("<pre>{}</pre>\n", EscapeHtml(report.contract)));
  out += Fold("all statistics", CountRows(report.statistics));
  return out + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", kPageJs);
}

}  // namespace faultline::reports
