// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/fusion_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fusion/engine.h"
#include "fusion/fault.h"
#include "harness/backend/fusion/fusion_trace.h"
#include "harness/backend/fusion/opencl_contract.h"
#include "harness/backend/fusion/opencl_probe.h"
#include "reference/contract.h"

namespace faultline::harness {
namespace {

// The engine's default handle is never valid, so that no valid one packs to kNoHandle.
Handle Pack(fusion::Handle handle) {
  return (static_cast<uint64_t>(handle.generation) << 32) | handle.slot;
}

ir::Result<Handle> Pack(ir::Result<fusion::Handle> handle) {
  if (!handle.has_value()) return std::unexpected(std::move(handle).error());
  return Pack(*handle);
}

fusion::Handle Unpack(Handle handle) {
  return {.slot = static_cast<uint32_t>(handle), .generation = static_cast<uint32_t>(handle >> 32)};
}

fusion::PoolMode TranslatePool(PoolMode mode) {
  switch (mode) {
    case PoolMode::kPlain:
      return fusion::PoolMode::kPlain;
    case PoolMode::kGuard:
      return fusion::PoolMode::kGuard;
    case PoolMode::kPitch:
      return fusion::PoolMode::kPitch;
  }
  return fusion::PoolMode::kPlain;
}

class FusionSession final : public Session {
 public:
  explicit FusionSession(std::unique_ptr<fusion::Session> session) : session_(std::move(session)) {}

  ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                            const ir::Layout& layout, std::span<const std::byte> storage) override {
    Use(stream);
    return Pack(session_->Create(stream, type, layout, storage, name));
  }

  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override {
    Use(stream);
    return Pack(session_->Clone(stream, Unpack(handle), name));
  }

  ir::Status Drop(int stream, Handle handle) override {
    Use(stream);
    return session_->Drop(stream, Unpack(handle));
  }

  ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) override {
    Use(stream);
    UnpackAll(application.inputs);
    declared_.clear();
    for (const ir::Type* type : application.result_types) declared_.push_back(*type);
    ir::Result<std::vector<fusion::Handle>> made =
        session_->Apply({.stream = stream,
                         .op = application.op,
                         .operands = unpacked_,
                         .scalars = application.scalars,
                         .attributes = &application.attributes,
                         .declared = declared_,
                         .names = application.result_names});
    if (!made.has_value()) return std::unexpected(std::move(made).error());
    std::vector<Handle> handles;
    handles.reserve(made->size());
    for (fusion::Handle handle : *made) handles.push_back(Pack(handle));
    return handles;
  }

  ir::Status Sync(int stream) override {
    Use(stream);
    return session_->Sync(stream);
  }

  ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                               std::span<const Handle> handles) override {
    Use(stream);
    UnpackAll(handles);
    return session_->Read(stream, unpacked_);
  }

  PlanTrace Trace() const override { return TranslateTrace(session_->trace()); }

  LiveCounts Live() override {
    // A drop is an event of a queue, so that every queue has to run before the count is true. What
    // a sync has to say about failures was said by the reads.
    for (int stream = 0; stream < ir::kStreamsMax; ++stream) {
      if ((used_ >> stream & 1) != 0) static_cast<void>(session_->Sync(stream));
    }
    const fusion::LiveCounts live = session_->live();
    return {.handles = live.handles, .bytes = live.bytes};
  }

 private:
  void Use(int stream) {
    if (stream >= 0 && stream < ir::kStreamsMax) used_ |= uint64_t{1} << stream;
  }

  void UnpackAll(std::span<const Handle> handles) {
    unpacked_.clear();
    for (Handle handle : handles) unpacked_.push_back(Unpack(handle));
  }

  std::unique_ptr<fusion::Session> session_;
  uint64_t used_ = 0;  // streams, as bits
  std::vector<fusion::Handle> unpacked_;
  std::vector<ir::Type> declared_;
};

// Engines differ by what is fixed when an engine is made; the adapter keeps one of each kind that
// was asked for, so that programs that draw the pool mode still meet warm plan caches.
class FusionBackend final : public Backend {
 public:
  // `device`: what engines are made for.
  FusionBackend(reference::Contract contract, std::string device)
      : contract_(std::move(contract)), device_(std::move(device)) {}

  std::string_view name() const override { return contract_.name; }
  const reference::Contract& contract() const override { return contract_; }

