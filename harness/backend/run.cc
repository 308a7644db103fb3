// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/backend/free_streams.h"

namespace faultline::harness {
namespace {

using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::Status;
using ir::ValueId;

// One execution. A value whose creation failed has no handle; what needs it fails with the same
// status, as it would if the backend had spoiled it.
class Runner {
 public:
  Runner(const Program& program, Session& session, const RunOptions& options,
         std::span<const ir::HostTensor* const> inputs)
      : program_(program),
        session_(session),
        options_(options),
        inputs_(inputs),
        handles_(program.values.size(), kNoHandle),
        lost_(program.values.size(), -1) {}

  Observation Run() {
    if (options_.streams == StreamMode::kFree) {
      const StreamSchedule schedule = ScheduleStreams(program_);
      ExecuteFreely(schedule, [&](int statement) {
        stream_ = schedule.stream_of[static_cast<size_t>(statement)];
        Execute(statement);
      });
      // In program order, as if they had come so.
      std::ranges::sort(seen_.reads, {}, &ReadObservation::statement);
      std::ranges::sort(seen_.failures, {}, &StatementStatus::statement);
    } else {
      for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) Execute(i);
    }
    for (ValueId value = 0; value < handles_.size(); ++value) {
      if (handles_[value] != kNoHandle)
        DropValue(static_cast<int>(program_.statements.size()), value);
    }
    seen_.live = session_.Live();
    if (options_.trace) seen_.trace = session_.Trace();
    return std::move(seen_);
  }

 private:
  void Execute(int index) {
    const Statement& statement = program_.statements[static_cast<size_t>(index)];
    switch (statement.kind) {
      case StatementKind::kInput:
        Create(index, statement);
        break;
      case StatementKind::kApply:
        Apply(index, statement);
        break;
      case StatementKind::kClone:
        Clone(index, statement);
        break;
      case StatementKind::kDrop:
        DropValue(index, statement.operands[0]);
        break;
      case StatementKind::kRead:
        Read(index, statement);
        break;
      case StatementKind::kStream:
        stream_ = statement.stream;
        break;
      case StatementKind::kSync:
        if (Status status = session_.Sync(stream_); !status.ok()) Fail(index, std::move(status));
        break;
      case StatementKind::kExpect:
      case StatementKind::kExpectError:
        break;
    }
  }

  // Returns the index of the failure that left the value without a handle.
  int Fail(int index, Status status) {
    seen_.failures.push_back({index, std::move(status)});
    return static_cast<int>(seen_.failures.size()) - 1;
  }

  void Create(int index, const Statement& statement) {
    const ValueId value = statement.results[0];
    const ir::Type& type = program_.TypeOf(value);
    const ir::HostTensor* tensor = value < inputs_.size() ? inputs_[value] : nullptr;
    ir::HostTensor made;
    if (tensor == nullptr) {
      made = ir::Materialize(*statement.data, type);
      tensor = &made;
    }
    // True may come as any byte but 0.
    ir::HostTensor raw;
    if (type.dtype() == ir::Dtype::kBool && options_.poison != 0) {
      raw = *tensor;
      for (std::byte& byte : raw.bytes) {
        if (byte != std::byte{0}) byte = std::byte{options_.poison};
      }
      tensor = &raw;
    }
    const std::string& name = program_.values[value].name;
    ir::Result<Handle> handle = [&] {
      if (statement.layout.contiguous()) {
        return session_.Create(stream_, name, type, statement.layout, tensor->bytes);
      }
      const std::vector<std::byte> storage =
          ir::PlaceInStorage(*tensor, statement.layout, std::byte{options_.poison});
      return session_.Create(stream_, name, type, statement.layout, storage);
    }();
    if (handle.has_value()) {
      handles_[value] = *handle;
    } else {
      lost_[value] = Fail(index, std::move(handle).error());
    }
  }

