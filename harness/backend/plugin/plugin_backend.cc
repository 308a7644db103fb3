// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/plugin/plugin_backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/backend/plugin/plugin_call.h"
#include "reference/contract.h"

namespace faultline::harness {
namespace {

using ir::Status;
using ir::StatusCode;

// True is 1: that it may come as any byte but 0 is a law of sessions, not of the plug-in interface.
void NormaliseBools(const ir::Type& type, std::span<std::byte> bytes) {
  if (type.dtype() != ir::Dtype::kBool) return;
  for (std::byte& byte : bytes) byte = byte != std::byte{0} ? std::byte{1} : byte;
}

// Row-major elements of a storage buffer with a layout.
std::vector<std::byte> Contiguous(const ir::Type& type, const ir::Layout& layout,
                                  std::span<const std::byte> storage) {
  std::vector<std::byte> bytes(static_cast<size_t>(type.HostBytes()));
  if (type.quantized() || layout.contiguous()) {
    std::memcpy(bytes.data(), storage.data(), std::min(bytes.size(), storage.size()));
    return bytes;
  }
  if (bytes.empty()) return bytes;
  std::array<int64_t, ir::kRankMax> strides = type.shape.RowMajorStrides();
  if (!layout.strides.empty()) std::ranges::copy(layout.strides, strides.begin());
  const auto size = static_cast<size_t>(ir::ByteSize(type.dtype()));
  std::array<int64_t, ir::kRankMax> index = {};
  std::byte* to = bytes.data();
  do {
    int64_t at = layout.offset;
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      at += index[static_cast<size_t>(axis)] * strides[static_cast<size_t>(axis)];
    }
    std::memcpy(to, storage.data() + static_cast<size_t>(at) * size, size);
    to += size;
  } while (ir::NextIndex(type.shape, index.data()));
  return bytes;
}

class PluginSession final : public Session {
 public:
  PluginSession(const faultline_plugin& plugin, void* session)
      : plugin_(plugin), session_(session) {}
  PluginSession(const PluginSession&) = delete;
  PluginSession& operator=(const PluginSession&) = delete;
  ~PluginSession() override { plugin_.close(session_); }

  ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                            const ir::Layout& layout, std::span<const std::byte> storage) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream, "create"));
    const int64_t needed =
        type.quantized() ? type.HostBytes()
                         : ir::StorageElements(layout, type.shape) * ir::ByteSize(type.dtype());
    if (std::cmp_not_equal(storage.size(), needed)) {
      return ir::Error(
          StatusCode::kInvalidProgram,
          fmt::format("%{} needs {} bytes of storage, got {}", name, needed, storage.size()));
    }
    std::vector<std::byte> bytes = Contiguous(type, layout, storage);
    NormaliseBools(type, bytes);
    PluginTypes types;
    types.Add(type);
    PluginMessage message;
    uint64_t handle = 0;
    const Status status = message.ToStatus(
        plugin_.create(session_, types.data(), bytes.data(), bytes.size(), &handle, message.get()),
        fmt::format("create %{}", name));
    if (!status.ok()) return std::unexpected(status);
    return AddTensor({handle, type, {}, 1});
  }

  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view) override {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream, "clone"));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(Check(handle, "clone"));
    ++tensors_[tensor_of_[handle - 1]].references;
    tensor_of_.push_back(tensor_of_[handle - 1]);
    return tensor_of_.size();
  }

  Status Drop(int stream, Handle handle) override {
    FAULTLINE_RETURN_IF_ERROR(CheckStream(stream, "drop"));
    FAULTLINE_RETURN_IF_ERROR(Check(handle, "drop"));
    Tensor& tensor = tensors_[std::exchange(tensor_of_[handle - 1], kDropped)];
    if (--tensor.references > 0 || !tensor.spoiled.ok()) return {};
    PluginMessage message;
    return message.ToStatus(plugin_.drop(session_, tensor.handle, message.get()), "drop");
  }

  ir::Result<std::vector<Handle>> Apply(int, const Application& application) override;

  Status Sync(int stream) override {
    FAULTLINE_RETURN_IF_ERROR(CheckStream(stream, "sync"));
    if (plugin_.sync == nullptr) return {};
    PluginMessage message;
    return message.ToStatus(plugin_.sync(session_, message.get()), "sync");
  }

  ir::Result<std::vector<ir::HostTensor>> Read(int, std::span<const Handle> handles) override;

  LiveCounts Live() override {
    LiveCounts live;
    live.handles =
        static_cast<int64_t>(tensor_of_.size()) - std::ranges::count(tensor_of_, kDropped);
    if (plugin_.live == nullptr) return live;
    int64_t inside = 0;
    plugin_.live(session_, &inside, &live.bytes);
    live.handles = std::max(live.handles, inside);
    return live;
  }

 private:
  struct Tensor {
    uint64_t handle = 0;
    ir::Type type;
    Status spoiled;  // not ok: there is no handle, reads give this
    int references = 0;
  };
  static constexpr size_t kDropped = SIZE_MAX;

  // The interface has no streams: a plug-in's calls are in program order.
  static Status CheckStream(int stream, std::string_view call) {
    if (stream >= 0 && stream < ir::kStreamsMax) return {};
    return {StatusCode::kInvalidProgram,
            fmt::format("{}: stream {} is not one of 0 to {}", call, stream, ir::kStreamsMax - 1)};
  }

  Status Check(Handle handle, std::string_view call) const {
    if (handle != kNoHandle && handle <= tensor_of_.size() && tensor_of_[handle - 1] != kDropped) {
      return {};
    }
    return {StatusCode::kInvalidProgram, fmt::format("{}: handle {} is not alive", call, handle)};
  }

  Handle AddTensor(Tensor tensor) {
    tensor_of_.push_back(tensors_.size());
    tensors_.push_back(std::move(tensor));
    return tensor_of_.size();
  }

  std::vector<Handle> Spoil(const Application& application, const Status& status) {
    std::vector<Handle> handles;
    for (const ir::Type* type : application.result_types) {
      handles.push_back(AddTensor({0, *type, status, 1}));
    }
    return handles;
  }

  const faultline_plugin& plugin_;
  void* session_;
  std::vector<Tensor> tensors_;
  std::vector<size_t> tensor_of_;  // by handle - 1
};

