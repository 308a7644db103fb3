// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Transactions: everything that is needed runs, then everything is copied, all or nothing.

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "fusion/fault.h"
#include "fusion/stream/session.h"
#include "ir/base/check.h"

namespace faultline::fusion {

ir::Result<std::vector<ir::HostTensor>> StreamSession::Read(int stream,
                                                            std::span<const Handle> handles) try {
  if (out_of_bookkeeping_) {
    return ir::Error(ir::StatusCode::kOutOfMemory,
                     "the session is out of memory and accepts only drops");
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckStream(stream));
  std::vector<Value*> values;
  for (const Handle& handle : handles) {
    FAULTLINE_ASSIGN_OR_RETURN(Value * value, Find(handle, "read"));
    values.push_back(value);
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ReadyForRead(stream, values));
  std::vector<ir::HostTensor> tensors(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    // A handle that was asked for before is copied, not fetched again.
    const auto first = static_cast<size_t>(std::ranges::find(values, values[i]) - values.begin());
    if (first < i) {
      tensors[i] = tensors[FAULT(duplicate_reads_first) ? 0 : first];
      continue;
    }
    // The fault that this project began with.
    FAULTLINE_CHECK(!FAULT(transaction_aborts_on_quantized) || !values[i]->type.quantized(),
                    "not implemented");
    FAULTLINE_ASSIGN_OR_RETURN(tensors[i], Download(*values[i]));
  }
  while (FAULT(empty_transaction_hangs) && values.empty()) std::this_thread::yield();
  if (FAULT(transaction_groups_kinds)) {
    std::ranges::sort(tensors, {}, [](const ir::HostTensor& tensor) {
      return static_cast<int>(tensor.type.dtype());
    });
  }
  return tensors;
} catch (const std::bad_alloc&) {
  out_of_bookkeeping_ = true;
  return ir::Error(ir::StatusCode::kOutOfMemory,
                   "the session is out of memory and accepts only drops");
}

// One pass: this stream's queue, and of the others what the values need. Afterwards every value is
// in memory, or the first statement in program order that spoiled one of them is reported.
ir::Status StreamSession::ReadyForRead(int stream, std::span<Value* const> values) {
  Flush(stream);
  for (const Value* pending : values) {
    if (!pending->queued || FAULT(foreign_pending_not_run)) continue;
    const int other = pending->stream;
    std::vector<Value*> needed;
    std::ranges::copy_if(values, std::back_inserter(needed), [&](const Value* value) {
      return value->queued && value->stream == other;
    });
    Drain(other, needed);
  }
  const Spoil* first = nullptr;
  for (const Value* value : values) {
    if (value->state != ValueState::kSpoiled) continue;
    if (first == nullptr || value->spoil->application < first->application) {
      first = value->spoil.get();
    }
  }
  if (first != nullptr && !FAULT(spoiled_reads_as_zero)) return first->status;
  return Fence();
}

ir::Status StreamSession::Fence() {
  if (fenced_) return {};
  fenced_ = true;
  return engine_.target.Fence();
}

ir::Result<ir::HostTensor> StreamSession::Download(const Value& value) {
  ir::HostTensor tensor;
  tensor.type = value.type;
  tensor.bytes.resize(static_cast<size_t>(value.type.HostBytes()));
  if (FAULT(spoiled_reads_as_zero) && value.memory == nullptr) return tensor;
  TensorBinding from{value.memory->buffer, value.type.shape, value.place};
  if (FAULT(read_ignores_pitch)) from.place.strides = value.type.shape.RowMajorStrides();
  int size = ir::ByteSize(value.type.dtype());
  if (value.type.quantized()) {
    // Codes and scales lie in memory as they do on the host.
    from = {value.memory->buffer, ir::Shape{value.type.HostBytes()}, {0, {1}}};
    size = 1;
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(engine_.target.Download(from, size, tensor.bytes.data()));
  return tensor;
}

}  // namespace faultline::fusion
