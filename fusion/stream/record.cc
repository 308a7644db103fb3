// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// From an application to what its stream has pending: one operation a result. Ops on quantized
// operands that are no operations of their own are recorded as the ones they mean (dequantize, the
// op, quantize), so that they fuse like any others.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fusion/composites/expansion.h"
#include "fusion/plan/graph.h"
#include "fusion/stream/parts.h"
#include "fusion/stream/session.h"
#include "ir/infer.h"

namespace faultline::fusion {

void StreamSession::Record(const Application& application, std::span<Value* const> operands,
                           size_t part, Value* result) {
  if (IsExpanded(application.op)) return RecordExpansion(application, operands, part, result);
  static const ir::Attributes kNone;
  PendingOp op;
  op.op = PartOf(application.op, part);
  op.source = application.op;
  op.part = static_cast<uint8_t>(part);
  op.target = result->number;
  op.application = applications_;
  Push(application.stream, op, operands, application.scalars,
       application.attributes != nullptr ? *application.attributes : kNone, result);
}

void StreamSession::RecordExpansion(const Application& application,
                                    std::span<Value* const> operands, size_t part, Value* result) {
  static const ir::Attributes kNone;
  Operands<ir::Type> types;
  for (const Value* value : operands) types.push_back(value->type);
  const ir::Attributes& attributes =
      application.attributes != nullptr ? *application.attributes : kNone;
  const Expansion expansion =
      Expand({application.op, types, application.scalars, attributes, result->type, part});
  const std::string name = trace_.names[result->number];
  std::vector<Value*> values(operands.begin(), operands.end());
  std::vector<Value*> inputs;
  for (const PrimitiveOp& primitive : expansion) {
    const bool last = &primitive == &expansion.back();
    Value* made = result;
    if (!last) {
      const size_t step = values.size() - operands.size();
      made = NewValue(primitive.result, name.empty() ? name : fmt::format("{}.{}", name, step));
      // As if by a handle, should the queue run before all parts are in it.
      ++made->handles;
    }
    inputs.clear();
    for (const uint32_t number : primitive.operands) inputs.push_back(values[number]);
    PendingOp op;
    op.op = primitive.op;
    op.source = application.op;
    op.part = static_cast<uint8_t>(part);
    op.target = result->number;
    op.application = applications_;
    Push(application.stream, op, inputs, primitive.scalars, primitive.attributes, made);
    values.push_back(made);
  }
  InheritUnread(operands, expansion, *result);
  for (size_t i = operands.size(); i + 1 < values.size(); ++i) DropHandleOf(values[i]);
}

void StreamSession::InheritUnread(std::span<Value* const> operands, const Expansion& expansion,
                                  Value& result) {
  for (uint32_t number = 0; number < operands.size(); ++number) {
    const bool read = std::ranges::any_of(expansion, [&](const PrimitiveOp& primitive) {
      return std::ranges::find(primitive.operands, number) != primitive.operands.end();
    });
    if (read) continue;
    Value* operand = operands[number];
    if (operand->queued && operand->may_fail) Drain(operand->stream, {&operand, 1});
    if (operand->state == ValueState::kSpoiled) SpoilValue(result, operand->spoil);
  }
}

void StreamSession::Push(int stream_id, PendingOp op, std::span<Value* const> operands,
                         std::span<const ir::Scalar> scalars, const ir::Attributes& attributes,
                         Value* result) {
  if (StreamAt(stream_id).ops.size() >= kSegmentOpsMax) Flush(stream_id);
  Stream& stream = StreamAt(stream_id);
  op.first_operand = static_cast<uint32_t>(stream.operands.size());
  op.operand_count = static_cast<uint32_t>(operands.size());
  op.first_run = static_cast<uint32_t>(stream.runs.size());
  op.first_scalar = static_cast<uint32_t>(stream.scalars.size());
  op.scalar_count = static_cast<uint32_t>(scalars.size());
  op.result = result;
  for (const ir::Attributes::Entry& entry : attributes.entries()) {
    stream.runs.push_back(static_cast<int64_t>(entry.key));
    stream.runs.push_back(static_cast<int64_t>(entry.values.size()));
    stream.runs.insert(stream.runs.end(), entry.values.begin(), entry.values.end());
  }
  op.run_count = static_cast<uint32_t>(stream.runs.size()) - op.first_run;
  stream.scalars.insert(stream.scalars.end(), scalars.begin(), scalars.end());
  if (!operands.empty() && operands[0]->type.quantized() && ir::IsLayoutOp(op.op)) {
    Operands<ir::Type> types;
    for (const Value* value : operands) types.push_back(value->type);
    op.moves_codes = ir::MovesCodes(op.op, attributes, types, result->type);
  }
  for (Value* value : operands) {
    stream.operands.push_back(value);
    ++value->uses;
    value->use_stream = stream_id;
    result->may_fail = result->may_fail || (value->queued && value->may_fail);
  }
  result->may_fail = result->may_fail || ir::HasTrait(op.op, ir::kIndexing) ||
                     ir::HasTrait(op.op, ir::kScattering);
  result->queued = true;
  result->stream = stream_id;
  stream.ops.push_back(op);
}

void StreamSession::RecordApplication(const Application& application,
                                      std::span<Value* const> given,
                                      std::span<const ir::Type> types,
                                      std::span<Value* const> results) {
  const bool product = application.op == ir::Opcode::kQMatmul;
  if (!product && !ir::SeesDecoded(application.op, types)) {
    for (size_t r = 0; r < results.size(); ++r) Record(application, given, r, results[r]);
    return;
  }
  std::vector<Value*> operands(given.begin(), given.end());
  // What the op itself computes, and in which dtype.
  Application plain = application;
  const ir::Dtype dtype = ir::ComputeDtype(types);
  ir::Dtype made = dtype;
  std::vector<Value*> held;
  if (!product) {
    DecodeOperands(application, dtype, operands, held);
  } else if (!ir::MultipliesCodes(types)) {
    // Accumulates in f32, whatever its result.
    made = ir::Dtype::kF32;
    DecodeOperands(application, made, operands, held);
    plain.op = ir::Opcode::kMatmul;
  }
  // Side by side, as they are planned; what follows them comes after.
  std::vector<Value*> parts;
  for (size_t r = 0; r < results.size(); ++r) {
    const ir::Type& type = results[r]->type;
    const bool last = made == dtype && !type.quantized();
    parts.push_back(last ? results[r] : NewStep(application, {made, type.shape}, r, held));
    Record(plain, operands, r, parts.back());
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const ir::Type& type = results[r]->type;
    Value* value = parts[r];
    if (made != dtype) {
      Value* narrow =
          type.quantized() ? NewStep(application, {dtype, type.shape}, r, held) : results[r];
      Record({.stream = application.stream, .op = ir::Opcode::kCast}, {&value, 1}, 0, narrow);
      value = narrow;
    }
    if (!type.quantized()) continue;
    Record({.stream = application.stream, .op = ir::Opcode::kQuantize}, {&value, 1}, 0, results[r]);
  }
  for (Value* value : held) DropHandleOf(value);
}

Value* StreamSession::NewStep(const Application& application, const ir::Type& type, size_t r,
                              std::vector<Value*>& held) {
  Value* value = NewValue(type, NameOfResult(application, r));
  ++value->handles;
  held.push_back(value);
  return value;
}

// Quantized operands, and plain ones of another dtype, are made tensors of the dtype.
void StreamSession::DecodeOperands(const Application& application, ir::Dtype dtype,
                                   std::vector<Value*>& operands, std::vector<Value*>& held) {
  const std::vector<Value*> original = operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    const ir::Type& type = original[i]->type;
    const bool narrower = ir::IsFloat(type.dtype()) && type.dtype() != dtype;
    if (!type.quantized() && !narrower) continue;
    const auto same = std::ranges::find(original, original[i]) - original.begin();
    if (static_cast<size_t>(same) < i) {
      operands[i] = operands[static_cast<size_t>(same)];
      continue;
    }
    const auto op = type.quantized() ? ir::Opcode::kDequantize : ir::Opcode::kCast;
    operands[i] = NewStep(application, {dtype, type.shape}, 0, held);
    Record({.stream = application.stream, .op = op}, {&original[i], 1}, 0, operands[i]);
  }
}

}  // namespace faultline::fusion
