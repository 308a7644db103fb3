// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/bisect/bisect.h"

#include <algorithm>
#include <set>
#include <utility>

namespace faultline::harness {
namespace {

using Names = std::vector<std::string>;

// Names of decisions that were not the safe one, in order, each once.
Names BoldDecisions(const PlanTrace& trace) {
  Names names;
  for (const TracedDecision& decision : trace.decisions) {
    if (decision.choice == 0) continue;
    if (std::ranges::find(names, decision.name) == names.end()) names.push_back(decision.name);
  }
  return names;
}

Names Without(const Names& all, const Names& some) {
  Names rest;
  for (const std::string& name : all) {
    if (std::ranges::find(some, name) == some.end()) rest.push_back(name);
  }
  return rest;
}

std::set<std::string> RulesOf(const PlanTrace& trace) {
  std::set<std::string> rules;
  for (const TracedBlock& block : trace.blocks) {
    for (std::string_view rule : block.rules) rules.emplace(rule);
  }
  return rules;
}

class Bisection {
 public:
  Bisection(const ir::Program& program, std::string_view key, const Judge& judge,
            const RunOptions& run, int judged_max)
      : program_(program), key_(key), judge_(judge), run_(run), judged_max_(judged_max) {}

  BisectResult Run();

 private:
  // Judges with the named decisions denied on top of those the caller denies.
  Judgement JudgeDenying(const Names& denied) {
    ++result_.judged;
    RunOptions run = run_;
    run.session.deny.insert(run.session.deny.end(), denied.begin(), denied.end());
    return judge_(program_, run);
  }
  bool FailsDenying(const Names& denied) { return JudgeDenying(denied).verdict.key == key_; }
  bool Spent() const { return result_.judged >= judged_max_; }

  // Denying a decision lets the planner ask others, which the first trace does not name: they are
  // denied too, until a run takes the safe alternative everywhere outside `kept`.
  bool FailsWithOnly(const Names& kept);
  Names Minimise(Names guilty);

  const ir::Program& program_;
  std::string key_;
  const Judge& judge_;
  const RunOptions& run_;
  int judged_max_;
  Names known_;  // every decision seen so far
  BisectResult result_;
};

bool Bisection::FailsWithOnly(const Names& kept) {
  constexpr int kRoundsMax = 16;
  for (int round = 0; round < kRoundsMax && !Spent(); ++round) {
    const Judgement judgement = JudgeDenying(Without(known_, kept));
    const Names others = Without(Without(BoldDecisions(judgement.observation.trace), kept), known_);
    if (others.empty()) return judgement.verdict.key == key_;
    known_.insert(known_.end(), others.begin(), others.end());
  }
  return false;
}

// Delta debugging: subsets first, then complements, then finer parts (Zeller and Hildebrandt 2002).
Names Bisection::Minimise(Names guilty) {
  size_t parts = 2;
  while (guilty.size() >= 2 && !Spent()) {
    const size_t chunk = (guilty.size() + parts - 1) / parts;
    bool smaller = false;
    for (size_t begin = 0; begin < guilty.size() && !smaller; begin += chunk) {
      const auto first = guilty.begin() + static_cast<ptrdiff_t>(begin);
      const auto last =
          guilty.begin() + static_cast<ptrdiff_t>(std::min(begin + chunk, guilty.size()));
      const Names part(first, last);
      const Names rest = Without(guilty, part);
      if (FailsWithOnly(part)) {
        guilty = part;
        parts = 2;
        smaller = true;
      } else if (!rest.empty() && FailsWithOnly(rest)) {
        guilty = rest;
        parts = std::max<size_t>(parts - 1, 2);
        smaller = true;
      }
    }
    if (smaller) continue;
    if (parts >= guilty.size()) break;
    parts = std::min(parts * 2, guilty.size());
  }
  return guilty;
}

BisectResult Bisection::Run() {
  const Judgement whole = JudgeDenying({});
  if (whole.verdict.key != key_) return result_;
  known_ = BoldDecisions(whole.observation.trace);
  result_.decisions = static_cast<int>(known_.size());
  if (FailsWithOnly({})) {
    result_.outcome = BisectOutcome::kNoDecisions;
    return result_;
  }
  result_.outcome = BisectOutcome::kUnsettled;
  const Names guilty = Minimise(known_);
  if (Spent()) return result_;
  const Judgement alone = JudgeDenying(Without(known_, guilty));
  if (alone.verdict.key != key_ || FailsDenying(guilty)) return result_;
  result_.outcome = BisectOutcome::kGuilty;
  result_.guilty = guilty;
  // What fires with them and does not fire without any.
  const std::set<std::string> safe = RulesOf(JudgeDenying(known_).observation.trace);
  for (const std::string& rule : RulesOf(alone.observation.trace)) {
    if (!safe.contains(rule)) result_.rules.push_back(rule);
  }
  return result_;
}

}  // namespace

std::string_view BisectOutcomeName(BisectOutcome outcome) {
  constexpr std::string_view kNames[] = {"not reproduced", "no decisions", "guilty", "unsettled"};
  return kNames[static_cast<size_t>(outcome)];
}

BisectResult Bisect(const ir::Program& program, std::string_view key, const Judge& judge,
                    const RunOptions& run, int judged_max) {
  return Bisection(program, key, judge, run, judged_max).Run();
}

}  // namespace faultline::harness
