// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Ops commute with cutting a batch and with permuting axes: every row of the op table for which the
// bits are then pinned, on every dtype.

#include <algorithm>
#include <array>
#include <vector>

#include "harness/backend/support.h"
#include "harness/generate/choice_stream.h"
#include "ir/infer.h"
#include "ir/print.h"
#include "tests/property/metamorphic/identity.h"

namespace faultline::harness {
namespace {

using ir::AttributeKey;
using ir::Dtype;
using ir::Opcode;
using ir::Program;
using ir::Shape;
using ir::Statement;
using ir::StatementKind;
using ir::ValueId;

struct Case {
  Opcode op;
  Dtype dtype;
};

bool IsElementwiseCase(const ir::OpInfo& info) {
  const bool shapes =
      info.shape_rule == ir::ShapeRule::kBroadcast || info.shape_rule == ir::ShapeRule::kSame;
  return ir::IsElementwise(info.op) && shapes && info.arity > 0;
}

// One result an axis position, pinned to the bit: extrema, sorting, and sums of ints.
bool IsAlongCase(const ir::OpInfo& info, Dtype dtype) {
  const bool along =
      info.Takes(AttributeKey::kDim) && info.arity == 1 &&
      (info.shape_rule == ir::ShapeRule::kReduceDim || info.shape_rule == ir::ShapeRule::kAlongDim);
  return along && (info.accuracy == ir::AccuracyClass::kExact || !ir::IsFloat(dtype));
}

template <typename Predicate>
std::vector<Case> CasesOf(const Backend& backend, const Predicate& predicate) {
  std::vector<Case> cases;
  for (const auto& [op, dtype] : SupportedOpDtypes(backend)) {
    if (dtype != Dtype::kQuantized && predicate(ir::InfoOf(op), dtype))
      cases.push_back({op, dtype});
  }
  return cases;
}

class Builder {
 public:
  explicit Builder(uint64_t seed) : choices_(seed) {}

  ChoiceStream& choices() { return choices_; }
  Program& program() { return program_; }

  // Whole numbers: no NaN, no zero of either sign.
  ValueId Input(Dtype dtype, const Shape& shape) {
    auto data = std::make_shared<ir::DataSpec>();
    data->form = ir::DataForm::kInts;
    data->seed = choices_.Below(1 << 30);
    const bool flag = dtype == Dtype::kBool;
    data->parameters = {flag ? 0.0 : 1.0, flag ? 1.0 : 9.0};
    Statement input;
    input.kind = StatementKind::kInput;
    input.data = data;
    input.results = {program_.AddValue(program_.FreshName("x"), {dtype, shape})};
    program_.statements.push_back(input);
    return input.results[0];
  }

  ValueId Apply(Statement statement, const std::vector<ValueId>& operands,
                const std::vector<ir::Type>& declared) {
    std::vector<ir::Type> types;
    for (const ValueId operand : operands) types.push_back(program_.TypeOf(operand));
    const auto results =
        ir::InferTypes(statement.op, types, statement.scalars, statement.attributes, declared);
    statement.kind = StatementKind::kApply;
    statement.operands = operands;
    statement.results = {program_.AddValue(program_.FreshName("y"), results.value()[0])};
    program_.statements.push_back(statement);
    return statement.results[0];
  }

  ValueId Rows(ValueId value, int64_t begin, int64_t end) {
    Statement slice;
    slice.op = Opcode::kSlice;
    std::vector<ir::SliceTriple> slices;
    for (const int64_t extent : program_.TypeOf(value).shape) slices.push_back({0, extent, 1});
    slices[0] = {begin, end, 1};
    slice.attributes.SetSlices(slices);
    return Apply(slice, {value}, {});
  }

  ValueId Joined(const std::vector<ValueId>& parts) {
    Statement cat;
    cat.op = Opcode::kCat;
    cat.attributes.Set(AttributeKey::kDim, 0);
    return Apply(cat, parts, {});
  }

  ValueId Turned(ValueId value) {
    Statement turn;
    turn.op = Opcode::kSwapDims;
    turn.attributes.Set(AttributeKey::kDims, std::vector<int64_t>{0, 1});
    return Apply(turn, {value}, {});
  }

  // Reads both.
  Broken Compare(Backend& backend, ValueId a, ValueId b) {
    Statement read;
    read.kind = StatementKind::kRead;
    read.operands = {a, b};
    program_.statements.push_back(read);
    const auto results = RunFor(program_, backend);
    if (!results.has_value()) return "a call failed\n" + ir::Print(program_);
    const bool same = results->at(program_.values[a].name) == results->at(program_.values[b].name);
    return same ? "" : "the two differ\n" + ir::Print(program_);
  }