ir::Result<std::vector<Handle>> PluginSession::Apply(int stream, const Application& application) {
  const std::string_view op = ir::Mnemonic(application.op);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream, op));
  PluginCall call(application.op, application.attributes);
  std::vector<uint64_t> operands;
  for (Handle handle : application.inputs) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(Check(handle, op));
    const Tensor& tensor = tensors_[tensor_of_[handle - 1]];
    if (!tensor.spoiled.ok()) return Spoil(application, tensor.spoiled);
    operands.push_back(tensor.handle);
    call.AddOperand(tensor.type);
  }
  for (const ir::Type* type : application.result_types) call.AddResult(*type);
  call.SetHandles(operands);
  call.SetScalars(application.scalars);
  std::vector<uint64_t> results(application.result_types.size(), 0);
  PluginMessage message;
  const Status status =
      message.ToStatus(plugin_.apply(session_, call.Finish(), results.data(), message.get()), op);
  if (status.code() == StatusCode::kIndexOutOfRange) return Spoil(application, status);
  if (!status.ok()) return std::unexpected(status);
  std::vector<Handle> handles;
  for (size_t i = 0; i < results.size(); ++i) {
    handles.push_back(AddTensor({results[i], *application.result_types[i], {}, 1}));
  }
  return handles;
}

