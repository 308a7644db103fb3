// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/bisect/bisect.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

namespace faultline::harness {
namespace {

using Active = std::set<std::string>;

// A planner with the given questions, each of which may depend on earlier answers, and a fault that
// depends on what was taken.
struct Question {
  std::string name;
  std::function<bool(const Active&)> asked = [](const Active&) { return true; };
};

Judge Planner(std::vector<Question> questions, std::function<bool(const Active&)> wrong) {
  return [=](const ir::Program&, const RunOptions& run) {
    Active active;
    Judgement judgement;
    for (const Question& question : questions) {
      if (!question.asked(active)) continue;
      const bool denied = std::ranges::count(run.session.deny, question.name) > 0;
      judgement.observation.trace.decisions.push_back({question.name, 2, denied ? 0 : 1});
      if (denied) continue;
      active.insert(question.name);
      judgement.observation.trace.blocks.emplace_back().rules = {"rule"};
    }
    if (wrong(active)) judgement.verdict.key = "key";
    return judgement;
  };
}

std::vector<Question> Plain(int count) {
  std::vector<Question> questions;
  for (int i = 0; i < count; ++i) questions.push_back({"d" + std::to_string(i)});
  return questions;
}

TEST_CASE("one guilty decision among many") {
  const Judge judge = Planner(Plain(37), [](const Active& a) { return a.contains("d23"); });
  const BisectResult result = Bisect({}, "key", judge, {});
  CHECK(result.outcome == BisectOutcome::kGuilty);
  CHECK(result.guilty == std::vector<std::string>{"d23"});
  CHECK(result.rules == std::vector<std::string>{"rule"});
  CHECK(result.decisions == 37);
}

TEST_CASE("two decisions that only together do harm") {
  const Judge judge =
      Planner(Plain(20), [](const Active& a) { return a.contains("d3") && a.contains("d17"); });
  const BisectResult result = Bisect({}, "key", judge, {});
  CHECK(result.outcome == BisectOutcome::kGuilty);
  CHECK(result.guilty == std::vector<std::string>{"d3", "d17"});
}

TEST_CASE("a fault that no decision makes") {
  const Judge judge = Planner(Plain(5), [](const Active&) { return true; });
  const BisectResult result = Bisect({}, "key", judge, {});
  CHECK(result.outcome == BisectOutcome::kNoDecisions);
  CHECK(result.guilty.empty());
}

TEST_CASE("a fault that is not there") {
  const Judge judge = Planner(Plain(5), [](const Active&) { return false; });
  CHECK(Bisect({}, "key", judge, {}).outcome == BisectOutcome::kNotReproduced);
}

TEST_CASE("decisions that appear when others are denied are denied too") {
  std::vector<Question> questions = Plain(4);
  questions.push_back({"late", [](const Active& a) { return !a.contains("d0"); }});
  const Judge judge = Planner(questions, [](const Active& a) { return a.contains("d2"); });
  const BisectResult result = Bisect({}, "key", judge, {});
  CHECK(result.outcome == BisectOutcome::kGuilty);
  CHECK(result.guilty == std::vector<std::string>{"d2"});
}

TEST_CASE("two ways to the same fault leave it unsettled") {
  const Judge judge =
      Planner(Plain(6), [](const Active& a) { return a.contains("d1") || a.contains("d4"); });
  const BisectResult result = Bisect({}, "key", judge, {});
  CHECK(result.outcome == BisectOutcome::kUnsettled);
}

}  // namespace
}  // namespace faultline::harness