 private:
  ChoiceStream choices_;
  Program program_;
};

// An application of the op to operands of this shape, ready for other operands of the same dtypes.
struct Prepared {
  Statement apply;
  std::vector<ValueId> inputs;
  std::vector<ir::Type> declared;  // for a result of the operands' shape; empty if inferred
};

Prepared Prepare(const Case& one, const Shape& shape, Builder& builder) {
  const SampleApplication sample = MakeSample(one.op, one.dtype).value();
  Prepared prepared;
  prepared.apply.op = one.op;
  prepared.apply.attributes = sample.attributes;
  prepared.apply.scalars = sample.scalars;
  for (ir::Scalar& scalar : prepared.apply.scalars) {
    scalar = ir::IsFloat(scalar.dtype) ? ir::FloatScalar(scalar.dtype, 2)
                                       : ir::IntScalar(scalar.dtype, 1);
  }
  for (const ir::Type& operand : sample.operands) {
    prepared.inputs.push_back(builder.Input(operand.dtype(), shape));
  }
  if (ir::InfoOf(one.op).dtype_rule == ir::DtypeRule::kCast) prepared.declared = sample.results;
  return prepared;
}

std::vector<ir::Type> WithShape(std::vector<ir::Type> types, const Shape& shape) {
  for (ir::Type& type : types) type.shape = shape;
  return types;
}

Broken BatchSplit(Backend& backend, uint64_t seed) {
  const std::vector<Case> cases =
      CasesOf(backend, [](const ir::OpInfo& info, Dtype) { return IsElementwiseCase(info); });
  Builder builder(seed);
  const int64_t rows = builder.choices().Between(3, 9);
  const int64_t columns = builder.choices().Between(1, 40);
  const int64_t first = builder.choices().Between(1, rows - 2);
  const int64_t second = builder.choices().Between(first + 1, rows - 1);
  const Case& one = cases[seed % cases.size()];
  const Prepared prepared = Prepare(one, {rows, columns}, builder);
  const auto apply = [&](int64_t begin, int64_t end) {
    std::vector<ValueId> operands;
    for (const ValueId input : prepared.inputs) operands.push_back(builder.Rows(input, begin, end));
    return builder.Apply(prepared.apply, operands,
                         WithShape(prepared.declared, Shape{end - begin, columns}));
  };
  const ValueId whole = builder.Apply(prepared.apply, prepared.inputs,
                                      WithShape(prepared.declared, Shape{rows, columns}));
  const ValueId parts =
      builder.Joined({apply(0, first), apply(first, second), apply(second, rows)});
  return builder.Compare(backend, whole, parts);
}

Broken AxesPermuted(Backend& backend, uint64_t seed) {
  const std::vector<Case> cases = CasesOf(backend, [](const ir::OpInfo& info, Dtype dtype) {
    return IsElementwiseCase(info) || IsAlongCase(info, dtype);
  });
  Builder builder(seed);
  // Square ones too: there a wrong order of axes is no error of shapes.
  const int64_t rows = builder.choices().Between(1, 20);
  const int64_t columns = builder.choices().OneIn(2) ? rows : builder.choices().Between(1, 20);
  const Case& one = cases[seed % cases.size()];
  Prepared prepared = Prepare(one, {rows, columns}, builder);
  std::vector<ValueId> turned;
  for (const ValueId input : prepared.inputs) turned.push_back(builder.Turned(input));
  const bool along = !ir::IsElementwise(one.op);
  const int64_t dim = builder.choices().Below(2);
  if (along) prepared.apply.attributes.Set(AttributeKey::kDim, dim);
  const ValueId straight = builder.Apply(prepared.apply, prepared.inputs,
                                         WithShape(prepared.declared, Shape{rows, columns}));
  if (along) prepared.apply.attributes.Set(AttributeKey::kDim, 1 - dim);
  const ValueId other =
      builder.Apply(prepared.apply, turned, WithShape(prepared.declared, Shape{columns, rows}));
  return builder.Compare(backend, straight, builder.Turned(other));
}

constexpr auto kIdentities = std::to_array<Identity>({
    {"a batch split", "joined_part_shifted", BatchSplit},
    {"axes permuted", "row_of_view_not_permuted", AxesPermuted},
});

}  // namespace

std::span<const Identity> ShapeIdentities() { return kIdentities; }

}  // namespace faultline::harness
