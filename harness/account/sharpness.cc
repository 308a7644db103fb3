// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/sharpness.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "ir/element.h"
#include "ir/infer.h"
#include "reference/held.h"
#include "reference/quantized.h"

namespace faultline::harness {
namespace {

using reference::Enclosure;
using reference::FloatSet;
using reference::Points;

// Sets at least this wide to each side, in ulp, have ends that one rounding does not decide.
constexpr double kWideUlp = 8;

size_t At(int64_t i) { return static_cast<size_t>(i); }

// The values of a tensor, or their magnitudes where it is one of floats.
ir::DataPtr MagnitudesOf(const Points& points) {
  auto data = std::make_shared<ir::DataSpec>();
  const ir::Dtype dtype = points.type.dtype();
  for (const reference::Cell cell : points.cells) {
    const bool is_float = ir::IsFloat(dtype);
    data->elements.push_back(reference::Store(
        dtype, is_float ? reference::ToCell(std::fabs(reference::AsFloat(cell))) : cell));
  }
  return data;
}

// The op on the magnitudes of its operands: for a sum the sum of |x|, for a product of matrices
// |A||B|. An error bound of a sum is relative to this, whatever cancels in the result. Quantized
// operands are taken for what they decode to.
std::shared_ptr<const Points> ApplyToMagnitudes(const ir::Program& program,
                                                const reference::Contract& contract,
                                                const reference::Evaluation& evaluation,
                                                const ir::Statement& statement) {
  ir::Program one;
  ir::Statement apply = statement;
  if (apply.op == ir::Opcode::kQMatmul) apply.op = ir::Opcode::kMatmul;
  std::vector<ir::Type> types;
  for (const ir::ValueId operand : apply.operands) types.push_back(program.TypeOf(operand));
  const ir::Dtype decoded = ir::ComputeDtype(types);
  for (ir::ValueId& operand : apply.operands) {
    const Points& points = *evaluation.values[operand].naive;
    ir::Statement input;
    input.kind = ir::StatementKind::kInput;
    ir::Type type = points.type;
    if (type.quantized()) {
      type.element = decoded;
      input.data = MagnitudesOf(reference::Decoded(points, decoded));
    } else {
      input.data = MagnitudesOf(points);
    }
    input.results = {one.AddValue("", type)};
    operand = input.results[0];
    one.statements.push_back(std::move(input));
  }
  for (ir::ValueId& result : apply.results) result = one.AddValue("", program.TypeOf(result));
  one.statements.push_back(apply);
  const reference::Evaluation plain = reference::Evaluate(one, contract, {}, {.enclosures = false});
  return plain.values[apply.results[0]].naive;
}

class Counter {
 public:
  Counter(const ir::Program& program, const reference::Contract& contract,
          const reference::Evaluation& evaluation, Tally& tally)
      : program_(program),
        contract_(contract),
        evaluation_(evaluation),
        tally_(tally),
        maker_(program.values.size(), -1),
        root_(program.values.size()),
        counted_(program.values.size(), false) {
    for (size_t i = 0; i < program.statements.size(); ++i) {
      const ir::Statement& statement = program.statements[i];
      if (statement.kind == ir::StatementKind::kClone) {
        root_[statement.results[0]] = root_[statement.operands[0]];
        continue;
      }
      for (const ir::ValueId result : statement.results) {
        root_[result] = result;
        if (statement.kind == ir::StatementKind::kApply) maker_[result] = static_cast<int>(i);
      }
    }
  }

  void Count(ir::ValueId value, const ir::HostTensor& tensor) {
    const ir::ValueId root = root_[value];
    if (counted_[root] || maker_[root] < 0) return;
    counted_[root] = true;
    const ir::Statement& statement = program_.statements[At(maker_[root])];
    const Enclosure& enclosure = *evaluation_.values[root].enclosure;
    OpTally& op = tally_.ops[{statement.op, CountedDtype(program_, statement)}];
    const reference::Membership membership = reference::Check(enclosure, tensor, contract_);
    op.compared += membership.compared;
    op.exact += membership.exact;
    op.vacuous += membership.vacuous;
    if (!enclosure.is_float()) return;
    op.compared_float += membership.compared;
    op.exact_float += membership.exact;
    if (!enclosure.AllPoints()) CountRadii(statement, enclosure, tensor, op);
  }

