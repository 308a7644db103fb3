// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/oracle/evidence.h"
#include "harness/oracle/expect.h"
#include "harness/oracle/order.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

using ir::HostTensor;
using ir::Statement;
using ir::StatementKind;
using ir::ValueId;
using reference::Evaluation;
using reference::Membership;

// Radii are sampled at this many elements of a value.
constexpr int64_t kRadiiPerValue = 4;

class Comparer {
 public:
  Comparer(const ir::Program& program, const reference::Contract& contract,
           const Observation& observation, const CompareOptions& options)
      : program_(program),
        contract_(contract),
        observation_(observation),
        options_(options),
        root_(program.values.size()),
        first_(program.values.size(), nullptr) {
    for (ValueId value = 0; value < root_.size(); ++value) root_[value] = value;
    for (const Statement& statement : program.statements) {
      if (statement.kind == StatementKind::kClone) {
        root_[statement.results[0]] = root_[statement.operands[0]];
      }
      expects_ |= statement.kind == StatementKind::kExpect;
      expects_errors_ |= statement.kind == StatementKind::kExpectError;
    }
  }

  Comparison Run(const Evaluation& evaluation) {
    if (!observation_.opened.ok()) return {.verdict = OpeningFailed()};
    Comparison result;
    result.verdict = CheckFailures();
    Verdict reads = CheckReads(evaluation, result.statistics);
    if (IsEarlier(reads, result.verdict)) result.verdict = std::move(reads);
    if (result.verdict.kind == VerdictKind::kAgree) {
      const reference::Pins pins = PinsOf(evaluation);
      if (!pins.empty()) {
        // The first comparison has shown that what is pinned is admissible; the second is sharper
        // on all that follows from it.
        result.pinned =
            reference::Evaluate(program_, contract_, pins, {.unpinned = &evaluation});
        result.statistics = {};
        result.statistics.pinned_values = static_cast<int64_t>(pins.size());
        result.verdict = CheckReads(*result.pinned, result.statistics);
      }
    }
    if (result.verdict.kind == VerdictKind::kAgree) result.verdict = CheckLive();
    if (result.verdict.kind == VerdictKind::kAgree) MarkVacuous(result);
    result.verdict.key = KeyOf(result.verdict);
    return result;
  }

 private:
  static bool IsEarlier(const Verdict& a, const Verdict& b) {
    if (a.kind == VerdictKind::kAgree) return false;
    return b.kind == VerdictKind::kAgree || a.statement < b.statement;
  }

  Verdict OpeningFailed() const {
    Verdict verdict;
    const ir::Status& status = observation_.opened;
    const bool unsupported = status.code() == ir::StatusCode::kUnsupported;
    verdict.kind = unsupported ? VerdictKind::kUnsupported : VerdictKind::kDivergence;
    verdict.aspect = unsupported ? Aspect::kNone : Aspect::kStatus;
    verdict.message = fmt::format("opening a session: {}: {}", ir::StatusCodeName(status.code()),
                                  status.message());
    verdict.key = KeyOf(verdict);
    return verdict;
  }

  bool IsOutOfMemory(const ir::Status& status) const {
    return options_.memory_may_run_out && status.code() == ir::StatusCode::kOutOfMemory;
  }

  // A verified program gives no call a reason to fail: index errors belong to reads.
  Verdict CheckFailures() const {
    Verdict verdict;
    for (const StatementStatus& failure : observation_.failures) {
      if (IsOutOfMemory(failure.status)) continue;
      verdict.kind = VerdictKind::kDivergence;
      verdict.aspect = Aspect::kStatus;
      verdict.statement = failure.statement;
      std::string text = "dropping what was alive at the end";
      if (failure.statement < static_cast<int>(program_.statements.size())) {
        const Statement& statement = program_.statements[static_cast<size_t>(failure.statement)];
        text = ir::PrintStatement(program_, statement);
        if (!statement.results.empty()) DescribeValue(program_, statement.results[0], verdict);
        // Which types a backend holds is not asked beforehand; which ops it has is.
        if (statement.kind == StatementKind::kInput &&
            failure.status.code() == ir::StatusCode::kUnsupported) {
          verdict.kind = VerdictKind::kUnsupported;
        }
      }
      verdict.message =
          fmt::format("`{}` failed: {}: {}", text, ir::StatusCodeName(failure.status.code()),
                      failure.status.message());
      return verdict;
    }
    return verdict;
  }

  Verdict CheckReads(const Evaluation& evaluation, CompareStatistics& statistics) {
    std::ranges::fill(first_, nullptr);
    Verdict verdict;
    for (const ReadObservation& read : observation_.reads) {
      verdict = CheckRead(evaluation, read, statistics);
      if (verdict.kind != VerdictKind::kAgree) {
        verdict.statement = read.statement;
        return verdict;
      }
    }
    return CheckOrdersOf(evaluation);
  }

