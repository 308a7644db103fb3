// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 2: nothing panics. A misuse is a status that says what is wrong, and the session goes on.

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"
#include "harness/conformance/samples.h"

namespace faultline::harness {
namespace {

using ir::Opcode;
using ir::Status;
using ir::StatusCode;

// kOk iff the call was refused with a reason.
Status ExpectRefused(std::string_view what, const Status& status) {
  if (status.ok()) return Broken(fmt::format("{} is accepted", what));
  if (status.message().empty()) return Broken(fmt::format("{} is refused without a reason", what));
  return {};
}

// The session still works, and holds nothing once everything is dropped.
Held StillWorks(Client& client) {
  FAULTLINE_ASSIGN_OR_RETURN(const Handle a, client.Input("i32[6]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle n, client.Apply(Opcode::kNeg, std::array{a}));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle p, client.Apply(Opcode::kNeg, std::array{n}));
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(std::array{p}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("work after a misuse", tensors[0], Client::Counting("i32[6]")));
  return client.Close();
}

Status ApplyRaw(Session& session, Opcode op, std::span<const Handle> inputs,
                const ir::Type& result) {
  const ir::Attributes none;
  const std::array<const ir::Type*, 1> types = {&result};
  return StatusOf(session.Apply(0, {.op = op,
                                    .attributes = none,
                                    .scalars = {},
                                    .inputs = inputs,
                                    .result_types = types,
                                    .result_names = {}}));
}

Held HandlesNeverGivenOut(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  Session& session = client.session();
  const ir::Type type(ir::Dtype::kF32, {2});
  for (const Handle handle : {kNoHandle, Handle{12345678}, ~Handle{0}}) {
    const std::array<Handle, 1> one = {handle};
    for (const auto& [what, status] : std::to_array<std::pair<std::string_view, Status>>({
             {"a read of a handle that was never given out", StatusOf(session.Read(0, one))},
             {"a clone of one", StatusOf(session.Clone(0, handle, "c"))},
             {"a drop of one", session.Drop(0, handle)},
             {"an application to one", ApplyRaw(session, Opcode::kNeg, one, type)},
         })) {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectRefused(what, status));
    }
  }
  return StillWorks(client);
}

Held HandlesDropped(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  Session& session = client.session();
  FAULTLINE_ASSIGN_OR_RETURN(const Handle handle, client.Input("f32[2]"));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Drop(handle));
  const ir::Type type(ir::Dtype::kF32, {2});
  const std::array<Handle, 1> one = {handle};
  for (const auto& [what, status] : std::to_array<std::pair<std::string_view, Status>>({
           {"a second drop", session.Drop(0, handle)},
           {"a read after a drop", StatusOf(session.Read(0, one))},
           {"a clone after a drop", StatusOf(session.Clone(0, handle, "c"))},
           {"an application after a drop", ApplyRaw(session, Opcode::kNeg, one, type)},
       })) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectRefused(what, status));
  }
  return StillWorks(client);
}

Held TypesThatDoNotFit(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  Session& session = client.session();
  FAULTLINE_ASSIGN_OR_RETURN(const Handle f, client.Input("f32[3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle i, client.Input("i32[3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle g, client.Input("f32[4]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle q, client.Input("q8s[3]"));
  const ir::Type type(ir::Dtype::kF32, {3});
  const ir::Type other(ir::Dtype::kF32, {2, 2});
  for (const auto& [what, status] : std::to_array<std::pair<std::string_view, Status>>({
           {"add of f32 and i32", ApplyRaw(session, Opcode::kAdd, std::array{f, i}, type)},
           {"add of extents 3 and 4", ApplyRaw(session, Opcode::kAdd, std::array{f, g}, type)},
           {"add of one operand", ApplyRaw(session, Opcode::kAdd, std::array{f}, type)},
           {"exp of i32", ApplyRaw(session, Opcode::kExp, std::array{i}, type)},
           {"cast of q8s", ApplyRaw(session, Opcode::kCast, std::array{q}, type)},
           {"neg with another result type", ApplyRaw(session, Opcode::kNeg, std::array{f}, other)},
           {"reshape to another count", ApplyRaw(session, Opcode::kReshape, std::array{f}, other)},
       })) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectRefused(what, status));
  }
  return StillWorks(client);
}

Held StorageThatDoesNotFit(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  const ir::Type type(ir::Dtype::kF32, {3});
  const std::vector<std::byte> bytes(11);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectRefused(
      "an f32[3] of 11 bytes", StatusOf(client.session().Create(0, "x", type, {}, bytes))));
  return StillWorks(client);
}

Held StreamsThatDoNotExist(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  for (const int stream : {-1, ir::kStreamsMax}) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        ExpectRefused(fmt::format("a sync of stream {}", stream), client.session().Sync(stream)));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectRefused(
        fmt::format("a read on stream {}", stream), StatusOf(client.session().Read(stream, {}))));
  }
  return StillWorks(client);
}

