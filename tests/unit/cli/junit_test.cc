// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/junit.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace faultline::harness {
namespace {

TEST_CASE("a replay as JUnit: a suite a backend, failures, errors and skips counted") {
  const nlohmann::json summary = {
      {"results",
       {{{"file", "a.fl"}, {"backend", "reference"}, {"verdict", "agree"}, {"seconds", 0.5}},
        {{"file", "b<\"&>.fl"},
         {"backend", "reference"},
         {"verdict", "divergence"},
         {"key", "divergence/number"},
         {"message", "1 < 2\n\x01"},
         {"seconds", 0.25}},
        {{"file", "c.fl"}, {"backend", "reference"}, {"verdict", "bad_input"}, {"message", "eh"}},
        {{"file", "d.fl"}, {"backend", "canary"}, {"verdict", "vacuous"}, {"key", "vacuous"}}}}};
  CHECK(ReplayToJUnit(summary) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="faultline replay canary" tests="1")"
        R"( failures="0" errors="0" skipped="1" time="0.000000">
    <testcase name="d.fl" classname="canary" time="0.000000">
      <skipped message="vacuous: "/>
    </testcase>
  </testsuite>
  <testsuite name="faultline replay reference" tests="3")"
        R"( failures="1" errors="1" skipped="0" time="0.750000">
    <testcase name="a.fl" classname="reference" time="0.500000"/>
    <testcase name="b&lt;&quot;&amp;&gt;.fl" classname="reference" time="0.250000">
      <failure type="divergence/number" message="divergence: 1 &lt; 2&#10;?"/>
    </testcase>
    <testcase name="c.fl" classname="reference" time="0.000000">
      <error type="bad_input" message="bad_input: eh"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace faultline::harness
