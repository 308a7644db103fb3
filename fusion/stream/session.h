// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The session behind fusion/engine.h: queues that record, segments that are planned and run,
// transactions. One thread at a time.

#ifndef FUSION_STREAM_SESSION_H_
#define FUSION_STREAM_SESSION_H_

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/composites/expansion.h"
#include "fusion/engine.h"
#include "fusion/plan/cache.h"
#include "fusion/plan/planner.h"
#include "fusion/stream/executor.h"
#include "fusion/stream/value.h"
#include "fusion/target.h"
#include "ir/base/small_vector.h"

namespace faultline::fusion {

// What a session needs of its engine, which outlives it.
struct EngineParts {
  Target& target;
  PlanCache& cache;
  EngineFacts facts;
};

// Of one application.
template <typename T>
using Operands = ir::SmallVector<T, 4>;

// The name of result `r`, as the client has it. Operations that an application means share it.
inline std::string_view NameOfResult(const Application& application, size_t r) {
  return r < application.names.size() ? application.names[r] : std::string_view();
}

class StreamSession final : public Session {
 public:
  StreamSession(const EngineParts& engine, const SessionOptions& options);
  ~StreamSession() override;
  StreamSession(const StreamSession&) = delete;
  StreamSession& operator=(const StreamSession&) = delete;

  ir::Result<Handle> Create(int stream, const ir::Type& type, const ir::Layout& layout,
                            std::span<const std::byte> storage, std::string_view name) override;
  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override;
  ir::Status Drop(int stream, Handle handle) override;
  ir::Result<std::vector<Handle>> Apply(const Application& application) override;
  ir::Status Sync(int stream) override;
  ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                               std::span<const Handle> handles) override;
  const Trace& trace() const override { return trace_; }
  LiveCounts live() const override;

 private:
  static constexpr size_t kValuesTogether = 16;

  struct HandleSlot {
    Value* value = nullptr;
    uint32_t generation = 0;
  };

  // Handles and values.
  ir::Status CheckStream(int stream) const;
  // The stream's queue, which is there from its first use on.
  Stream& StreamAt(int stream);
  ir::Result<Value*> Find(Handle handle, std::string_view call) const;
  Handle NewHandle(Value* value);
  Value* NewValue(const ir::Type& type, std::string_view name);
  void FreeIfDead(Value* value);
  void DropHandleOf(Value* value);
  std::string NameOf(const Value& value) const { return trace_.NameOf(value.number); }
  ir::Status CreateValue(Value& value, const ir::Layout& layout,
                         std::span<const std::byte> storage);
  // Recording (record.cc): an application is one operation a result, or the ones that it means.
  void Record(const Application& application, std::span<Value* const> operands, size_t part,
              Value* result);
  // As primitives, whose results but the last nobody but the queue knows.
  void RecordExpansion(const Application& application, std::span<Value* const> operands,
                       size_t part, Value* result);
  // Operands of which the result takes no more than an extent: a failure reaches it all the same.
  void InheritUnread(std::span<Value* const> operands, const Expansion& expansion, Value& result);
  // `op` has the fields that a client's application decides. A full queue runs first.
  void Push(int stream, PendingOp op, std::span<Value* const> operands,
            std::span<const ir::Scalar> scalars, const ir::Attributes& attributes, Value* result);
  std::string NameOf(const PendingOp& op) const { return trace_.NameOf(op.target); }
  // As dequantize, the op and quantize, where it sees its operands decoded.
  void RecordApplication(const Application& application, std::span<Value* const> given,
                         std::span<const ir::Type> types, std::span<Value* const> results);
  void DecodeOperands(const Application& application, ir::Dtype dtype,
                      std::vector<Value*>& operands, std::vector<Value*>& held);
  // A value between two operations of an application, held as if by a handle until all are
  // recorded: the queue may run before.
  Value* NewStep(const Application& application, const ir::Type& type, size_t r,
                 std::vector<Value*>& held);

  // Running what is pending.
  void Flush(int stream);
  void Drain(int stream, std::span<Value* const> values);
  // Leaves `pending` empty.
  void RunOps(Stream& stream, std::vector<PendingOp>& pending);
  void SpoilDerived(Stream& stream, std::vector<PendingOp>& ops);
  void WriteForm(const Stream& stream, std::span<const PendingOp> ops);
  ir::Result<std::shared_ptr<const Plan>> FindPlan();
  void Execute(Stream& stream, std::vector<PendingOp>& ops, const Plan& plan);
  void Settle(std::span<const PendingOp> ops, const Plan& plan);
  void FinishOps(Stream& stream, std::span<const PendingOp> ops);
  void SpoilValue(Value& value, std::shared_ptr<const Spoil> spoil);
  void TracePlan(const Plan& plan, std::span<const PendingOp> ops, size_t steps);

  ir::Status ReadyForRead(int stream, std::span<Value* const> values);
  // Waits for what was launched and reports what only then shows.
  ir::Status Fence();
  ir::Result<ir::HostTensor> Download(const Value& value);

  EngineParts engine_;
  SessionOptions options_;
  MemoryAccount account_;
  Executor executor_;
  std::vector<HandleSlot> handles_;
  std::vector<uint32_t> free_handles_;
  int64_t live_handles_ = 0;
  std::deque<std::array<Value, kValuesTogether>> values_;
  std::vector<Value*> free_values_;
  std::vector<Stream> streams_;
  uint32_t applications_ = 0;
  uint64_t epoch_ = 0;
  int64_t decisions_ = 0;
  bool fenced_ = true;               // nothing was launched since the last fence
  bool out_of_bookkeeping_ = false;  // std::bad_alloc was seen: only drops from now on
  Trace trace_;

  // Scratch of the segment being run.
  FormWriter form_;
  std::vector<Value*> relative_;  // values of the segment by number
  std::vector<Slot> slots_;
};

}  // namespace faultline::fusion

#endif  // FUSION_STREAM_SESSION_H_
