// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/causes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

namespace faultline::harness {
namespace {

reports::Finding FindingOf(std::string_view op, std::string_view dtype) {
  reports::Finding finding;
  finding.verdict = "divergence";
  finding.key = "divergence/number/" + std::string(op) + "/" + std::string(dtype);
  finding.signature = finding.key + " ops=" + std::string(op);
  const std::string type = std::string(dtype) + "[3]";
  finding.reduced = "faultline 1\n%a: " + type + " = input [1, 2, 3]\n%b: " + type + " = " +
                    std::string(op) + " %a\nread %b\n";
  return finding;
}

std::set<std::string> Signatures(const std::vector<reports::Finding>& findings) {
  const std::vector<std::string> signatures = CauseSignatures(findings);
  REQUIRE(signatures.size() == findings.size());
  return {signatures.begin(), signatures.end()};
}

TEST_CASE("one op that fails in every dtype is one cause") {
  std::vector<reports::Finding> findings;
  for (const std::string_view dtype : {"f64", "f32", "f16", "bf16", "i32", "i8"}) {
    findings.push_back(FindingOf("abs", dtype));
  }
  CHECK(Signatures(findings) ==
        std::set<std::string>{"kind:elementwise op:abs verdict:divergence"});
}

TEST_CASE("one dtype that fails in every op is one cause") {
  std::vector<reports::Finding> findings;
  for (const std::string_view op : {"abs", "neg", "exp", "sqrt", "tanh", "floor"}) {
    findings.push_back(FindingOf(op, "bf16"));
  }
  CHECK(Signatures(findings) ==
        std::set<std::string>{"class:half dtype:bf16 kind:elementwise verdict:divergence"});
}

TEST_CASE("two causes stay two") {
  std::vector<reports::Finding> findings;
  for (const std::string_view dtype : {"f64", "f32", "f16", "bf16", "i32", "i8"}) {
    findings.push_back(FindingOf("abs", dtype));
    findings.push_back(FindingOf("neg", dtype));
  }
  CHECK(Signatures(findings).size() == 2);
}

TEST_CASE("a drop and a condition that the reducer had to keep make a cause") {
  std::vector<reports::Finding> findings;
  for (const std::string_view op : {"abs", "neg", "exp", "sqrt", "tanh"}) {
    reports::Finding finding = FindingOf(op, "f32");
    const size_t read = finding.reduced.rfind("read");
    finding.reduced.insert(read, "drop %a\n");
    finding.reduced.insert(finding.reduced.find('\n') + 1, "# needs: pool=guard\n");
    findings.push_back(finding);
  }
  CHECK(Signatures(findings) == std::set<std::string>{"class:f32 dtype:f32 kind:elementwise "
                                                      "need:pool op:drop verdict:divergence"});
}

TEST_CASE("three causes of three findings each stay three") {
  std::vector<reports::Finding> findings;
  for (int i = 0; i < 3; ++i) {
    for (const std::string_view op : {"abs", "neg", "exp"}) {
      findings.push_back(FindingOf(op, "f32"));
    }
  }
  CHECK(Signatures(findings) == std::set<std::string>{"divergence/number/abs/f32 ops=abs",
                                                      "divergence/number/neg/f32 ops=neg",
                                                      "divergence/number/exp/f32 ops=exp"});
}

TEST_CASE("five findings are a group, four are not, whatever else there is") {
  std::vector<reports::Finding> findings;
  for (const std::string_view dtype : {"f64", "f16", "i32", "i8"}) {
    findings.push_back(FindingOf("neg", dtype));
    findings.push_back(FindingOf("abs", dtype));
  }
  CHECK(Signatures(findings).size() == 8);
  findings.push_back(FindingOf("abs", "i64"));
  const std::set<std::string> signatures = Signatures(findings);
  CHECK(signatures.size() == 5);
  CHECK(signatures.contains("kind:elementwise op:abs verdict:divergence"));
}

TEST_CASE("groups of several campaigns are grouped again, by what all of a group have") {
  reports::Finding first = FindingOf("abs", "f32");
  first.signature = "kind:elementwise op:abs verdict:divergence";
  first.count = 400;
  reports::Finding second = FindingOf("abs", "f16");
  second.signature = "dtype:f16 kind:elementwise op:abs verdict:divergence";
  second.count = 7;
  reports::Finding other = FindingOf("neg", "f16");
  other.signature = "kind:elementwise op:neg verdict:divergence";
  other.count = 30;
  const auto folded = FoldFindings({first, second, other});
  REQUIRE(folded.size() == 2);
  CHECK(folded[0].count + folded[1].count == 437);
  CHECK(std::ranges::count(folded, "kind:elementwise op:abs verdict:divergence",
                           &reports::Finding::signature) == 1);
}

TEST_CASE("folding counts what has no record to the findings of its key") {
  reports::Finding best = FindingOf("abs", "f32");
  best.confirmed = 3;
  const auto folded = FoldFindings({FindingOf("neg", "f32"), best}, {{best.key, 95}, {"none", 7}});
  REQUIRE(folded.size() == 2);
  CHECK(folded[0].key == best.key);
  CHECK(folded[0].count == 96);
  CHECK(folded[1].count == 1);
}

TEST_CASE("a few findings, and those that were not reduced, keep their signatures") {
  std::vector<reports::Finding> findings = {FindingOf("abs", "f32"), FindingOf("neg", "f32"),
                                            FindingOf("exp", "f32")};
  CHECK(Signatures(findings).size() == 3);
  for (int i = 0; i < 6; ++i) {
    findings.push_back(FindingOf("abs", "f32"));
    findings.back().reduced.clear();
    findings.back().signature.clear();
  }
  CHECK(Signatures(findings).contains("divergence/number/abs/f32"));
}

}  // namespace
}  // namespace faultline::harness