 private:
  void CountRadii(const ir::Statement& statement, const Enclosure& enclosure,
                  const ir::HostTensor& tensor, OpTally& op) const {
    const ir::Dtype dtype = enclosure.dtype();
    std::shared_ptr<const Points> magnitudes;
    if (ir::InfoOf(statement.op).accuracy == ir::AccuracyClass::kAccumulate &&
        statement.results.size() == 1) {
      magnitudes = ApplyToMagnitudes(program_, contract_, evaluation_, statement);
    }
    for (int64_t i = 0; i < enclosure.size(); ++i) {
      if (enclosure.IsPoint(i) || enclosure.Unbounded(i)) continue;
      const double radius = enclosure.RadiusUlp(i);
      if (!std::isfinite(radius)) continue;
      op.radius.Add(radius);
      const FloatSet set = enclosure.FloatAt(i);
      if (set.lo() < 0 && set.hi() > 0) ++op.straddling;
      const double half = set.hi() / 2 - set.lo() / 2;
      op.radius_own.Add(magnitudes == nullptr ? radius
                                              : half / UnitOf(dtype, set, magnitudes->Float(i)));
      if (half == 0) continue;  // either zero
      const uint64_t bits =
          ir::LoadElement(dtype, tensor.bytes.data() + At(i) * At(ir::ByteSize(dtype)));
      const double reach = ReachOf(set, ir::ToDouble(dtype, bits));
      op.reach = std::max(op.reach, reach);
      if (radius >= kWideUlp) op.reach_wide = std::max(op.reach_wide, reach);
    }
  }

  // In long double, because the middle of neighbouring f64 values is none.
  static double ReachOf(const FloatSet& set, double value) {
    const long double lo = set.lo();
    const long double hi = set.hi();
    const long double middle = hi / 2 + lo / 2;
    return static_cast<double>(std::fabs(value - middle) / (hi / 2 - lo / 2));
  }

  // The ulp of the magnitudes, or of the set's larger end where that is greater (operands that are
  // sets themselves) or the magnitudes overflow.
  static double UnitOf(ir::Dtype dtype, const FloatSet& set, double magnitude) {
    const double larger = std::max(std::fabs(set.lo()), std::fabs(set.hi()));
    if (!std::isfinite(magnitude)) return reference::UlpOf(dtype, larger);
    return reference::UlpOf(dtype, std::max(larger, magnitude));
  }

  const ir::Program& program_;
  const reference::Contract& contract_;
  const reference::Evaluation& evaluation_;
  Tally& tally_;
  std::vector<int> maker_;         // by value: its application, or -1
  std::vector<ir::ValueId> root_;  // by value: what it is a clone of, else itself
  std::vector<bool> counted_;      // by root
};

}  // namespace

ir::Dtype CountedDtype(const ir::Program& program, const ir::Statement& application) {
  const ir::ValueId value =
      application.operands.empty() ? application.results[0] : application.operands[0];
  return program.TypeOf(value).dtype();
}

void CountSharpness(const ir::Program& program, const reference::Contract& contract,
                    const reference::Evaluation& evaluation, const Observation& observation,
                    Tally& tally) {
  Counter counter(program, contract, evaluation, tally);
  for (const ReadObservation& read : observation.reads) {
    const ir::Statement& statement = program.statements[At(read.statement)];
    if (!read.status.ok() || read.tensors.size() != statement.operands.size()) continue;
    for (size_t i = 0; i < read.tensors.size(); ++i) {
      counter.Count(statement.operands[i], read.tensors[i]);
    }
  }
}

}  // namespace faultline::harness
