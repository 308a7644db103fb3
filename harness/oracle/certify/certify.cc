// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/oracle/certify/draw.h"
#include "harness/oracle/certify/formula.h"
#include "ir/element.h"
#include "ir/print.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

using ir::Shape;
using ir::ValueId;
using reference::Enclosure;

// Work of one application: results checked, and operand elements that a formula reads.
constexpr int64_t kResultsMax = 256;
constexpr int64_t kReadsMax = 1 << 14;

size_t At(int64_t i) { return static_cast<size_t>(i); }

// Flat index in a broadcast operand of the element that makes element `index` of the result.
int64_t BroadcastIndex(const Shape& operand, const Shape& result, int64_t index) {
  int64_t flat = 0;
  int64_t stride = 1;
  for (int back = 1; back <= result.rank(); ++back) {
    const int64_t position = index % result[result.rank() - back];
    index /= result[result.rank() - back];
    if (back > operand.rank()) continue;
    const int64_t extent = operand[operand.rank() - back];
    if (extent > 1) flat += position * stride;
    stride *= extent;
  }
  return flat;
}

class Certifier {
 public:
  Certifier(const ir::Program& program, const reference::Contract& contract, uint64_t seed,
            CertifyTally& tally)
      : program_(program),
        contract_(contract),
        seed_(seed),
        tally_(tally),
        evaluation_(reference::Evaluate(program, contract)),
        random_(seed),
        root_(program.values.size()) {
    for (ValueId value = 0; value < root_.size(); ++value) root_[value] = value;
    for (const ir::Statement& statement : program.statements) {
      if (statement.kind == ir::StatementKind::kClone) {
        root_[statement.results[0]] = root_[statement.operands[0]];
      }
    }
  }

  void Run(std::optional<ir::Opcode> op) {
    for (const ir::Statement& statement : program_.statements) {
      if (statement.kind != ir::StatementKind::kApply) continue;
      if (statement.op == op.value_or(statement.op)) Apply(statement);
    }
  }

 private:
  void Apply(const ir::Statement& statement) {
    const ir::Type& first =
        program_.TypeOf(statement.operands.empty() ? statement.results[0] : statement.operands[0]);
    counts_ = &tally_.ops[{statement.op, first.dtype()}];
    const reference::Evaluated& result = evaluation_.values[statement.results[0]];
    if (result.spoiled()) return;
    for (const ValueId operand : statement.operands) {
      if (evaluation_.values[operand].spoiled()) return;
    }
    CheckNaive(statement, result);
    if (CertifyKindOf(statement.op, first.dtype()) != CertifyKind::kCertified) return;
    // Between decoding and encoding lies more than the formula of the op.
    const auto quantized = [&](ValueId value) { return program_.TypeOf(value).quantized(); };
    if (std::ranges::any_of(statement.operands, quantized) ||
        std::ranges::any_of(statement.results, quantized)) {
      return;
    }
    const Formula& formula = *FindFormula(statement.op);
    const ir::Dtype dtype = program_.TypeOf(statement.results[0]).dtype();
    if (!ir::IsFloat(first.dtype()) && !ir::IsFloat(dtype)) return;  // a cast from int to int
    scalars_.clear();
    for (const ir::Scalar& scalar : statement.scalars) {
      scalars_.push_back(ir::IsFloat(scalar.dtype)
                             ? Element{.real = ir::ToDouble(scalar.dtype, scalar.bits)}
                             : Element{.integer = ir::ToInt(scalar.dtype, scalar.bits)});
    }
    const ir::Dtype wide = ir::IsFloat(first.dtype()) ? first.dtype() : dtype;
    const FormulaContext context = {.operand = first.dtype(),
                                    .compute = wide == ir::Dtype::kF64 ? wide : ir::Dtype::kF32,
                                    .result = dtype,
                                    .scalars = scalars_,
                                    .attributes = statement.attributes,
                                    .random = &random_};
    if (formula.element != nullptr) Elementwise(statement, formula, context);
    if (formula.row != nullptr) Rows(statement, formula, context);
    if (formula.dot != nullptr) Dots(statement, formula, context);
    if (formula.fold != nullptr) Folds(statement, formula, context);
  }

  // Another operand element of the statement at hand; counts whether it was drawn from a set.
  Element Draw(const ir::Statement& statement, size_t operand, int64_t index) {
    const ValueId root = root_[statement.operands[operand]];
    const Enclosure& set = *evaluation_.values[root].consumed;
    from_set_ |= !set.IsPoint(index);
    return DrawElement(set, index, seed_ + root * uint64_t{0xd1342543de82ef95});
  }

  // Results to check: all, or so many spread over the whole.
  template <typename Check>
  void Spread(int64_t count, int64_t most, const Check& check) {
    if (count == 0) return;
    const int64_t taken = std::clamp<int64_t>(most, 1, count);
    const auto offset = static_cast<int64_t>(seed_ % static_cast<uint64_t>(count));
    for (int64_t k = 0; k < taken; ++k) check((offset + k * count / taken) % count);
  }