  // What whole results say beyond their elements.
  Verdict CheckOrdersOf(const Evaluation& evaluation) {
    std::vector<const HostTensor*> observed(root_.size());
    for (ValueId value = 0; value < root_.size(); ++value) observed[value] = first_[root_[value]];
    Verdict verdict = CheckOrders(program_, contract_, evaluation, observed);
    if (verdict.kind == VerdictKind::kAgree) return verdict;
    const ValueId value = *program_.Find(verdict.value);
    for (const ReadObservation& read : observation_.reads) {
      const auto& operands = program_.statements[static_cast<size_t>(read.statement)].operands;
      const auto found =
          std::ranges::find(operands, root_[value], [&](ValueId v) { return root_[v]; });
      if (found == operands.end() || !read.status.ok()) continue;
      verdict.statement = read.statement;
      verdict.position = static_cast<int>(found - operands.begin());
      break;
    }
    return verdict;
  }

  Verdict CheckRead(const Evaluation& evaluation, const ReadObservation& read,
                    CompareStatistics& statistics) {
    const Statement& statement = program_.statements[static_cast<size_t>(read.statement)];
    Verdict verdict = CheckStatus(evaluation, statement, read);
    if (verdict.kind != VerdictKind::kAgree || !read.status.ok()) return verdict;
    if (read.tensors.size() != statement.operands.size()) {
      verdict.kind = VerdictKind::kDivergence;
      verdict.aspect = Aspect::kType;
      verdict.message = fmt::format("a read of {} values returned {}", statement.operands.size(),
                                    read.tensors.size());
      return verdict;
    }
    for (size_t i = 0; i < read.tensors.size(); ++i) {
      const ValueId value = statement.operands[i];
      const HostTensor& tensor = read.tensors[i];
      const reference::Evaluated& evaluated = evaluation.values[value];
      const Membership membership = reference::Check(*evaluated.enclosure, tensor, contract_);
      verdict.position = static_cast<int>(i);
      if (!membership.ok()) {
        DescribeValue(program_, value, verdict);
        DescribeMismatch(evaluated, membership, tensor, verdict);
        if (IsReordered(evaluation, statement, read)) {
          verdict.aspect = Aspect::kOrder;
          verdict.message = "the right tensors in another order: " + verdict.message;
        }
        return verdict;
      }
      Count(*evaluated.enclosure, membership, statistics);
      if (!CheckOneValue(value, tensor, verdict)) return verdict;
      if (expects_ && !CheckExpect(program_, value, evaluated, tensor, verdict)) return verdict;
    }
    verdict.position = -1;
    return verdict;
  }

  // Whether the read failed or succeeded as predicted (or as an `expect-error` line demands).
  Verdict CheckStatus(const Evaluation& evaluation, const Statement& statement,
                      const ReadObservation& read) const {
    Verdict verdict;
    const reference::ReadPrediction& predicted =
        evaluation.reads[static_cast<size_t>(read.statement)];
    const ir::StatusCode code = read.status.code();
    if (IsOutOfMemory(read.status)) return verdict;
    const ir::StatusCode demanded =
        expects_errors_ ? ExpectedError(program_, statement) : ir::StatusCode::kOk;
    std::string expected;
    if (demanded != ir::StatusCode::kOk) {
      if (code == demanded) return verdict;
      expected = ir::StatusCodeName(demanded);
    } else if (read.status.ok()) {
      if (predicted.outcome != reference::Outcome::kError && predicted.may_succeed) return verdict;
    } else {
      for (const reference::Spoil& spoil : predicted.errors) {
        if (spoil.status.code() == code) return verdict;
      }
    }
    if (expected.empty()) {
      for (const reference::Spoil& spoil : predicted.errors) {
        expected += fmt::format("{}{}: {}", expected.empty() ? "" : ", or ",
                                ir::StatusCodeName(spoil.status.code()), spoil.status.message());
      }
      if (expected.empty()) expected = "ok";
    }
    verdict.kind = VerdictKind::kDivergence;
    verdict.aspect = Aspect::kStatus;
    if (!statement.operands.empty()) DescribeValue(program_, statement.operands[0], verdict);
    verdict.message = fmt::format("the read gave {}{}{}, expected {}", ir::StatusCodeName(code),
                                  read.status.ok() ? "" : ": ", read.status.message(), expected);
    return verdict;
  }

  // Whether each tensor of a read is admissible at a position of its own, though not at the one
  // where it stands.
  bool IsReordered(const Evaluation& evaluation, const Statement& statement,
                   const ReadObservation& read) const {
    const size_t count = read.tensors.size();
    if (count < 2) return false;
    std::vector<bool> taken(count, false);
    for (size_t i = 0; i < count; ++i) {
      bool placed = false;
      // Its own position first, so that equal tensors do not take each other's.
      for (size_t k = 0; k < count && !placed; ++k) {
        const size_t j = (i + k) % count;
        if (taken[j]) continue;
        const auto& enclosure = *evaluation.values[statement.operands[j]].enclosure;
        placed = reference::Check(enclosure, read.tensors[i], contract_).ok();
        if (placed) taken[j] = true;
      }
      if (!placed) return false;
    }
    return true;
  }

