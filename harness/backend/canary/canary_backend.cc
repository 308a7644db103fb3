// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/canary/canary_backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/backend/canary/canary_distort.h"
#include "harness/backend/reference/reference_backend.h"

namespace faultline::harness {
namespace {

using ir::HostTensor;
using ir::Opcode;
using ir::Status;
using ir::StatusCode;

constexpr auto kFaults = std::to_array<CanaryFaultInfo>({
#define FAULTLINE_CANARY_FAULT(id, verdict, doc) {CanaryFault::k_##id, #id, doc, verdict},
#include "harness/backend/canary/canary_faults.def"
#undef FAULTLINE_CANARY_FAULT
});

// Scalars of the first application of each op and dtype, kept over sessions.
using ScalarCache = std::map<std::pair<Opcode, ir::Dtype>, std::vector<ir::Scalar>>;

class CanarySession final : public Session {
 public:
  CanarySession(CanaryFault fault, std::unique_ptr<Session> session,
                std::shared_ptr<ScalarCache> scalars)
      : fault_(fault), session_(std::move(session)), scalars_(std::move(scalars)) {}

  ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                            const ir::Layout& layout, std::span<const std::byte> storage) override {
    ir::Result<Handle> handle = session_->Create(stream, name, type, layout, storage);
    if (handle.has_value()) types_[*handle] = type;
    return handle;
  }

  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override {
    ir::Result<Handle> clone = session_->Clone(stream, handle, name);
    if (clone.has_value()) {
      types_[*clone] = types_[handle];
      cloned_.insert(handle);
    }
    return clone;
  }

  Status Drop(int stream, Handle handle) override {
    if (fault_ == CanaryFault::k_handle_leaked && cloned_.contains(handle)) return {};
    return session_->Drop(stream, handle);
  }

  ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) override {
    const Opcode op = application.op;
    if (fault_ == CanaryFault::k_unsupported_late &&
        (op == Opcode::kArgmax || op == Opcode::kArgmin)) {
      return ir::Error(StatusCode::kUnsupported,
                       fmt::format("{} is not implemented yet", ir::Mnemonic(op)));
    }
    std::vector<Handle> inputs(application.inputs.begin(), application.inputs.end());
    std::vector<Handle> temporary;
    if (fault_ == CanaryFault::k_swapped_operands && SwapsOperands(op, inputs)) {
      std::swap(inputs[0], inputs[1]);
    }
    if (fault_ == CanaryFault::k_broadcast_axis_wrong && ir::IsElementwise(op)) {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(TurnRows(stream, inputs, temporary));
    }
    const std::vector<ir::Scalar> scalars = ScalarsOf(application);
    ir::Result<std::vector<Handle>> results =
        session_->Apply(stream, {.op = op,
                                 .attributes = application.attributes,
                                 .scalars = scalars,
                                 .inputs = inputs,
                                 .result_types = application.result_types,
                                 .result_names = application.result_names,
                                 .statement = application.statement});
    for (Handle handle : temporary) static_cast<void>(session_->Drop(stream, handle));
    if (!results.has_value()) return results;
    for (size_t i = 0; i < results->size(); ++i) {
      FAULTLINE_ASSIGN_OR_RETURN((*results)[i],
                                 Distort(stream, application, inputs, (*results)[i], i));
      types_[(*results)[i]] = *application.result_types[i];
    }
    return results;
  }

  Status Sync(int stream) override {
    while (fault_ == CanaryFault::k_sync_hangs && stream != 0) pause();
    return session_->Sync(stream);
  }

  ir::Result<std::vector<HostTensor>> Read(int stream, std::span<const Handle> handles) override {
    if (fault_ == CanaryFault::k_quantized_read_aborts) AbortOnQuantized(handles);
    ir::Result<std::vector<HostTensor>> tensors = session_->Read(stream, handles);
    if (!tensors.has_value()) {
      const bool hidden = fault_ == CanaryFault::k_index_unchecked &&
                          tensors.error().code() == StatusCode::kIndexOutOfRange;
      if (!hidden) return tensors;
      tensors = Zeros(handles);
    }
    std::vector<bool> again;
    for (Handle handle : handles) again.push_back(read_.contains(handle));
    read_.insert(handles.begin(), handles.end());
    DistortRead(fault_, again, *tensors);
    return tensors;
  }

  LiveCounts Live() override { return session_->Live(); }

 private:
  bool SwapsOperands(Opcode op, std::span<const Handle> inputs) const {
    const bool ordered =
        op == Opcode::kSub || op == Opcode::kDiv || op == Opcode::kRem || op == Opcode::kPowf;
    return ordered && types_.at(inputs[0]) == types_.at(inputs[1]);
  }