  void Elementwise(const ir::Statement& statement, const Formula& formula,
                   const FormulaContext& context) {
    const Shape& shape = program_.TypeOf(statement.results[0]).shape;
    std::vector<Element> operands(statement.operands.size());
    Spread(shape.NumElements(), kResultsMax, [&](int64_t i) {
      from_set_ = false;
      for (size_t k = 0; k < operands.size(); ++k) {
        const Shape& from = program_.TypeOf(statement.operands[k]).shape;
        operands[k] = Draw(statement, k, BroadcastIndex(from, shape, i));
      }
      Check(statement, i, formula.element(context, operands), operands);
    });
  }

  // Rows of operand 0 along its dim, or all of it; the result has one element a row, or as many.
  void Rows(const ir::Statement& statement, const Formula& formula, const FormulaContext& context) {
    const Shape& shape = program_.TypeOf(statement.operands[0]).shape;
    const int64_t results = program_.TypeOf(statement.results[0]).NumElements();
    int64_t length = shape.NumElements();
    int64_t inner = 1;
    if (statement.attributes.has_dim()) {
      const auto dim = static_cast<int>(statement.attributes.dim());
      length = shape[dim];
      for (int axis = dim + 1; axis < shape.rank(); ++axis) inner *= shape[axis];
    }
    const int64_t rows = length > 0 ? shape.NumElements() / length : results;
    const bool reduces = results == rows && ir::HasTrait(statement.op, ir::kReducing);
    std::vector<Element> row(At(length));
    std::vector<Element> made;
    const int64_t most =
        std::min(kReadsMax / std::max<int64_t>(length, 1),
                 reduces ? kResultsMax : kResultsMax / std::max<int64_t>(length, 1));
    Spread(rows, most, [&](int64_t r) {
      from_set_ = false;
      const int64_t start = r / inner * inner * length + r % inner;
      for (int64_t i = 0; i < length; ++i) row[At(i)] = Draw(statement, 0, start + i * inner);
      formula.row(context, row, made);
      if (reduces) Check(statement, r, made[0], row);
      if (formula.second != nullptr) {
        formula.second(context, row, made);
        Check(statement, r, made[0], row, 1);
      }
      if (reduces) return;
      for (int64_t i = 0; i < length; ++i) Check(statement, start + i * inner, made[At(i)], row);
    });
  }

  void Dots(const ir::Statement& statement, const Formula& formula, const FormulaContext& context) {
    const Shape& a = program_.TypeOf(statement.operands[0]).shape;
    const Shape& b = program_.TypeOf(statement.operands[1]).shape;
    const Shape& shape = program_.TypeOf(statement.results[0]).shape;
    const int64_t depth = a[a.rank() - 1];
    const int64_t columns = b[b.rank() - 1];
    const int64_t height = a[a.rank() - 2];
    const auto batch = [](const Shape& whole) {
      return Shape(whole.extents().first(At(whole.rank() - 2)));
    };
    std::vector<double> left(At(depth));
    std::vector<double> right(At(depth));
    const int64_t most = std::min(kResultsMax, kReadsMax / std::max<int64_t>(depth, 1));
    Spread(shape.NumElements(), most, [&](int64_t i) {
      from_set_ = false;
      const int64_t matrix = i / (height * columns);
      const int64_t row = i / columns % height;
      const int64_t in_a = BroadcastIndex(batch(a), batch(shape), matrix) * height * depth;
      const int64_t in_b = BroadcastIndex(batch(b), batch(shape), matrix) * depth * columns;
      for (int64_t k = 0; k < depth; ++k) {
        left[At(k)] = Draw(statement, 0, in_a + row * depth + k).real;
        right[At(k)] = Draw(statement, 1, in_b + k * columns + i % columns).real;
      }
      Check(statement, i, formula.dot(context, left, right), {});
    });
  }

