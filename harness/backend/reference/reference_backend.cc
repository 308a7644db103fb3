// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/reference/reference_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/infer.h"
#include "reference/contract.h"
#include "reference/evaluate.h"
#include "reference/nature.h"

namespace faultline::harness {
namespace {

using ir::Statement;
using ir::StatementKind;
using ir::Status;
using ir::StatusCode;
using ir::ValueId;

// The logical elements of a storage buffer, in row-major order.
ir::DataPtr GatherElements(const ir::Type& type, const ir::Layout& layout,
                           std::span<const std::byte> storage) {
  auto data = std::make_shared<ir::DataSpec>();
  if (type.quantized()) {
    ir::QuantizedParts parts =
        ir::DecodeQuantized({type, std::vector<std::byte>(storage.begin(), storage.end())});
    data->form = ir::DataForm::kQuantized;
    data->codes = std::move(parts.codes);
    data->scales = std::move(parts.scales);
    data->zeros = std::move(parts.zeros);
    data->tensor_scale = parts.tensor_scale;
    return data;
  }
  const ir::Shape& shape = type.shape;
  std::array<int64_t, ir::kRankMax> strides = shape.RowMajorStrides();
  if (!layout.strides.empty()) std::ranges::copy(layout.strides, strides.begin());
  data->elements.reserve(static_cast<size_t>(shape.NumElements()));
  if (shape.NumElements() == 0) return data;
  const int size = ir::ByteSize(type.dtype());
  std::array<int64_t, ir::kRankMax> index = {};
  do {
    int64_t at = layout.offset;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      at += index[static_cast<size_t>(axis)] * strides[static_cast<size_t>(axis)];
    }
    data->elements.push_back(ir::LoadElement(type.dtype(), storage.data() + at * size));
  } while (ir::NextIndex(shape, index.data()));
  return data;
}

// Everything the session was told, as a program that grows and is evaluated as it grows. A handle
// is a value of that program, plus one.
class ReferenceSession final : public Session {
 public:
  // `nature`, if there is one, chooses among legal results.
  ReferenceSession(const reference::Contract& contract, std::unique_ptr<reference::Nature> nature)
      : nature_(std::move(nature)),
        evaluator_(program_, contract, {.enclosures = false, .nature = nature_.get()}) {}

  ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                            const ir::Layout& layout, std::span<const std::byte> storage) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
    const int64_t needed =
        type.quantized() ? type.HostBytes()
                         : ir::StorageElements(layout, type.shape) * ir::ByteSize(type.dtype());
    if (static_cast<int64_t>(storage.size()) != needed) {
      return ir::Error(
          StatusCode::kInvalidProgram,
          fmt::format("%{} needs {} bytes of storage, got {}", name, needed, storage.size()));
    }
    Statement statement;
    statement.kind = StatementKind::kInput;
    statement.data = GatherElements(type, layout, storage);
    statement.results = {AddValue(name, type)};
    return Run(std::move(statement)).front();
  }

  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckHandle(handle, "clone"));
    const ValueId from = ValueOf(handle);
    Statement statement;
    statement.kind = StatementKind::kClone;
    statement.operands = {from};
    statement.results = {AddValue(name, program_.TypeOf(from))};
    owner_.back() = owner_[from];
    return Run(std::move(statement)).front();
  }

  Status Drop(int stream, Handle handle) override {
    FAULTLINE_RETURN_IF_ERROR(CheckStream(stream));
    FAULTLINE_RETURN_IF_ERROR(CheckHandle(handle, "drop"));
    alive_[ValueOf(handle)] = false;
    return {};
  }

  ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
    Statement statement;
    statement.kind = StatementKind::kApply;
    statement.op = application.op;
    statement.scalars.assign(application.scalars.begin(), application.scalars.end());
    statement.attributes = application.attributes;
    std::vector<ir::Type> operands;
    for (Handle handle : application.inputs) {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckHandle(handle, ir::Mnemonic(application.op)));
      statement.operands.push_back(ValueOf(handle));
      operands.push_back(program_.TypeOf(ValueOf(handle)));
    }
    std::vector<ir::Type> declared;
    for (const ir::Type* type : application.result_types) declared.push_back(*type);
    FAULTLINE_ASSIGN_OR_RETURN(const std::vector<ir::Type> results,
                               ir::InferTypes(application.op, operands, application.scalars,
                                              application.attributes, declared));
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string_view name =
          i < application.result_names.size() ? application.result_names[i] : "";
      statement.results.push_back(AddValue(name, results[i]));
    }
    return Run(std::move(statement));
  }

  Status Sync(int stream) override { return CheckStream(stream); }

  ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                               std::span<const Handle> handles) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
    std::vector<ValueId> values;
    for (Handle handle : handles) {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckHandle(handle, "read"));
      values.push_back(ValueOf(handle));
    }
    const reference::ReadPrediction predicted = evaluator_.Predict(values);
    if (predicted.outcome == reference::Outcome::kError) {
      return std::unexpected(predicted.errors.front().status);
    }
    std::vector<ir::HostTensor> tensors;
    tensors.reserve(values.size());
    for (ValueId value : values) {
      tensors.push_back(reference::StoreTensor(*evaluator_.Get(value).naive));
    }
    return tensors;
  }

  LiveCounts Live() override {
    LiveCounts live;
    std::vector<bool> counted(alive_.size(), false);
    for (ValueId value = 0; value < alive_.size(); ++value) {
      if (!alive_[value]) continue;
      ++live.handles;
      if (counted[owner_[value]]) continue;
      counted[owner_[value]] = true;
      live.bytes += program_.TypeOf(value).HostBytes();
    }
    return live;
  }

 private:
  static ValueId ValueOf(Handle handle) { return static_cast<ValueId>(handle - 1); }

  static Status CheckStream(int stream) {
    if (stream >= 0 && stream < ir::kStreamsMax) return {};
    return {StatusCode::kInvalidProgram,
            fmt::format("stream {} is not in [0, {})", stream, ir::kStreamsMax)};
  }

  Status CheckHandle(Handle handle, std::string_view call) const {
    if (handle == kNoHandle || handle > alive_.size()) {
      return {StatusCode::kInvalidProgram,
              fmt::format("{}: handle {} was never given out", call, handle)};
    }
    if (!alive_[ValueOf(handle)]) {
      return {StatusCode::kInvalidProgram,
              fmt::format("{}: %{} was dropped", call, program_.values[ValueOf(handle)].name)};
    }
    return {};
  }

  ValueId AddValue(std::string_view name, const ir::Type& type) {
    const auto value = static_cast<ValueId>(program_.values.size());
    program_.values.push_back({std::string(name), type});
    alive_.push_back(true);
    owner_.push_back(value);
    return value;
  }

  // Evaluates the statement now and returns the handles of its results.
  std::vector<Handle> Run(Statement statement) {
    program_.statements.push_back(std::move(statement));
    evaluator_.Run();
    std::vector<Handle> handles;
    for (ValueId value : program_.statements.back().results) handles.push_back(Handle{value} + 1);
    return handles;
  }

  std::unique_ptr<reference::Nature> nature_;
  ir::Program program_;
  std::vector<bool> alive_;     // by value: its handle was not dropped
  std::vector<ValueId> owner_;  // by value: itself, or what it is a clone of
  reference::Evaluator evaluator_;
};

class ReferenceBackend final : public Backend {
 public:
  ReferenceBackend(std::string_view name, reference::Contract contract, bool adverse)
      : name_(name), contract_(std::move(contract)), adverse_(adverse) {}

  std::string_view name() const override { return name_; }
  const reference::Contract& contract() const override { return contract_; }

  Status Supports(ir::Opcode, const ir::Attributes&, std::span<const ir::Type>,
                  std::span<const ir::Type>) const override {
    return {};  // every row of the op table
  }

  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    std::unique_ptr<reference::Nature> nature;
    if (adverse_) nature = std::make_unique<reference::Nature>(options.chaos.value_or(1));
    return std::make_unique<ReferenceSession>(contract_, std::move(nature));
  }

  Status Renew() override { return {}; }

 private:
  const std::string_view name_;
  const reference::Contract contract_;
  const bool adverse_;
};

}  // namespace

std::unique_ptr<Backend> MakeReferenceBackend() {
  return std::make_unique<ReferenceBackend>("reference", reference::ExactContract(), false);
}

std::unique_ptr<Backend> MakeAdversaryBackend() {
  return std::make_unique<ReferenceBackend>("adversary", reference::FusionCpuContract(), true);
}

}  // namespace faultline::harness
