// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/stream/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "fusion/composites/expansion.h"
#include "fusion/fault.h"
#include "fusion/plan/graph.h"
#include "fusion/stream/parts.h"
#include "ir/infer.h"
#include "ir/program.h"

namespace faultline::fusion {
namespace {

constexpr size_t kValuesExpected = 32;
constexpr size_t kStepsMax = 3;  // of an application, beside the decoding of its operands

ir::Status Misuse(std::string message) {
  return {ir::StatusCode::kInvalidProgram, std::move(message)};
}

const ir::Status& OutOfBookkeeping() {
  static const auto* const kStatus = new ir::Status(
      ir::StatusCode::kOutOfMemory, "the session is out of memory and accepts only drops");
  return *kStatus;
}

// Whether every element of the layout lies within the storage.
bool InStorage(const ir::Shape& shape, const Placement& place, int64_t storage) {
  if (shape.NumElements() == 0) return true;
  int64_t low = place.offset;
  int64_t high = place.offset;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t reach = (shape[i] - 1) * place.strides[static_cast<size_t>(i)];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high < storage;
}

}  // namespace

void ClassifyLayout(Value& value) {
  const ir::Shape& shape = value.type.shape;
  int64_t dense = 1;
  bool contiguous = true;
  value.broadcast_axes = 0;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t stride = value.place.strides[static_cast<size_t>(i)];
    if (shape[i] == 1) continue;
    if (stride != dense) contiguous = false;
    if (stride == 0) value.broadcast_axes = static_cast<uint8_t>(value.broadcast_axes | (1u << i));
    dense *= shape[i];
  }
  const int last = shape.rank() - 1;
  const bool rows =
      last < 0 || shape[last] == 1 || value.place.strides[static_cast<size_t>(last)] == 1;
  value.layout = contiguous ? LayoutClass::kContiguous
                 : rows     ? LayoutClass::kRowContiguous
                            : LayoutClass::kStrided;
}

StreamSession::StreamSession(const EngineParts& engine, const SessionOptions& options)
    : engine_(engine),
      options_(options),
      account_{.limit = options.memory_limit, .fail_allocation = options.fail_allocation},
      executor_(engine.target, account_) {
  options_.queue_limit = std::clamp(options_.queue_limit, 1, static_cast<int>(kSegmentOpsMax));
  handles_.reserve(kValuesExpected);
  free_handles_.reserve(kValuesExpected);
  free_values_.reserve(kValuesExpected);
  trace_.names.reserve(kValuesExpected);
}

StreamSession::~StreamSession() {
  for (auto& values : values_) {
    for (Value& value : values) {
      if (value.memory != nullptr) executor_.Release(value.memory);
    }
  }
}

// ---------------------------------------------------------------------------------- handles

ir::Status StreamSession::CheckStream(int stream) const {
  if (stream >= 0 && stream < ir::kStreamsMax) return {};
  return Misuse(fmt::format("stream {} is not below {}", stream, ir::kStreamsMax));
}

Stream& StreamSession::StreamAt(int stream) {
  const auto at = static_cast<size_t>(stream);
  if (at >= streams_.size()) streams_.resize(at + 1);
  return streams_[at];
}

ir::Result<Value*> StreamSession::Find(Handle handle, std::string_view call) const {
  if (handle.generation != 0 && handle.slot < handles_.size() &&
      handles_[handle.slot].generation == handle.generation &&
      handles_[handle.slot].value != nullptr) {
    return handles_[handle.slot].value;
  }
  return std::unexpected(
      Misuse(fmt::format("{}: handle {}.{} is not alive", call, handle.slot, handle.generation)));
}

Handle StreamSession::NewHandle(Value* value) {
  if (free_handles_.empty()) {
    handles_.push_back({});
    free_handles_.push_back(static_cast<uint32_t>(handles_.size()) - 1);
  }
  const uint32_t slot = free_handles_.back();
  free_handles_.pop_back();
  handles_[slot].value = value;
  ++handles_[slot].generation;
  ++value->handles;
  ++live_handles_;
  return {slot, handles_[slot].generation};
}

Value* StreamSession::NewValue(const ir::Type& type, std::string_view name) {
  if (free_values_.empty()) {
    for (Value& value : values_.emplace_back()) free_values_.push_back(&value);
  }
  Value* value = free_values_.back();
  free_values_.pop_back();
  *value = {};
  value->type = type;
  value->number = static_cast<uint32_t>(trace_.names.size());
  trace_.names.emplace_back(name);
  return value;
}

