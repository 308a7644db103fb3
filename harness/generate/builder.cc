// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/builder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/infer.h"

namespace faultline::harness {
namespace {

using ir::kNoValue;
using ir::ValueId;

// Room for reads and drops at the end of a program.
constexpr size_t kStatementsReserved = 160;
// Half of what the verifier allows: mutation may still grow a program.
constexpr int64_t kBytesMax = ir::kProgramBytesMax / 2;

// Elements that an index op reads from or writes to; everything else that moves ints keeps bounds.
IntBounds BoundsOf(ir::Opcode op, const ir::Type& operand, const IntBounds& of_operand, size_t r,
                   const ir::Type& result, const ir::Attributes& attributes) {
  if (!ir::IsInt(result.dtype())) return {};
  const ir::OpInfo& info = ir::InfoOf(op);
  if (ir::IsIndexResult(op, r)) {
    const int64_t extent = attributes.has_dim() ? operand.shape[static_cast<int>(attributes.dim())]
                                                : operand.NumElements();
    return {extent > 0, 0, extent - 1};
  }
  const bool moves = (info.traits & (ir::kView | ir::kSorting)) != 0 ||
                     ((info.traits & ir::kIndexing) != 0 && info.arity == 2);
  return moves ? of_operand : IntBounds{};
}

}  // namespace

Builder::Builder(const GenerateOptions& options, int64_t work_max)
    : options_(options), work_max_(std::min(work_max, kWorkMax)) {
  program_.values.reserve(48);
  program_.statements.reserve(64);
  states_.reserve(48);
  live_.reserve(32);
}

bool Builder::full() const {
  return program_.statements.size() + kStatementsReserved >= ir::kStatementsMax;
}

ValueId Builder::AddValue(const ir::Type& type, char stem, Origin origin, ValueId base) {
  std::string name;
  if (!next_names_.empty()) {
    name = std::move(next_names_.front());
    next_names_.erase(next_names_.begin());
  } else {
    name = stem + std::to_string(name_number_++);
  }
  const ValueId value = program_.AddValue(std::move(name), type);
  ValueState state;
  state.alive = true;
  state.pending = origin != Origin::kInput;
  state.origin = origin;
  state.stream = stream_;
  state.base = base;
  states_.push_back(state);
  live_.push_back(value);
  bytes_ += type.HostBytes();
  return value;
}

ValueId Builder::Input(const ir::Type& type, ir::DataPtr data, ir::Layout layout) {
  // The bytes of a quantized value are those of its scheme, which must fit first.
  if (full() || !ir::IsIn(type.dtype(), options_.input_dtypes) ||
      type.NumElements() > ir::kElementsMax ||
      (type.quantized() && !ir::VerifyScheme(type.scheme(), type.shape).ok()) ||
      bytes_ + type.HostBytes() > kBytesMax) {
    return kNoValue;
  }
  ir::Statement statement;
  statement.kind = ir::StatementKind::kInput;
  statement.data = std::move(data);
  statement.layout = std::move(layout);
  const ValueId value = AddValue(type, 'x', Origin::kInput, kNoValue);
  statement.results.push_back(value);
  program_.statements.push_back(std::move(statement));
  return value;
}

ValueId Builder::Apply(ir::Opcode op, std::span<const ValueId> operands,
                       std::span<const ir::Scalar> scalars, const ir::Attributes& attributes,
                       std::span<const ir::Type> declared) {
  if (full() || operands.size() > ir::kOperandsMax) return kNoValue;
  std::vector<ir::Type> types;
  types.reserve(operands.size());
  for (const ValueId operand : operands) {
    if (!IsAlive(operand)) return kNoValue;
    types.push_back(TypeOf(operand));
  }
  auto results = ir::InferTypes(op, types, scalars, attributes, declared);
  if (!results.has_value()) return kNoValue;
  int64_t bytes = bytes_;
  for (const ir::Type& result : *results) {
    if (result.NumElements() > ir::kElementsMax) return kNoValue;
    bytes += result.HostBytes();
  }
  if (bytes > kBytesMax) return kNoValue;
  if (options_.supports && !options_.supports(op, attributes, types, *results)) return kNoValue;

  ir::Statement statement;
  statement.kind = ir::StatementKind::kApply;
  statement.op = op;
  statement.operands.assign(operands.begin(), operands.end());
  statement.scalars.assign(scalars.begin(), scalars.end());
  statement.attributes = attributes;
  const bool view = ir::IsView(op);
  const size_t live_before = live_.size();
  const int64_t bytes_before = bytes_;
  for (size_t r = 0; r < results->size(); ++r) {
    const ir::Type& result = (*results)[r];
    const ValueId value = AddValue(result, 'v', view ? Origin::kView : Origin::kResult,
                                   view ? operands[0] : kNoValue);
    if (!operands.empty()) {
      states_[value].bounds =
          BoundsOf(op, types[0], states_[operands[0]].bounds, r, result, attributes);
    }
    statement.results.push_back(value);
  }
  const int64_t work = ir::WorkOf(program_, statement);
  if (work > work_left()) {
    live_.resize(live_before);
    states_.resize(states_.size() - results->size());
    program_.values.resize(states_.size());
    bytes_ = bytes_before;
    return kNoValue;
  }
  work_ += work;
  ++applications_;
  for (const ValueId operand : operands) {
    ++states_[operand].uses;
    // Use of a value that is pending on another stream makes it exist.
    if (states_[operand].stream != stream_) states_[operand].pending = false;
  }
  const ValueId first = statement.results.front();
  program_.statements.push_back(std::move(statement));
  return first;
}

ValueId Builder::Clone(ValueId value) {
  if (full() || !IsAlive(value)) return kNoValue;
  const ir::Type type = TypeOf(value);
  if (bytes_ + type.HostBytes() > kBytesMax) return kNoValue;
  const ValueId clone = AddValue(type, 'c', Origin::kClone, value);
  states_[clone].pending = states_[value].pending;
  states_[clone].bounds = states_[value].bounds;
  ++states_[value].uses;
  ir::Statement statement;
  statement.kind = ir::StatementKind::kClone;
  statement.operands.push_back(value);
  statement.results.push_back(clone);
  program_.statements.push_back(std::move(statement));
  return clone;
}

bool Builder::Drop(ValueId value) {
  if (!IsAlive(value) || program_.statements.size() >= ir::kStatementsMax) return false;
  ir::Statement statement;
  statement.kind = ir::StatementKind::kDrop;
  statement.operands.push_back(value);
  program_.statements.push_back(std::move(statement));
  states_[value].alive = false;
  live_.erase(std::ranges::find(live_, value));
  return true;
}

bool Builder::Read(std::span<const ValueId> values) {
  if (values.size() > ir::kReadValuesMax || program_.statements.size() >= ir::kStatementsMax ||
      !std::ranges::all_of(values, [this](ValueId v) { return IsAlive(v); })) {
    return false;
  }
  ir::Statement statement;
  statement.kind = ir::StatementKind::kRead;
  statement.operands.assign(values.begin(), values.end());
  program_.statements.push_back(std::move(statement));
  ++reads_;
  for (const ValueId value : values) {
    ++states_[value].uses;
    states_[value].read = true;
  }
  for (ValueState& state : states_) {
    if (state.stream == stream_) state.pending = false;
  }
  return true;
}

bool Builder::Sync() {
  if (program_.statements.size() >= ir::kStatementsMax) return false;
  program_.statements.emplace_back().kind = ir::StatementKind::kSync;
  for (ValueState& state : states_) {
    if (state.stream == stream_) state.pending = false;
  }
  return true;
}

bool Builder::SetStream(int stream) {
  if (stream < 0 || stream >= ir::kStreamsMax || program_.statements.size() >= ir::kStatementsMax) {
    return false;
  }
  ir::Statement& statement = program_.statements.emplace_back();
  statement.kind = ir::StatementKind::kStream;
  statement.stream = stream;
  stream_ = stream;
  return true;
}

bool Builder::Note(ir::Statement statement) {
  if (program_.statements.size() >= ir::kStatementsMax) return false;
  program_.statements.push_back(std::move(statement));
  return true;
}

void Builder::Rewind(size_t statements) {
  while (program_.statements.size() > statements) UndoLast();
}

void Builder::UndoLast() {
  const ir::Statement& statement = program_.statements.back();
  if (statement.kind == ir::StatementKind::kStream) {
    program_.statements.pop_back();
    stream_ = 0;
    for (const ir::Statement& earlier : program_.statements) {
      if (earlier.kind == ir::StatementKind::kStream) stream_ = earlier.stream;
    }
    return;
  }
  work_ -= ir::WorkOf(program_, statement);
  if (statement.kind == ir::StatementKind::kApply) --applications_;
  for (const ValueId operand : statement.operands) --states_[operand].uses;
  for (const ValueId value : statement.results) bytes_ -= TypeOf(value).HostBytes();
  const size_t kept = states_.size() - statement.results.size();
  live_.resize(live_.size() - statement.results.size());
  states_.resize(kept);
  program_.values.resize(kept);
  program_.statements.pop_back();
}

}  // namespace faultline::harness