ir::Result<std::vector<ir::HostTensor>> PluginSession::Read(int stream,
                                                            std::span<const Handle> handles) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream, "read"));
  std::vector<ir::HostTensor> tensors;
  std::vector<uint64_t> inside;
  std::vector<void*> buffers;
  std::vector<size_t> sizes;
  for (Handle handle : handles) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(Check(handle, "read"));
    const Tensor& tensor = tensors_[tensor_of_[handle - 1]];
    if (!tensor.spoiled.ok()) return std::unexpected(tensor.spoiled);
    ir::HostTensor& host = tensors.emplace_back();
    host.type = tensor.type;
    host.bytes.resize(static_cast<size_t>(tensor.type.HostBytes()));
    inside.push_back(tensor.handle);
    buffers.push_back(host.bytes.data());
    sizes.push_back(host.bytes.size());
  }
  PluginMessage message;
  const Status status =
      message.ToStatus(plugin_.read(session_, inside.data(), static_cast<int32_t>(inside.size()),
                                    buffers.data(), sizes.data(), message.get()),
                       "read");
  if (!status.ok()) return std::unexpected(status);
  return tensors;
}

class PluginBackend final : public Backend {
 public:
  PluginBackend(const faultline_plugin& plugin, reference::Contract contract)
      : plugin_(plugin), contract_(std::move(contract)) {}

  std::string_view name() const override { return plugin_.name; }
  const reference::Contract& contract() const override { return contract_; }

  Status Supports(ir::Opcode op, const ir::Attributes& attributes,
                  std::span<const ir::Type> operands,
                  std::span<const ir::Type> results) const override {
    PluginCall call(op, attributes);
    for (const ir::Type& type : operands) call.AddOperand(type);
    for (const ir::Type& type : results) call.AddResult(type);
    PluginMessage message;
    return message.ToStatus(plugin_.supports(call.Finish(), message.get()), ir::Mnemonic(op));
  }

  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    void* session = nullptr;
    PluginMessage message;
    const Status status = message.ToStatus(
        plugin_.open(options.threads > 0 ? options.threads : 1, &session, message.get()), "open");
    if (!status.ok()) return std::unexpected(status);
    return std::make_unique<PluginSession>(plugin_, session);
  }

  // A plug-in's session is all the state it has that we know of.
  Status Renew() override { return {}; }

 private:
  const faultline_plugin& plugin_;
  reference::Contract contract_;
};

Status CheckTable(const faultline_plugin* plugin, const std::string& path) {
  if (plugin == nullptr) {
    return {StatusCode::kUnsupported, fmt::format("'{}' gave no plug-in table", path)};
  }
  if (plugin->abi != FAULTLINE_PLUGIN_ABI) {
    return {StatusCode::kUnsupported, fmt::format("'{}' has plug-in ABI {}, this build has {}",
                                                  path, plugin->abi, FAULTLINE_PLUGIN_ABI)};
  }
  if (plugin->name == nullptr || plugin->open == nullptr || plugin->close == nullptr ||
      plugin->supports == nullptr || plugin->create == nullptr || plugin->apply == nullptr ||
      plugin->drop == nullptr || plugin->read == nullptr) {
    return {StatusCode::kUnsupported,
            fmt::format("'{}' leaves out a function that is not optional", path)};
  }
  return {};
}

}  // namespace

ir::Result<std::unique_ptr<Backend>> LoadPluginBackend(const std::string& path,
                                                       std::string_view contract_text) {
  // A bare file name would be looked for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return ir::Error(StatusCode::kIo, fmt::format("cannot load '{}': {}", path, dlerror()));
  }
  // Never unloaded: sessions, threads and exit handlers of the plug-in may outlive the backend.
  void* symbol = dlsym(library, "faultline_plugin_v1");
  if (symbol == nullptr) {
    return ir::Error(StatusCode::kUnsupported,
                     fmt::format("'{}' does not export faultline_plugin_v1", path));
  }
  const faultline_plugin* plugin = reinterpret_cast<const faultline_plugin* (*)()>(symbol)();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckTable(plugin, path));
  if (contract_text.empty() && plugin->contract != nullptr) contract_text = plugin->contract;
  reference::Contract contract = reference::PluginDefaultContract();
  if (!contract_text.empty()) {
    FAULTLINE_ASSIGN_OR_RETURN(contract, reference::ParseContract(contract_text, contract));
  }
  return std::make_unique<PluginBackend>(*plugin, std::move(contract));
}

}  // namespace faultline::harness
