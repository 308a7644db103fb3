// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/scheme_uses.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/campaign/statistic_tables.h"
#include "ir/infer.h"
#include "ir/scheme_matrix.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, kSchemeUseCount> kUseNames = {
    "read", "view_then_read", "matmul", "elementwise", "requantize"};

// Radices of a cell, beside the value and the use.
constexpr size_t kStores = 3;
constexpr size_t kLevels = 3;
constexpr size_t kScales = 5;

ir::ScaleLevel LevelOf(const ir::Scheme& scheme) {
  if (scheme.two_level) return ir::ScaleLevel::kTwoLevel;
  return scheme.per_tensor() ? ir::ScaleLevel::kTensor : ir::ScaleLevel::kBlock;
}

class UseCounter {
 public:
  UseCounter(const ir::Program& program, Statistics& statistics)
      : program_(program), statistics_(statistics), views_(program.values.size(), false) {}

  void Run() {
    for (const ir::Statement& s : program_.statements) {
      if (s.kind == ir::StatementKind::kApply) Apply(s);
      if (s.kind == ir::StatementKind::kClone) views_[s.results[0]] = views_[s.operands[0]];
      if (s.kind != ir::StatementKind::kRead) continue;
      for (const ir::ValueId value : s.operands) {
        Count(value, SchemeUse::kRead);
        if (views_[value]) Count(value, SchemeUse::kViewThenRead);
      }
    }
  }

 private:
  void Count(ir::ValueId value, SchemeUse use) {
    const ir::Type& type = program_.TypeOf(value);
    if (!type.quantized()) return;
    statistics_.Count(StatisticFamily::kSchemeUse, SchemeCellOf(type.scheme(), use));
  }

  void Apply(const ir::Statement& s) {
    const auto quantized = [&](ir::ValueId value) { return program_.TypeOf(value).quantized(); };
    if (std::ranges::none_of(s.operands, quantized)) return;
    const ir::Type& result = program_.TypeOf(s.results[0]);
    bool requantizes = result.quantized();
    if (ir::IsLayoutOp(s.op)) {
      std::vector<ir::Type> types;
      for (const ir::ValueId operand : s.operands) types.push_back(program_.TypeOf(operand));
      for (const ir::ValueId made : s.results) views_[made] = true;
      requantizes = !ir::MovesCodes(s.op, s.attributes, types, result);
    }
    for (const ir::ValueId operand : s.operands) {
      if (ir::HasTrait(s.op, ir::kContraction)) Count(operand, SchemeUse::kMatmul);
      if (ir::IsElementwise(s.op)) Count(operand, SchemeUse::kElementwise);
      if (requantizes) Count(operand, SchemeUse::kRequantize);
    }
  }

  const ir::Program& program_;
  Statistics& statistics_;
  std::vector<bool> views_;
};

}  // namespace

size_t SchemeCellOf(const ir::Scheme& scheme, SchemeUse use) {
  auto cell = static_cast<size_t>(scheme.value);
  cell = cell * kStores + static_cast<size_t>(scheme.store);
  cell = cell * kLevels + static_cast<size_t>(LevelOf(scheme));
  cell = cell * kScales + static_cast<size_t>(scheme.scale);
  return cell * kSchemeUseCount + static_cast<size_t>(use);
}

std::string SchemeCellName(size_t cell) {
  const std::string use(kUseNames[cell % kSchemeUseCount]);
  cell /= kSchemeUseCount;
  const std::string scale(ir::ScaleDtypeName(static_cast<ir::ScaleDtype>(cell % kScales)));
  cell /= kScales;
  const std::string level(ir::ScaleLevelName(static_cast<ir::ScaleLevel>(cell % kLevels)));
  cell /= kLevels;
  const std::string store(ir::QStoreName(static_cast<ir::QStore>(cell % kStores)));
  const std::string value(ir::QValueName(static_cast<ir::QValue>(cell / kStores)));
  return value + "/" + store + "/" + level + "/" + scale + "/" + use;
}

std::vector<size_t> ReachableSchemeCells() {
  std::vector<size_t> cells;
  for (const ir::SchemeCase& it : ir::SchemeMatrix()) {
    if (!it.refusal.ok()) continue;
    for (int use = 0; use < kSchemeUseCount; ++use) {
      cells.push_back(SchemeCellOf(it.scheme, static_cast<SchemeUse>(use)));
    }
  }
  return cells;
}

void CountSchemeUses(const ir::Program& program, Statistics& statistics) {
  UseCounter(program, statistics).Run();
}

}  // namespace faultline::harness
