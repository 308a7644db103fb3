// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a session knows of a value and of an operation that waits in a queue.

#ifndef FUSION_STREAM_VALUE_H_
#define FUSION_STREAM_VALUE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "fusion/plan/form.h"
#include "fusion/stream/executor.h"
#include "ir/base/status.h"
#include "ir/type.h"

namespace faultline::fusion {

// Why a value and all derived from it cannot be read.
struct Spoil {
  ir::Status status;
  uint32_t application = 0;  // the statement that failed
};

enum class ValueState : uint8_t { kPending, kReady, kSpoiled };

struct Value {
  ir::Type type;
  ValueState state = ValueState::kPending;
  bool queued = false;  // result of an operation that has not run
  // Indices are at fault or not once it is made: its own, or those of what it is made from. What a
  // launch fails of as a whole (memory, the device) is not foreseen.
  bool may_fail = false;
  bool cloned = false;  // has had more than one handle
  int stream = 0;       // whose queue makes it
  int use_stream = 0;   // whose queue used it last
  int32_t handles = 0;
  int32_t uses = 0;     // operand slots of operations that have not run
  uint32_t number = 0;  // of the trace
  // kReady.
  SharedBuffer* memory = nullptr;
  Placement place;
  LayoutClass layout = LayoutClass::kContiguous;
  uint8_t broadcast_axes = 0;
  std::shared_ptr<const Spoil> spoil;  // kSpoiled
  // While a segment is written: its number there, valid if `epoch` is the session's.
  uint64_t epoch = 0;
  uint32_t relative = 0;
  int32_t inside_uses = 0;

  bool dead() const { return handles == 0 && uses == 0 && !queued; }
};

// An operation in a queue. Operands, attributes and scalars lie in the stream's arenas.
struct PendingOp {
  ir::Opcode op = ir::Opcode::kReshape;
  // What the client applied, which of its results this makes, and the number of that value. The op
  // may be one of several that make it: messages and the trace speak of what was applied.
  ir::Opcode source = ir::Opcode::kReshape;
  uint8_t part = 0;
  uint32_t target = 0;
  bool moves_codes = false;
  bool selected = false;
  uint32_t application = 0;
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  uint32_t first_run = 0;
  uint32_t run_count = 0;
  uint32_t first_scalar = 0;
  uint32_t scalar_count = 0;
  Value* result = nullptr;
};

struct Stream {
  std::vector<PendingOp> ops;
  std::vector<Value*> operands;
  std::vector<int64_t> runs;  // attributes: key, count, values...
  std::vector<ir::Scalar> scalars;
  // Values whose handle another stream dropped while this one had work on them pending.
  std::vector<Value*> late_drops;
};

// The layout class and broadcast axes of a placement.
void ClassifyLayout(Value& value);

}  // namespace faultline::fusion

#endif  // FUSION_STREAM_VALUE_H_
