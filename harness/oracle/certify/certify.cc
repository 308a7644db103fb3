// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/certify.h"

#include <algorithm>

#include "harness/oracle/certify/checker.h"
#include "harness/oracle/certify/decode.h"
#include "harness/oracle/certify/draw.h"
#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/places.h"
#include "ir/element.h"
#include "ir/infer.h"
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

class Certifier {
 public:
  Certifier(const ir::Program& program, const reference::Contract& contract, uint64_t seed,
            CertifyTally& tally)
      : program_(program),
        seed_(seed),
        evaluation_(reference::Evaluate(program, contract)),
        checker_(program, contract, evaluation_, tally),
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
    const auto spoiled = [&](ValueId value) { return evaluation_.values[value].spoiled(); };
    if (spoiled(statement.results[0]) || std::ranges::any_of(statement.operands, spoiled)) return;
    checker_.Begin(statement);
    checker_.CheckNaive();
    const ir::Dtype dtype = program_.TypeOf(statement.results[0]).dtype();
    if (CertifyKindOf(statement.op, first.dtype()) != CertifyKind::kCertified) return;
    if (!Decode(statement, dtype)) return;
    const Formula& formula = *FindFormula(statement.op);
    if (formula.whole != nullptr) return Whole(statement, formula);
    // What is quantized anew depends on results that nothing shows.
    if (dtype == ir::Dtype::kQuantized) return;
    const ir::Dtype operand = first.quantized() ? decoded_to_ : first.dtype();
    if (!ir::IsFloat(operand) && !ir::IsFloat(dtype)) return;  // a cast from int to int
    scalars_.clear();
    for (const ir::Scalar& scalar : statement.scalars) {
      scalars_.push_back(ir::IsFloat(scalar.dtype)
                             ? Element{.real = ir::ToDouble(scalar.dtype, scalar.bits)}
                             : Element{.integer = ir::ToInt(scalar.dtype, scalar.bits)});
    }
    const ir::Dtype wide = ir::IsFloat(operand) ? operand : dtype;
    FormulaContext context = {.operand = operand,
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

  // What quantized operands stand for. False where they have more than one value: the scales of
  // such a set belong to its codes in a way that drawing here would lose.
  bool Decode(const ir::Statement& statement, ir::Dtype result) {
    std::vector<ir::Type> types;
    for (const ValueId operand : statement.operands) types.push_back(program_.TypeOf(operand));
    decoded_.assign(types.size(), {});
    if (std::ranges::none_of(types, &ir::Type::quantized)) return true;
    decoded_to_ = ir::ComputeDtype(types);
    if (statement.op == ir::Opcode::kDequantize) decoded_to_ = result;
    if (statement.op == ir::Opcode::kQMatmul) decoded_to_ = ir::Dtype::kF32;
    for (size_t k = 0; k < types.size(); ++k) {
      if (!types[k].quantized()) continue;
      const Enclosure& set = *evaluation_.values[root_[statement.operands[k]]].consumed;
      if (!set.AllPoints()) return false;
      decoded_[k] = DecodeTensor(reference::StoreTensor(*set.points()), decoded_to_);
    }
    return true;
  }

  // Another operand element of the statement at hand; counts whether it was drawn from a set.
  Element Draw(const ir::Statement& statement, size_t operand, int64_t index) {
    const std::vector<double>& decoded = decoded_[operand].values;
    if (!decoded.empty()) return {.real = decoded[At(index)]};
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

  Element DrawFor(const ir::Statement& statement, size_t operand, const Shape& whole, int64_t i) {
    const Shape& from = program_.TypeOf(statement.operands[operand]).shape;
    return Draw(statement, operand, OperandIndex(ir::InfoOf(statement.op), from, whole, i));
  }

  void Elementwise(const ir::Statement& statement, const Formula& formula,
                   FormulaContext& context) {
    const Shape& shape = program_.TypeOf(statement.results[0]).shape;
    std::vector<Element> operands(statement.operands.size());
    Spread(shape.NumElements(), kResultsMax, [&](int64_t i) {
      from_set_ = false;
      context.position = i;
      for (size_t k = 0; k < operands.size(); ++k) operands[k] = DrawFor(statement, k, shape, i);
      Check(i, formula.element(context, operands), operands);
    });
  }

  // The result has one element a row, or as many as the row.
  void Rows(const ir::Statement& statement, const Formula& formula, FormulaContext& context) {
    const bool reduces = ir::HasTrait(statement.op, ir::kReducing);
    const Shape& whole =
        program_.TypeOf(reduces ? statement.operands[0] : statement.results[0]).shape;
    const RowPlaces rows = RowsOf(ir::InfoOf(statement.op), statement.attributes, whole);
    std::vector<std::vector<Element>> drawn(statement.operands.size());
    for (std::vector<Element>& elements : drawn) elements.resize(At(rows.length));
    const std::vector<Element>& row = drawn[0];
    context.others = std::span(drawn).subspan(1);
    std::vector<Element> made;
    const int64_t length = std::max<int64_t>(rows.length, 1);
    Spread(rows.count, reduces ? std::min(kResultsMax, kReadsMax / length) : kResultsMax / length,
           [&](int64_t r) {
             from_set_ = false;
             for (size_t k = 0; k < drawn.size(); ++k) {
               for (int64_t i = 0; i < rows.length; ++i) {
                 drawn[k][At(i)] = DrawFor(statement, k, whole, rows.At(r, i));
               }
             }
             formula.row(context, row, made);
             if (reduces) Check(r, made[0], row);
             if (formula.second != nullptr) {
               formula.second(context, row, made);
               Check(r, made[0], row, 1);
             }
             if (reduces) return;
             for (int64_t i = 0; i < rows.length; ++i) {
               Check(rows.At(r, i), made[At(i)], row);
             }
           });
  }

  // Axes before the last two say which matrix; a vector is a matrix of one row.
  void Dots(const ir::Statement& statement, const Formula& formula, const FormulaContext& context) {
    const Shape& a = program_.TypeOf(statement.operands[0]).shape;
    const Shape& b = program_.TypeOf(statement.operands[1]).shape;
    const Shape& shape = program_.TypeOf(statement.results[0]).shape;
    const int64_t depth = a[a.rank() - 1];
    const int64_t columns = b[b.rank() - 1];
    const int64_t height = a.rank() > 1 ? a[a.rank() - 2] : 1;
    const auto batch = [](const Shape& whole) {
      return Shape(whole.extents().first(At(std::max(whole.rank() - 2, 0))));
    };
    const bool codes = statement.op == ir::Opcode::kQMatmul &&
                       ir::MultipliesCodes(std::vector{program_.TypeOf(statement.operands[0]),
                                                       program_.TypeOf(statement.operands[1])});
    std::vector<double> left;
    std::vector<double> right;
    const int64_t most = std::min(kResultsMax, kReadsMax / std::max<int64_t>(depth, 1));
    Spread(shape.NumElements(), most, [&](int64_t i) {
      from_set_ = false;
      left.clear();
      right.clear();
      const int64_t matrix = i / (height * columns);
      const int64_t row = i / columns % height;
      const int64_t in_a =
          BroadcastIndex(batch(a), batch(shape), matrix) * height * depth + row * depth;
      const int64_t in_b =
          BroadcastIndex(batch(b), batch(shape), matrix) * depth * columns + i % columns;
      for (int64_t k = 0; k < depth; ++k) {
        left.push_back(codes ? decoded_[0].codes[At(in_a + k)] : Draw(statement, 0, in_a + k).real);
        right.push_back(codes ? decoded_[1].codes[At(in_b + k * columns)]
                              : Draw(statement, 1, in_b + k * columns).real);
      }
      if (codes) {
        const double scale = depth == 0 ? 1 : decoded_[0].scales[At(in_a)];
        const double other = depth == 0 ? 1 : decoded_[1].scales[At(in_b)];
        Check(i, formula.codes(context, left, right, {scale, other}), {});
        return;
      }
      if (statement.operands.size() > 2) {
        left.push_back(Draw(statement, 2, i % columns).real);
        right.push_back(1);
      }
      Check(i, formula.dot(context, left, right), {});
    });
  }

  // Codes, scales and zero points. A scale by the mean is not pinned: that is a sum in any order.
  void Whole(const ir::Statement& statement, const Formula& formula) {
    const ir::Attributes& attributes = statement.attributes;
    if (attributes.Has(ir::AttributeKey::kRange) &&
        attributes.Int(ir::AttributeKey::kRange) != static_cast<int64_t>(ir::Range::kMinMax)) {
      return;
    }
    from_set_ = false;
    std::vector<std::vector<Element>> operands(statement.operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t count = program_.TypeOf(statement.operands[k]).NumElements();
      for (int64_t i = 0; i < count; ++i) operands[k].push_back(Draw(statement, k, i));
    }
    checker_.CheckWhole(formula.whole(program_.TypeOf(statement.results[0]), operands), from_set_);
  }

  // Where each written value goes has to be known: an index that is a set has no one answer.
  void Folds(const ir::Statement& statement, const Formula& formula,
             const FormulaContext& context) {
    const Shape& shape = program_.TypeOf(statement.operands[0]).shape;
    if (!evaluation_.values[statement.operands[1]].consumed->AllPoints()) return;
    const ScatterShapes shapes = {.whole = shape,
                                  .index = program_.TypeOf(statement.operands[1]).shape,
                                  .values = program_.TypeOf(statement.operands[2]).shape};
    const auto index_at = [&](int64_t i) { return Draw(statement, 1, i).integer; };
    std::vector<std::vector<int64_t>> written(At(shape.NumElements()));
    for (int64_t i = 0; i < shapes.values.NumElements(); ++i) {
      const int64_t place =
          ScatterPlace(ir::InfoOf(statement.op), statement.attributes, shapes, i, index_at);
      written[At(place)].push_back(i);
    }
    std::vector<Element> values;
    Spread(shape.NumElements(), kResultsMax, [&](int64_t i) {
      from_set_ = false;
      values.clear();
      for (const int64_t from : written[At(i)]) values.push_back(Draw(statement, 2, from));
      Check(i, formula.fold(context, Draw(statement, 0, i), values), values);
    });
  }

  void Check(int64_t index, const Element& exact, std::span<const Element> operands,
             size_t result = 0) {
    checker_.Check(index, exact, operands, from_set_, result);
  }

  const ir::Program& program_;
  const uint64_t seed_;
  const reference::Evaluation evaluation_;
  Checker checker_;
  uint64_t random_;
  std::vector<ValueId> root_;  // by value: what it is a clone of, else itself
  std::vector<Element> scalars_;
  std::vector<DecodedTensor> decoded_;  // by operand, of quantized ones
  ir::Dtype decoded_to_ = ir::Dtype::kF32;
  bool from_set_ = false;
};

}  // namespace

CertifyKind CertifyKindOf(ir::Opcode op, ir::Dtype dtype) {
  const ir::OpInfo& info = ir::InfoOf(op);
  const bool moves = ir::MovesBits(op) || (ir::HasTrait(op, ir::kCreation) &&
                                           info.accuracy == ir::AccuracyClass::kExact);
  if (moves) return CertifyKind::kExact;
  const bool rounds =
      info.dtype_rule == ir::DtypeRule::kCast && info.accuracy == ir::AccuracyClass::kRounded;
  const bool floats = ir::IsFloat(dtype) || dtype == ir::Dtype::kQuantized;
  if (!floats && !rounds) return CertifyKind::kExact;
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
