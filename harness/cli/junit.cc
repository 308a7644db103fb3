// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/junit.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace faultline::harness {
namespace {

using nlohmann::json;

// XML 1.0 has no control characters but tab and the line ends.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

struct Suite {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;
  std::string cases;
};

void AddCase(const json& result, Suite& suite) {
  static const std::set<std::string> kFailures = {"divergence", "crash", "hang", "leak",
                                                  "no_longer_fails"};
  const std::string verdict = result["verdict"];
  const std::string message = Escape(result.value("message", ""));
  const double seconds = result.value("seconds", 0.0);
  ++suite.tests;
  suite.seconds += seconds;
  suite.cases += fmt::format(R"(    <testcase name="{}" classname="{}" time="{:.6f}")",
                             Escape(result["file"].get<std::string>()),
                             Escape(result["backend"].get<std::string>()), seconds);
  if (verdict == "agree") {
    suite.cases += "/>\n";
    return;
  }
  std::string_view tag = "skipped";
  if (kFailures.contains(verdict)) {
    tag = "failure";
    ++suite.failures;
  } else if (verdict == "bad_input") {
    tag = "error";
    ++suite.errors;
  } else {
    ++suite.skipped;
  }
  const std::string type =
      tag == "skipped" ? "" : fmt::format(R"( type="{}")", Escape(result.value("key", verdict)));
  suite.cases += fmt::format(">\n      <{}{} message=\"{}: {}\"/>\n    </testcase>\n", tag, type,
                             verdict, message);
}

}  // namespace

std::string ReplayToJUnit(const json& summary) {
  std::map<std::string, Suite> suites;
  for (const json& result : summary["results"]) AddCase(result, suites[result["backend"]]);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [backend, suite] : suites) {
    text += fmt::format(
        "  <testsuite name=\"faultline replay {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\" time=\"{:.6f}\">\n{}  </testsuite>\n",
        Escape(backend), suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds,
        suite.cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace faultline::harness
