// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace faultline::reports {
namespace {

// A program's text with the diverging line marked.
std::string ProgramText(std::string_view text, int hit) {
  std::string out = "<pre>";
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    out += line == hit ? fmt::format("<span class=\"hit\">{}</span>\n", EscapeHtml(whole))
                       : EscapeHtml(whole) + "\n";
  }
  return out + "</pre>\n";
}

std::string Distance(double ulp) {
  if (std::isinf(ulp) || ulp == 0) return "";
  if (ulp < 100) return fmt::format("{:.3g}", ulp);
  return ulp < 1e6 ? fmt::format("{:.0f}", ulp) : fmt::format("{:.2e}", ulp);
}

std::string Elements(const Finding& finding) {
  if (finding.elements.empty()) return {};
  std::string out = fmt::format(
      "<h3>Worst elements</h3>\n<p class=\"soft\">{} of {} wrong; pattern: {}</p>\n"
      "<div class=\"scroll\"><table><tr><th>element</th><th>a correct execution gives</th>"
      "<th>got</th><th>ulp away</th></tr>\n",
      finding.elements_wrong, finding.elements_compared, EscapeHtml(finding.pattern));
  for (const FindingElement& element : finding.elements) {
    out += fmt::format(
        "<tr><td><code>%{}{}{}</code></td><td><code>{}</code></td><td><code>{}</code></td>"
        "<td class=\"number\">{}</td></tr>\n",
        EscapeHtml(element.value), element.index.starts_with('[') ? "" : " ",
        EscapeHtml(element.index), EscapeHtml(element.expected), EscapeHtml(element.actual),
        Distance(element.ulp_distance));
  }
  return out + "</table></div>\n";
}

std::string Blocks(const Finding& finding) {
  if (finding.blocks.empty()) return {};
  std::string out =
      "<h3>Plan of the program</h3>\n<table><tr><th>launch</th><th>ops</th><th>rules</th></tr>\n";
  for (size_t i = 0; i < finding.blocks.size(); ++i) {
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", i + 1,
                       EscapeHtml(fmt::format("{}", fmt::join(finding.blocks[i].ops, " "))),
                       EscapeHtml(fmt::format("{}", fmt::join(finding.blocks[i].rules, ", "))));
  }
  return out + "</table>\n";
}

std::string Guilt(const Finding& finding) {
  if (finding.guilty.empty()) return {};
  std::string out = fmt::format("<h3>Guilty decisions</h3>\n<p><code>{}</code>",
                                EscapeHtml(fmt::format("{}", fmt::join(finding.guilty, " "))));
  if (!finding.rules.empty()) {
    out += fmt::format(" by the rule <code>{}</code>",
                       EscapeHtml(fmt::format("{}", fmt::join(finding.rules, ", "))));
  }
  return out + "</p>\n";
}

std::string Tags(const Finding& finding) {
  std::string out = fmt::format("<span class=\"tag bad\">{}</span>", EscapeHtml(finding.verdict));
  const auto tag = [&](std::string_view kind, const std::string& text) {
    out += fmt::format(" <span class=\"tag {}\">{}</span>", kind, EscapeHtml(text));
  };
  if (finding.attempts > 0) {
    if (finding.history_dependent) {
      tag("bad", "depends on what ran before");
    } else {
      tag("good", fmt::format("confirmed {} of {}", finding.confirmed, finding.attempts));
    }
  }
  if (!finding.reduced.empty())
    tag("", fmt::format("{} op{}, from {}", finding.reduced_ops,
                        finding.reduced_ops == 1 ? "" : "s", finding.ops));
  if (finding.count > 1) tag("", fmt::format("seen {} times", finding.count));
  if (!finding.fault.empty()) tag("", "seeded fault " + finding.fault);
  return out;
}

std::string Fold(std::string_view title, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", title,
                     EscapeHtml(text));
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string FindingToHtml(const Finding& finding, size_t number) {
  std::string out = fmt::format("<article id=\"f{0}\">\n<header><h3>{0}. {1}</h3>{2}</header>\n",
                                number, EscapeHtml(finding.title), Tags(finding));
  out += fmt::format("<p class=\"soft\"><code>{}</code></p>\n", EscapeHtml(finding.key));
  if (!finding.detail.empty()) {
    const std::string_view detail = finding.detail;
    out += fmt::format("<p>{}</p>\n", EscapeHtml(detail.substr(0, detail.find('\n'))));
  }
  const bool reduced = !finding.reduced.empty();
  out += fmt::format("<h3>{}</h3>\n", reduced ? "Reduced program" : "Program");
  out += ProgramText(reduced ? finding.reduced : finding.program, finding.line);
  if (!finding.replay.empty()) {
    out += fmt::format(
        "<div class=\"replay\"><pre id=\"replay{0}\">{1}</pre>"
        "<button data-copy=\"replay{0}\">copy</button></div>\n",
        number, EscapeHtml(finding.replay));
  }
  out += Elements(finding) + Guilt(finding) + Blocks(finding);
  if (reduced) out += Fold("program as found", finding.program);
  if (const size_t rest = finding.detail.find('\n'); rest != std::string::npos) {
    out += Fold("report of the process", finding.detail.substr(rest + 1));
  }
  out += Fold("inputs that ran before", finding.history);
  std::string environment;
  for (const auto& [name, value] : finding.environment) {
    environment += fmt::format("{}: {}\n", name, value);
  }
  return out + Fold("environment", environment) + "</article>\n";
}

}  // namespace faultline::reports