Held IndexErrorsAreNamed(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle x, client.Input("f32[2,9]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle index, client.Input("i32[9]"));  // 1 to 9
  ir::Attributes dim;
  dim.Set(ir::AttributeKey::kDim, 1);
  FAULTLINE_ASSIGN_OR_RETURN(const Handle y,
                             client.Apply(Opcode::kSelect, std::array{x, index}, dim));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Sync());
  const Status status = StatusOf(client.Read(std::array{y}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectCode("a read of a spoiled value", status, StatusCode::kIndexOutOfRange));
  for (const std::string_view word : {"select", "9"}) {
    if (status.message().find(word) != std::string::npos) continue;
    return std::unexpected(Broken(
        fmt::format("an index error has to name op, index and bound, but '{}' is not in '{}'", word,
                    status.message())));
  }
  return StillWorks(client);
}

// Runs a sample with the options; every failure has to be out of memory, and nothing may be left.
Status RunStarved(const ir::Program& program, Backend& backend, const SessionOptions& options,
                  bool& failed) {
  const Observation seen = RunProgram(program, backend, {.session = options});
  FAULTLINE_RETURN_IF_ERROR(seen.opened);
  std::vector<Status> statuses;
  for (const StatementStatus& failure : seen.failures) statuses.push_back(failure.status);
  for (const ReadObservation& read : seen.reads) statuses.push_back(read.status);
  for (const Status& status : statuses) {
    if (status.ok() || status.code() == StatusCode::kIndexOutOfRange) continue;
    FAULTLINE_RETURN_IF_ERROR(ExpectCode(program.header.name, status, StatusCode::kOutOfMemory));
    failed = true;
  }
  if (seen.live == LiveCounts{}) return {};
  return Broken(fmt::format("{}: {} handles and {} bytes are alive after memory ran out",
                            program.header.name, seen.live.handles, seen.live.bytes));
}

Held MemoryRunsOut(Backend& backend, const SessionOptions& options) {
  constexpr int64_t kAllocationsMax = 40;
  bool failed = false;
  for (const ir::Program& sample : SupportedSamples(backend)) {
    for (int64_t n = 1; n <= kAllocationsMax; ++n) {
      SessionOptions starved = options;
      starved.fail_allocation = n;
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(RunStarved(sample, backend, starved, failed));
    }
    SessionOptions limited = options;
    limited.memory_limit = 64;
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(RunStarved(sample, backend, limited, failed));
  }
  if (failed) return Holds();
  return ir::Error(StatusCode::kUnsupported, "the backend does not limit memory");
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {2, "handles_never_given_out", "handles that were never given out are refused",
     HandlesNeverGivenOut},
    {2, "handles_dropped", "handles that were dropped are refused", HandlesDropped},
    {2, "types_that_do_not_fit", "operands and results that do not fit the op are refused",
     TypesThatDoNotFit},
    {2, "storage_that_does_not_fit", "an input of another size than its type is refused",
     StorageThatDoesNotFit},
    {2, "streams_that_do_not_exist", "streams below 0 and beyond 63 are refused",
     StreamsThatDoNotExist},
    {2, "index_errors_are_named", "an index error names op, index and bound", IndexErrorsAreNamed},
    {2, "memory_runs_out", "each allocation may fail and leaves nothing behind", MemoryRunsOut},
});

}  // namespace

std::span<const ConformanceCheck> MisuseChecks() { return kChecks; }

}  // namespace faultline::harness
