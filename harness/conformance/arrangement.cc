// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 4: where one syncs, how reads are split, which stream and how many clones there are changes
// no value.

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"
#include "harness/conformance/samples.h"

namespace faultline::harness {
namespace {

using ir::Program;
using ir::Statement;
using ir::StatementKind;

Statement Bare(StatementKind kind) {
  Statement statement;
  statement.kind = kind;
  return statement;
}

Program Arrange(const Program& program, void (*add)(Program& out, const Statement& statement)) {
  Program out;
  out.header = program.header;
  out.values = program.values;
  for (const Statement& statement : program.statements) add(out, statement);
  return out;
}

void AddWithSync(Program& out, const Statement& statement) {
  out.statements.push_back(statement);
  out.statements.push_back(Bare(StatementKind::kSync));
}

void AddWithStream(Program& out, const Statement& statement) {
  Statement stream = Bare(StatementKind::kStream);
  stream.stream = static_cast<int>(out.statements.size() / 2 * 3 % 7);
  out.statements.push_back(std::move(stream));
  out.statements.push_back(statement);
}

void AddReadSplit(Program& out, const Statement& statement) {
  if (statement.kind != StatementKind::kRead) return out.statements.push_back(statement);
  for (ir::ValueId value : statement.operands) {
    Statement read = Bare(StatementKind::kRead);
    read.operands = {value};
    out.statements.push_back(std::move(read));
  }
}

// Every operand is a clone, which is dropped after its use.
void AddWithClones(Program& out, const Statement& statement) {
  if (statement.kind != StatementKind::kApply) return out.statements.push_back(statement);
  Statement apply = statement;
  for (ir::ValueId& operand : apply.operands) {
    Statement clone = Bare(StatementKind::kClone);
    clone.operands = {operand};
    operand = out.AddValue(out.FreshName("clone"), out.TypeOf(operand));
    clone.results = {operand};
    out.statements.push_back(std::move(clone));
  }
  out.statements.push_back(apply);
  for (ir::ValueId operand : apply.operands) {
    Statement drop = Bare(StatementKind::kDrop);
    drop.operands = {operand};
    out.statements.push_back(std::move(drop));
  }
}

void AddWithReads(Program& out, const Statement& statement) {
  out.statements.push_back(statement);
  for (ir::ValueId result : statement.results) {
    Statement read = Bare(StatementKind::kRead);
    read.operands = {result};
    out.statements.push_back(std::move(read));
  }
}

void AddWithoutDrops(Program& out, const Statement& statement) {
  if (statement.kind != StatementKind::kDrop) out.statements.push_back(statement);
}

Held SameArranged(Backend& backend, const SessionOptions& options,
                  void (*add)(Program& out, const Statement& statement)) {
  for (const Program& sample : SupportedSamples(backend)) {
    FAULTLINE_ASSIGN_OR_RETURN(const Results before,
                               RunSample(sample, backend, {.session = options}));
    FAULTLINE_ASSIGN_OR_RETURN(const Results after,
                               RunSample(Arrange(sample, add), backend, {.session = options}));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectSame(sample.header.name, before, after));
  }
  return Holds();
}

Held SameWithSyncs(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddWithSync);
}
Held SameOnStreams(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddWithStream);
}
Held SameReadApart(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddReadSplit);
}
Held SameWithClones(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddWithClones);
}
Held SameReadEarly(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddWithReads);
}
Held SameWithoutDrops(Backend& backend, const SessionOptions& options) {
  return SameArranged(backend, options, AddWithoutDrops);
}

// A backend ignores the options that it has no notion of, and then there is nothing to differ.
Held SameUnder(Backend& backend, const SessionOptions& before, const SessionOptions& after) {
  for (const Program& sample : SupportedSamples(backend)) {
    FAULTLINE_ASSIGN_OR_RETURN(const Results expected,
                               RunSample(sample, backend, {.session = before}));
    FAULTLINE_ASSIGN_OR_RETURN(const Results actual,
                               RunSample(sample, backend, {.session = after}));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectSame(sample.header.name, expected, actual));
  }
  return Holds();
}

Held SameUnfused(Backend& backend, const SessionOptions& options) {
  SessionOptions unfused = options;
  unfused.fusion = false;
  return SameUnder(backend, options, unfused);
}

Held SameWithThreads(Backend& backend, const SessionOptions& options) {
  SessionOptions threaded = options;
  threaded.threads = 3;
  return SameUnder(backend, options, threaded);
}

Held SameInEveryPool(Backend& backend, const SessionOptions& options) {
  for (PoolMode mode : {PoolMode::kPlain, PoolMode::kGuard, PoolMode::kPitch}) {
    SessionOptions pool = options;
    pool.pool = mode;
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(StatusOf(SameUnder(backend, options, pool)));
  }
  return Holds();
}

Held SameUnderChaos(Backend& backend, const SessionOptions& options) {
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    SessionOptions chaos = options;
    chaos.chaos = seed;
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(StatusOf(SameUnder(backend, options, chaos)));
  }
  return Holds();
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {4, "same_in_every_pool", "plain, guarded and pitched memory", SameInEveryPool},
    {4, "same_on_streams", "each statement on a stream of its own", SameOnStreams},
    {4, "same_read_apart", "each value read by a transaction of its own", SameReadApart},
    {4, "same_read_early", "every value read as soon as it is made", SameReadEarly},
    {4, "same_under_chaos", "planner decisions at random", SameUnderChaos},
    {4, "same_unfused", "fusion off", SameUnfused},
    {4, "same_with_clones", "every operand a clone, dropped after its use", SameWithClones},
    {4, "same_with_syncs", "a sync after every statement", SameWithSyncs},
    {4, "same_with_threads", "three threads", SameWithThreads},
    {4, "same_without_drops", "nothing dropped before the end", SameWithoutDrops},
});

}  // namespace

std::span<const ConformanceCheck> ArrangementChecks() { return kChecks; }

}  // namespace faultline::harness