  // Replaces each f[n] beside an f[n,n] by itself as f[n,1].
  Status TurnRows(int stream, std::vector<Handle>& inputs, std::vector<Handle>& temporary) {
    for (Handle& input : inputs) {
      const ir::Type row = types_.at(input);
      if (row.quantized() || row.shape.rank() != 1) continue;
      const ir::Shape square = {row.shape[0], row.shape[0]};
      const bool beside = std::ranges::any_of(
          inputs, [&](Handle other) { return types_.at(other).shape == square; });
      if (!beside) continue;
      const ir::Type column(row.element, {row.shape[0], 1});
      const ir::Attributes none;
      const std::array<Handle, 1> from = {input};
      const std::array<const ir::Type*, 1> types = {&column};
      ir::Result<std::vector<Handle>> turned = session_->Apply(stream, {.op = Opcode::kReshape,
                                                                        .attributes = none,
                                                                        .scalars = {},
                                                                        .inputs = from,
                                                                        .result_types = types,
                                                                        .result_names = {}});
      if (!turned.has_value()) return std::move(turned).error();
      input = turned->front();
      types_[input] = column;
      temporary.push_back(input);
    }
    return {};
  }

  std::vector<ir::Scalar> ScalarsOf(const Application& application) {
    std::vector<ir::Scalar> scalars(application.scalars.begin(), application.scalars.end());
    if (fault_ != CanaryFault::k_stale_scalars || scalars.empty()) return scalars;
    return scalars_->try_emplace({application.op, scalars.front().dtype}, scalars).first->second;
  }

  // The handle of the distorted result in place of `result`, or `result` itself.
  ir::Result<Handle> Distort(int stream, const Application& application,
                             std::span<const Handle> inputs, Handle result, size_t position) {
    const std::array<Handle, 1> one = {result};
    ir::Result<std::vector<HostTensor>> value = session_->Read(stream, one);
    ir::Result<std::vector<HostTensor>> operands = session_->Read(stream, inputs);
    // A spoiled value has no bytes to distort.
    if (!value.has_value() || !operands.has_value()) return result;
    HostTensor& tensor = value->front();
    if (!DistortResult(fault_, application.op, *operands, tensor)) return result;
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(session_->Drop(stream, result));
    const std::string_view name = position < application.result_names.size()
                                      ? application.result_names[position]
                                      : std::string_view();
    return session_->Create(stream, name, tensor.type, {}, tensor.bytes);
  }

  void AbortOnQuantized(std::span<const Handle> handles) const {
    for (size_t i = 0; i < handles.size(); ++i) {
      const auto type = types_.find(handles[i]);
      if (type == types_.end() || !type->second.quantized()) continue;
      std::fputs("canary: check failed: quantized tensors in a transaction are not implemented\n",
                 stderr);
      std::abort();
    }
  }

  std::vector<HostTensor> Zeros(std::span<const Handle> handles) const {
    std::vector<HostTensor> tensors;
    for (Handle handle : handles) {
      const ir::Type& type = types_.at(handle);
      tensors.push_back({type, std::vector<std::byte>(static_cast<size_t>(type.HostBytes()))});
    }
    return tensors;
  }

  const CanaryFault fault_;
  std::unique_ptr<Session> session_;
  std::shared_ptr<ScalarCache> scalars_;
  std::map<Handle, ir::Type> types_;
  std::set<Handle> cloned_;
  std::set<Handle> read_;
};

class CanaryBackend final : public Backend {
 public:
  explicit CanaryBackend(CanaryFault fault) : fault_(fault) {}

  std::string_view name() const override { return "canary"; }
  const reference::Contract& contract() const override { return backend_->contract(); }

  Status Supports(Opcode op, const ir::Attributes& attributes, std::span<const ir::Type> operands,
                  std::span<const ir::Type> results) const override {
    return backend_->Supports(op, attributes, operands, results);
  }

  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, backend_->Open(options));
    return std::make_unique<CanarySession>(fault_, std::move(session), scalars_);
  }

  Status Renew() override {
    scalars_->clear();
    return backend_->Renew();
  }

 private:
  const CanaryFault fault_;
  const std::unique_ptr<Backend> backend_ = MakeReferenceBackend();
  const std::shared_ptr<ScalarCache> scalars_ = std::make_shared<ScalarCache>();
};

}  // namespace

std::span<const CanaryFaultInfo> AllCanaryFaults() { return kFaults; }

std::optional<CanaryFault> FindCanaryFault(std::string_view name) {
  const auto row = std::ranges::find(kFaults, name, &CanaryFaultInfo::name);
  if (row == kFaults.end()) return std::nullopt;
  return row->fault;
}

ir::Result<std::unique_ptr<Backend>> MakeCanaryBackend(std::string_view fault) {
  if (fault.empty()) return std::make_unique<CanaryBackend>(kDefaultCanaryFault);
  const std::optional<CanaryFault> found = FindCanaryFault(fault);
  if (!found.has_value()) {
    std::string names;
    for (const CanaryFaultInfo& row : kFaults) {
      names += fmt::format("{}{}", names.empty() ? "" : " ", row.name);
    }
    return ir::Error(StatusCode::kUsage,
                     fmt::format("canary has no fault '{}'; it has: {}", fault, names));
  }
  return std::make_unique<CanaryBackend>(*found);
}

}  // namespace faultline::harness