  // Flat place in operand 0 of element `i` of the values, operand 2, by the op's shape rule.
  int64_t PlaceOf(const ir::Statement& statement, int64_t i) {
    const Shape& shape = program_.TypeOf(statement.operands[0]).shape;
    const Shape& index = program_.TypeOf(statement.operands[1]).shape;
    const Shape& values = program_.TypeOf(statement.operands[2]).shape;
    const ir::ShapeRule rule = ir::InfoOf(statement.op).shape_rule;
    int64_t flat = 0;
    if (rule == ir::ShapeRule::kScatterNd) {
      // Tuples along the last axis of the index name parts of the operand.
      const auto named = static_cast<int>(index[index.rank() - 1]);
      int64_t part = 1;
      for (int axis = named; axis < shape.rank(); ++axis) part *= shape[axis];
      for (int axis = 0; axis < named; ++axis) {
        flat = flat * shape[axis] + Draw(statement, 1, i / part * named + axis).integer;
      }
      return flat * part + i % part;
    }
    // The place of the value, with axis dim as the index says: element by element, or row by row.
    const auto dim = static_cast<int>(statement.attributes.dim());
    int64_t rest = i;
    int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const int64_t at = rest % values[axis];
      rest /= values[axis];
      const int64_t place = rule == ir::ShapeRule::kScatter ? i : at;
      flat += stride * (axis == dim ? Draw(statement, 1, place).integer : at);
      stride *= shape[axis];
    }
    return flat;
  }

  // Where each written value goes has to be known: an index that is a set has no one answer.
  void Folds(const ir::Statement& statement, const Formula& formula,
             const FormulaContext& context) {
    const Shape& shape = program_.TypeOf(statement.operands[0]).shape;
    if (!evaluation_.values[statement.operands[1]].consumed->AllPoints()) return;
    std::vector<std::vector<int64_t>> written(At(shape.NumElements()));
    for (int64_t i = 0; i < program_.TypeOf(statement.operands[2]).NumElements(); ++i) {
      written[At(PlaceOf(statement, i))].push_back(i);
    }
    std::vector<Element> values;
    Spread(shape.NumElements(), kResultsMax, [&](int64_t i) {
      from_set_ = false;
      values.clear();
      for (const int64_t from : written[At(i)]) values.push_back(Draw(statement, 2, from));
      Check(statement, i, formula.fold(context, Draw(statement, 0, i), values), values);
    });
  }

  void Check(const ir::Statement& statement, int64_t index, const Element& exact,
             std::span<const Element> operands, size_t result = 0) {
    const ValueId value = statement.results[result];
    const Enclosure& set = *evaluation_.values[value].enclosure;
    const ir::Dtype dtype = set.dtype();
    const uint64_t bits =
        ir::IsFloat(dtype) ? ir::FromDouble(dtype, exact.real) : ir::FromInt(dtype, exact.integer);
    ++counts_->elements;
    if (from_set_) ++counts_->from_sets;
    // Which NaN it is, is no matter here: moved ones are, and they are moved, not computed.
    const bool nan = ir::IsFloat(dtype) && std::isnan(exact.real);
    if (nan ? set.FloatAt(index).nan : set.Contains(index, bits)) return;
    ++counts_->violations;
    std::string from;
    for (size_t i = 0; i < std::min<size_t>(operands.size(), 4); ++i) {
      from += fmt::format("{}{:a}", i > 0 ? ", " : "", operands[i].real);
    }
    Note(statement,
         fmt::format("%{} [{}] is {} of ({}), admitted is {}", program_.values[value].name, index,
                     ir::PrintElement(dtype, bits), from, set.Describe(index)));
  }

  void CheckNaive(const ir::Statement& statement, const reference::Evaluated& result) {
    const reference::Membership membership =
        reference::Check(*result.enclosure, reference::StoreTensor(*result.naive), contract_);
    if (membership.ok()) return;
    counts_->naive_outside += membership.outside_count;
    const reference::Outside& worst = membership.worst[0];
    Note(statement, fmt::format("%{} [{}]: naive bits {:#x} are outside {}",
                                program_.values[statement.results[0]].name, worst.index,
                                worst.actual, worst.admissible));
  }

  void Note(const ir::Statement& statement, std::string message) {
    if (tally_.violations.size() == CertifyTally::kViolationsMax) return;
    const ir::Type& first =
        program_.TypeOf(statement.operands.empty() ? statement.results[0] : statement.operands[0]);
    tally_.violations.push_back(
        {statement.op, first.dtype(), std::move(message), ir::Print(program_)});
  }

  const ir::Program& program_;
  const reference::Contract& contract_;
  const uint64_t seed_;
  CertifyTally& tally_;
  const reference::Evaluation evaluation_;
  uint64_t random_;
  std::vector<ValueId> root_;  // by value: what it is a clone of, else itself
  CertifyCounts* counts_ = nullptr;
  std::vector<Element> scalars_;
  bool from_set_ = false;
};

}  // namespace

CertifyKind CertifyKindOf(ir::Opcode op, ir::Dtype dtype) {
  const ir::OpInfo& info = ir::InfoOf(op);
  const bool floats_made =
      info.dtype_rule == ir::DtypeRule::kCast || info.dtype_rule == ir::DtypeRule::kDequantize;
  const bool moves = ir::MovesBits(op) || ir::HasTrait(op, ir::kCreation);
  if (moves || (!ir::IsFloat(dtype) && !floats_made)) return CertifyKind::kExact;
  return FindFormula(op) != nullptr ? CertifyKind::kCertified : CertifyKind::kNone;
}

void CertifyTally::Merge(const CertifyTally& other) {
  for (const auto& [key, counts] : other.ops) {
    CertifyCounts& sum = ops[key];
    sum.elements += counts.elements;
    sum.from_sets += counts.from_sets;
    sum.violations += counts.violations;
    sum.naive_outside += counts.naive_outside;
  }
  for (const CertifyViolation& violation : other.violations) {
    if (violations.size() < kViolationsMax) violations.push_back(violation);
  }
}

void Certify(const ir::Program& program, const reference::Contract& contract, uint64_t seed,
             std::optional<ir::Opcode> op, CertifyTally& tally) {
  Certifier(program, contract, seed, tally).Run(op);
}

}  // namespace faultline::harness