void StreamSession::FreeIfDead(Value* value) {
  if (!value->dead()) return;
  if (value->memory != nullptr) executor_.Release(value->memory);
  value->memory = nullptr;
  value->spoil.reset();
  free_values_.push_back(value);
}

void StreamSession::DropHandleOf(Value* value) {
  --value->handles;
  if (FAULT(drop_of_clone_drops_all)) value->handles = 0;
  FreeIfDead(value);
}

LiveCounts StreamSession::live() const { return {live_handles_, account_.live_bytes}; }

// ---------------------------------------------------------------------------------- calls

ir::Result<Handle> StreamSession::Create(int stream, const ir::Type& type, const ir::Layout& layout,
                                         std::span<const std::byte> storage,
                                         std::string_view name) try {
  if (out_of_bookkeeping_) return std::unexpected(OutOfBookkeeping());
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
  Value* value = NewValue(type, name);
  value->stream = stream;
  ir::Status status = CreateValue(*value, layout, storage);
  if (!status.ok()) {
    FreeIfDead(value);
    return std::unexpected(std::move(status));
  }
  value->state = ValueState::kReady;
  ClassifyLayout(*value);
  return NewHandle(value);
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return std::unexpected(OutOfBookkeeping());
}

ir::Status StreamSession::CreateValue(Value& value, const ir::Layout& layout,
                                      std::span<const std::byte> storage) {
  const ir::Type& type = value.type;
  const auto wrong = [&](std::string_view what, int64_t have, int64_t want) {
    return Misuse(fmt::format("create {}: {} is {}, not {}", NameOf(value), what, have, want));
  };
  value.place.strides = type.shape.RowMajorStrides();
  if (type.quantized()) {
    FAULTLINE_RETURN_IF_ERROR(ir::VerifyScheme(type.scheme(), type.shape));
    const int64_t bytes = type.HostBytes();
    if (!layout.contiguous()) {
      return Misuse(fmt::format("create {}: a quantized tensor has no layout", NameOf(value)));
    }
    if (static_cast<int64_t>(storage.size()) != bytes) {
      return wrong("size of the storage", static_cast<int64_t>(storage.size()), bytes);
    }
  }
  const int64_t size = type.quantized() ? 1 : ir::ByteSize(type.dtype());
  const int64_t elements = type.quantized() ? static_cast<int64_t>(storage.size())
                                            : ir::StorageElements(layout, type.shape);
  if (static_cast<int64_t>(storage.size()) != elements * size) {
    return wrong("size of the storage", static_cast<int64_t>(storage.size()), elements * size);
  }
  if (!type.quantized()) {
    if (!layout.strides.empty() &&
        layout.strides.size() != static_cast<size_t>(type.shape.rank())) {
      return wrong("number of strides", static_cast<int64_t>(layout.strides.size()),
                   type.shape.rank());
    }
    std::ranges::copy(layout.strides, value.place.strides.begin());
    value.place.offset = layout.offset;
    if (!InStorage(type.shape, value.place, elements)) {
      return Misuse(fmt::format("create {}: the layout leaves its storage of {} elements",
                                NameOf(value), elements));
    }
  }
  auto memory = executor_.AllocateBytes(elements * size);
  if (!memory.has_value()) {
    return {memory.error().code(),
            fmt::format("create {}: {}", NameOf(value), memory.error().message())};
  }
  value.memory = *memory;
  const std::byte* bytes = storage.data();
  std::vector<std::byte> normal;
  if (type.dtype() == ir::Dtype::kBool) {
    // True is stored as 1, whatever non-zero byte the client has for it.
    normal.assign(storage.begin(), storage.end());
    if (!FAULT(bool_bytes_not_normalised)) {
      for (std::byte& byte : normal) byte = byte == std::byte{0} ? byte : std::byte{1};
    }
    bytes = normal.data();
  }
  const TensorBinding all{value.memory->buffer, ir::Shape{elements}, {0, {1}}};
  return engine_.target.Upload(all, static_cast<int>(size), bytes);
}

ir::Result<Handle> StreamSession::Clone(int stream, Handle handle, std::string_view name) try {
  if (out_of_bookkeeping_) return std::unexpected(OutOfBookkeeping());
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
  FAULTLINE_ASSIGN_OR_RETURN(Value * value, Find(handle, "clone"));
  (void)name;  // the value has a name already
  value->cloned = true;
  return NewHandle(value);
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return std::unexpected(OutOfBookkeeping());
}