  void Apply(int index, const Statement& statement) {
    inputs_scratch_.clear();
    for (ValueId operand : statement.operands) {
      if (handles_[operand] == kNoHandle) {
        for (ValueId result : statement.results) lost_[result] = lost_[operand];
        return;
      }
      inputs_scratch_.push_back(handles_[operand]);
    }
    types_scratch_.clear();
    names_scratch_.clear();
    for (ValueId result : statement.results) {
      types_scratch_.push_back(&program_.TypeOf(result));
      names_scratch_.push_back(program_.values[result].name);
    }
    const Application application = {.op = statement.op,
                                     .attributes = statement.attributes,
                                     .scalars = statement.scalars,
                                     .inputs = inputs_scratch_,
                                     .result_types = types_scratch_,
                                     .result_names = names_scratch_,
                                     .statement = index};
    ir::Result<std::vector<Handle>> handles = session_.Apply(stream_, application);
    if (handles.has_value() && handles->size() != statement.results.size()) {
      handles = ir::Error(ir::StatusCode::kInternal,
                          "the backend returned another number of results than the op has");
    }
    if (!handles.has_value()) {
      const int failure = Fail(index, std::move(handles).error());
      for (ValueId result : statement.results) lost_[result] = failure;
      return;
    }
    for (size_t i = 0; i < handles->size(); ++i) handles_[statement.results[i]] = (*handles)[i];
  }

  void Clone(int index, const Statement& statement) {
    const ValueId from = statement.operands[0];
    const ValueId to = statement.results[0];
    if (handles_[from] == kNoHandle) {
      lost_[to] = lost_[from];
      return;
    }
    ir::Result<Handle> handle = session_.Clone(stream_, handles_[from], program_.values[to].name);
    if (handle.has_value()) {
      handles_[to] = *handle;
    } else {
      lost_[to] = Fail(index, std::move(handle).error());
    }
  }

  void DropValue(int index, ValueId value) {
    const Handle handle = std::exchange(handles_[value], kNoHandle);
    if (handle == kNoHandle) return;
    if (Status status = session_.Drop(stream_, handle); !status.ok()) {
      Fail(index, std::move(status));
    }
  }

  void Read(int index, const Statement& statement) {
    ReadObservation& read = seen_.reads.emplace_back();
    read.statement = index;
    inputs_scratch_.clear();
    for (ValueId operand : statement.operands) {
      if (handles_[operand] == kNoHandle) {
        read.status = seen_.failures[static_cast<size_t>(lost_[operand])].status;
        return;
      }
      inputs_scratch_.push_back(handles_[operand]);
    }
    ir::Result<std::vector<ir::HostTensor>> tensors = session_.Read(stream_, inputs_scratch_);
    if (tensors.has_value()) {
      read.tensors = std::move(*tensors);
    } else {
      read.status = std::move(tensors).error();
    }
  }

  const Program& program_;
  Session& session_;
  const RunOptions& options_;
  const std::span<const ir::HostTensor* const> inputs_;
  std::vector<Handle> handles_;  // by value
  std::vector<int> lost_;        // by value: index in failures of what left it without a handle
  int stream_ = 0;
  Observation seen_;
  std::vector<Handle> inputs_scratch_;
  std::vector<const ir::Type*> types_scratch_;
  std::vector<std::string_view> names_scratch_;
};

}  // namespace

Observation RunProgram(const Program& program, Session& session, const RunOptions& options,
                       std::span<const ir::HostTensor* const> inputs) {
  return Runner(program, session, options, inputs).Run();
}

Observation RunProgram(const Program& program, Backend& backend, const RunOptions& options,
                       std::span<const ir::HostTensor* const> inputs) {
  Observation failed;
  if (options.fresh) failed.opened = backend.Renew();
  if (!failed.opened.ok()) return failed;
  ir::Result<std::unique_ptr<Session>> session = backend.Open(options.session);
  if (!session.has_value()) {
    failed.opened = std::move(session).error();
    return failed;
  }
  return RunProgram(program, **session, options, inputs);
}

}  // namespace faultline::harness