  // Every reader of a value sees the same bits, clones included.
  bool CheckOneValue(ValueId value, const HostTensor& tensor, Verdict& verdict) {
    const HostTensor*& first = first_[root_[value]];
    if (first == nullptr) {
      first = &tensor;
      return true;
    }
    if (!contract_.one_value || first->bytes == tensor.bytes) return true;
    verdict.kind = VerdictKind::kDivergence;
    verdict.aspect = Aspect::kOneValue;
    DescribeValue(program_, value, verdict);
    const auto [a, b] = std::ranges::mismatch(first->bytes, tensor.bytes);
    verdict.message = fmt::format("two reads of %{} ({}) differ, first at byte {}", verdict.value,
                                  verdict.type, a - first->bytes.begin());
    return false;
  }

  static void Count(const reference::Enclosure& enclosure, const Membership& membership,
                    CompareStatistics& statistics) {
    statistics.compared += membership.compared;
    statistics.exact += membership.exact;
    statistics.vacuous += membership.vacuous;
    if (!enclosure.is_float()) return;
    statistics.compared_float += membership.compared;
    statistics.exact_float += membership.exact;
    if (enclosure.AllPoints()) return;
    const int64_t step = std::max<int64_t>(1, enclosure.size() / kRadiiPerValue);
    for (int64_t i = 0; i < enclosure.size(); i += step) {
      if (enclosure.IsPoint(i) || enclosure.Unbounded(i)) continue;
      const double radius = enclosure.RadiusUlp(i);
      if (std::isfinite(radius)) statistics.radii.push_back(static_cast<float>(radius));
    }
  }

  // Observed values that are not points, if something else that was read derives from one of them.
  reference::Pins PinsOf(const Evaluation& evaluation) const {
    reference::Pins pins;
    if (!contract_.one_value) return pins;
    for (ValueId value = 0; value < first_.size(); ++value) {
      if (first_[value] == nullptr || IsExact(*evaluation.values[value].enclosure)) continue;
      pins.emplace(value, *first_[value]);
    }
    if (pins.empty()) return pins;
    std::vector<bool> derived(program_.values.size(), false);
    bool any = false;
    for (const Statement& statement : program_.statements) {
      if (statement.kind == StatementKind::kApply) {
        const bool from_pin = std::ranges::any_of(statement.operands, [&](ValueId operand) {
          return derived[root_[operand]] || pins.contains(root_[operand]);
        });
        for (ValueId result : statement.results) derived[result] = from_pin;
      } else if (statement.kind == StatementKind::kRead) {
        any |= std::ranges::any_of(statement.operands,
                                   [&](ValueId value) { return derived[root_[value]]; });
      }
    }
    if (!any) pins.clear();
    return pins;
  }

  static bool IsExact(const reference::Enclosure& enclosure) {
    return enclosure.AllPoints() && enclosure.HasPointScales();
  }

  Verdict CheckLive() const {
    Verdict verdict;
    const LiveCounts& live = observation_.live;
    if (live.handles == 0 && live.bytes == 0) return verdict;
    verdict.kind = VerdictKind::kLeak;
    verdict.message = fmt::format("{} handles and {} bytes are alive after the last drop",
                                  live.handles, live.bytes);
    return verdict;
  }

  // Empty reads and empty tensors are compared for status, type and order, which could have
  // failed.
  static void MarkVacuous(Comparison& result) {
    const CompareStatistics& seen = result.statistics;
    if (seen.compared == 0 || seen.vacuous < seen.compared) return;
    result.verdict.kind = VerdictKind::kVacuous;
    result.verdict.message = fmt::format("none of the {} elements read could fail", seen.compared);
  }

  const ir::Program& program_;
  const reference::Contract& contract_;
  const Observation& observation_;
  const CompareOptions& options_;
  std::vector<ValueId> root_;             // by value: what it is a clone of, else itself
  bool expects_ = false;                  // the program has expect lines
  bool expects_errors_ = false;           // ... expect-error lines
  std::vector<const HostTensor*> first_;  // by root: what its first read gave
};

}  // namespace

Comparison Compare(const ir::Program& program, const reference::Contract& contract,
                   const reference::Evaluation& evaluation, const Observation& observation,
                   const CompareOptions& options) {
  Comparer comparer(program, contract, observation, options);
  Comparison result = comparer.Run(evaluation);
  if (result.verdict.kind == VerdictKind::kAgree && observation.reads.empty()) {
    result.verdict.kind = VerdictKind::kVacuous;
    result.verdict.message = "the program reads nothing";
    result.verdict.key = KeyOf(result.verdict);
  }
  return result;
}

}  // namespace faultline::harness
