// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/value_steering.h"

#include <algorithm>
#include <cmath>

#include "reference/contract.h"
#include "reference/enclosure.h"

namespace faultline::harness {
namespace {

using reference::AsFloat;
using reference::Cell;
using reference::Enclosure;
using reference::Points;

// How often a poor result is kept all the same, in percent.
constexpr uint32_t kKeepNoNumbers = 8;
constexpr uint32_t kKeepConstant = 35;
constexpr uint32_t kKeepUnbounded = 4;

bool HasNumber(const Points& points) {
  return std::ranges::any_of(points.cells, [](Cell cell) { return std::isfinite(AsFloat(cell)); });
}

bool IsConstant(const Points& points) {
  return points.cells.size() > 2 &&
         std::ranges::all_of(points.cells, [&](Cell cell) { return cell == points.cells[0]; });
}

// Most elements admit everything: nothing about them can fail.
bool IsUnbounded(const Enclosure& enclosure) {
  if (enclosure.AllPoints()) return false;
  int64_t unbounded = 0;
  for (int64_t i = 0; i < enclosure.size(); ++i) unbounded += enclosure.Unbounded(i) ? 1 : 0;
  return 2 * unbounded > enclosure.size();
}

}  // namespace

ValueSteering::ValueSteering(Builder& builder, const GenerateOptions& options)
    : builder_(builder),
      evaluator_(builder.program(),
                 options.contract != nullptr ? *options.contract : reference::FusionCpuContract(),
                 {.enclosures = options.enclosures}) {}

bool ValueSteering::Accepts(ir::ValueId value, ChoiceStream& choices) {
  evaluator_.Run();
  const reference::Evaluated& evaluated = evaluator_.Get(value);
  const Points& points = *evaluated.naive;
  const ir::Type& type = points.type;
  if (ir::IsInt(type.dtype()) && !points.cells.empty() && IsPortable(value) &&
      evaluated.enclosure->AllPoints()) {
    const auto [low, high] = std::ranges::minmax_element(
        points.cells, {}, [](Cell cell) { return reference::AsInt(cell); });
    builder_.SetBounds(value, {true, reference::AsInt(*low), reference::AsInt(*high)});
  }
  if (points.cells.empty()) return true;
  if (IsUnbounded(*evaluated.enclosure)) return choices.Percent(kKeepUnbounded);
  if (ir::IsFloat(type.dtype()) && !HasNumber(points)) return choices.Percent(kKeepNoNumbers);
  if (IsConstant(points)) return choices.Percent(kKeepConstant);
  return true;
}

bool ValueSteering::IsPortable(ir::ValueId value) {
  const ir::Program& program = builder_.program();
  portable_.resize(program.values.size());
  for (; marked_ < program.statements.size(); ++marked_) {
    const ir::Statement& s = program.statements[marked_];
    if (s.results.empty()) continue;
    bool portable = true;
    if (s.kind == ir::StatementKind::kApply) {
      const ir::AccuracyClass accuracy = ir::InfoOf(s.op).accuracy;
      portable =
          accuracy != ir::AccuracyClass::kFunction && accuracy != ir::AccuracyClass::kFormula;
    }
    for (const ir::ValueId operand : s.operands) portable = portable && portable_[operand];
    for (const ir::ValueId result : s.results) portable_[result] = portable;
  }
  return portable_[value];
}

void ValueSteering::Rewind(size_t statements) {
  marked_ = std::min(marked_, statements);
  evaluator_.Rewind(static_cast<int>(statements));
}

}  // namespace faultline::harness