  // Every row of the op table, on every dtype and scheme that the verifier admits.
  ir::Status Supports(ir::Opcode, const ir::Attributes&, std::span<const ir::Type>,
                      std::span<const ir::Type>) const override {
    return {};
  }

  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    FAULTLINE_ASSIGN_OR_RETURN(fusion::Engine* const engine, EngineFor(options));
    fusion::SessionOptions session_options;
    session_options.fusion = options.fusion;
    session_options.decisions = {.chaos_seed = options.chaos,
                                 .by_name = options.decisions,
                                 .max_decisions = options.max_decisions,
                                 .deny = options.deny};
    session_options.memory_limit = options.memory_limit;
    session_options.fail_allocation = options.fail_allocation;
    FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<fusion::Session> session,
                               engine->Open(session_options));
    return std::make_unique<FusionSession>(std::move(session));
  }

  ir::Status Renew() override {
    engines_.clear();
    return {};
  }

  Economies economies() const override {
    return {.fuses = true, .reuses_plans = true, .works_in_place = true};
  }

  std::vector<std::string_view> RuleNames() const override {
    std::vector<std::string_view> names;
    for (const fusion::RuleInfo& rule : fusion::AllRules()) names.push_back(rule.name);
    return names;
  }

 private:
  static constexpr size_t kEnginesMax = 12;  // of every kind a campaign draws, and some

  struct Entry {
    fusion::EngineOptions options;
    std::unique_ptr<fusion::Engine> engine;
  };

  ir::Result<fusion::Engine*> EngineFor(const SessionOptions& options) {
    fusion::EngineOptions wanted;
    // The device of a backend on OpenCL is part of its contract, and was chosen when it was made.
    wanted.device = device_.empty() && !options.device.empty() ? options.device
                    : device_.empty()                          ? wanted.device
                                                               : device_;
    if (options.threads > 0) wanted.threads = options.threads;
    wanted.isa = options.isa;
    wanted.pool = TranslatePool(options.pool);
    // The pool's seed is the same for all: it draws on from program to program, and programs have
    // to meet each other's plans.
    for (const Entry& entry : engines_) {
      const fusion::EngineOptions& has = entry.options;
      if (has.device == wanted.device && has.threads == wanted.threads && has.isa == wanted.isa &&
          has.pool == wanted.pool) {
        return entry.engine.get();
      }
    }
    FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<fusion::Engine> engine,
                               fusion::Engine::Create(wanted));
    // Sessions end before their engine, and a caller that asks for more kinds than this has closed
    // the session of the oldest.
    if (engines_.size() == kEnginesMax) engines_.erase(engines_.begin());
    engines_.push_back({wanted, std::move(engine)});
    return engines_.back().engine.get();
  }

  const reference::Contract contract_;
  const std::string device_;
  std::vector<Entry> engines_;
};

// Faults of the OpenCL target say nothing of fusion-cpu; those of the rest are met by both.
bool IsOpenClFault(const fusion::FaultInfo& fault) { return fault.place == "fusion/opencl"; }

ir::Status SwitchOn(std::string_view fault, std::string_view backend) {
  if (fault.empty()) return {};
  const auto faults = fusion::AllFaults();
  const auto it = std::ranges::find(faults, fault, &fusion::FaultInfo::name);
  if (it == faults.end() || (backend == "fusion-cpu" && IsOpenClFault(*it))) {
    return ir::Status(ir::StatusCode::kUsage,
                      fmt::format("{} has no seeded fault '{}'", backend, fault));
  }
  if (!fusion::FaultsAreBuilt()) {
    return ir::Status(
        ir::StatusCode::kUnsupported,
        fmt::format("fault '{}' is not in this build: use preset fuzz or asan", fault));
  }
  fusion::ActivateFault(it->id);
  return {};
}

}  // namespace

ir::Result<std::unique_ptr<Backend>> MakeFusionBackend(std::string_view fault) {
  reference::Contract contract = reference::FusionCpuContract();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(SwitchOn(fault, contract.name));
  return std::make_unique<FusionBackend>(std::move(contract), "");
}

ir::Result<std::unique_ptr<Backend>> MakeFusionOpenClBackend(std::string_view device,
                                                             std::string_view fault) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(SwitchOn(fault, "fusion-opencl"));
  FAULTLINE_ASSIGN_OR_RETURN(const fusion::opencl::DeviceFacts facts, ProbeDevice(device));
  return std::make_unique<FusionBackend>(
      ContractOf(facts), device.empty() ? "opencl" : fmt::format("opencl:{}", device));
}

std::vector<SeededFault> FusionFaults(std::string_view backend) {
  std::vector<SeededFault> faults;
  if (!fusion::FaultsAreBuilt()) return faults;
  for (const fusion::FaultInfo& fault : fusion::AllFaults()) {
    if (IsOpenClFault(fault) != (backend == "fusion-opencl")) continue;
    faults.push_back({fault.name, fault.fault_class, fault.rules, fault.text});
  }
  return faults;
}

}  // namespace faultline::harness