// A handle dropped on the stream whose queue works on the value counts as dropped there at once:
// what is queued holds the value. Another stream's drop takes effect when that queue has run, so
// that what the queue is planned to be does not depend on when the other stream came.
ir::Status StreamSession::Drop(int stream, Handle handle) try {
  FAULTLINE_RETURN_IF_ERROR(CheckStream(stream));
  auto found = Find(handle, "drop");
  if (!found.has_value()) return std::move(found).error();
  Value* value = *found;
  handles_[handle.slot].value = nullptr;
  free_handles_.push_back(handle.slot);
  --live_handles_;
  int busy = stream;
  if (value->queued) {
    busy = value->stream;
  } else if (value->uses > 0) {
    busy = value->use_stream;
  }
  if (FAULT(drop_overtakes_read) && value->handles == 1 && value->uses > 0 &&
      value->state == ValueState::kReady && !value->type.quantized()) {
    executor_.Release(value->memory);
    auto again = executor_.Allocate(value->type.element, value->type.shape, &value->place);
    if (!again.has_value()) return std::move(again).error();
    value->memory = *again;
    ClassifyLayout(*value);
  }
  if (busy != stream && FAULT(foreign_drop_lost)) return {};
  if (busy != stream && !StreamAt(busy).ops.empty()) {
    StreamAt(busy).late_drops.push_back(value);
    return {};
  }
  DropHandleOf(value);
  return {};
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return OutOfBookkeeping();
}

ir::Result<std::vector<Handle>> StreamSession::Apply(const Application& application) try {
  if (out_of_bookkeeping_) return std::unexpected(OutOfBookkeeping());
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(application.stream));
  static const ir::Attributes kNone;
  const ir::Attributes& attributes =
      application.attributes != nullptr ? *application.attributes : kNone;
  if (application.operands.size() > static_cast<size_t>(ir::kOperandsMax)) {
    return std::unexpected(
        Misuse(fmt::format("{}: {} operands, at most {}", ir::Mnemonic(application.op),
                           application.operands.size(), ir::kOperandsMax)));
  }
  Operands<Value*> operands;
  Operands<ir::Type> types;
  for (const Handle& handle : application.operands) {
    FAULTLINE_ASSIGN_OR_RETURN(Value * value, Find(handle, ir::Mnemonic(application.op)));
    operands.push_back(value);
    types.push_back(value->type);
  }
  FAULTLINE_ASSIGN_OR_RETURN(
      const std::vector<ir::Type> results,
      ir::InferTypes(application.op, types, application.scalars, attributes, application.declared));
  if (FAULT(rank_five_refused) && !results.empty() && results[0].shape.rank() > 4) {
    return ir::Error(ir::StatusCode::kUnsupported, "more axes than the kernels have");
  }
  // A value that another queue has yet to make: that queue runs what it takes, and no more.
  for (Value* value : operands) {
    if (value->queued && value->stream != application.stream &&
        !FAULT(foreign_operand_not_awaited)) {
      Drain(value->stream, {&value, 1});
    }
  }
  // The operations of one application stay in one segment where they can.
  if (StreamAt(application.stream).ops.size() + operands.size() + kStepsMax * results.size() >
      kSegmentOpsMax) {
    Flush(application.stream);
  }
  ir::SmallVector<Value*, 2> made;
  std::vector<Handle> handles;
  handles.reserve(results.size());
  for (size_t r = 0; r < results.size(); ++r) {
    made.push_back(NewValue(results[r], NameOfResult(application, r)));
    // Before anything is recorded: the queue may run in between, and frees what nobody holds.
    handles.push_back(NewHandle(made.back()));
  }
  RecordApplication(application, operands, types, made);
  ++applications_;
  ++trace_.applications;
  if (StreamAt(application.stream).ops.size() >= static_cast<size_t>(options_.queue_limit)) {
    Flush(application.stream);
  }
  return handles;
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return std::unexpected(OutOfBookkeeping());
}

ir::Status StreamSession::Sync(int stream) try {
  if (out_of_bookkeeping_) return OutOfBookkeeping();
  FAULTLINE_RETURN_IF_ERROR(CheckStream(stream));
  Flush(stream);
  return Fence();
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return OutOfBookkeeping();
}

}  // namespace faultline::fusion
