// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/seen_operands.h"

#include <algorithm>
#include <cmath>

#include "ir/base/small_vector.h"
#include "ir/infer.h"
#include "reference/algebra.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

bool IsQuantized(const Enclosure* operand) { return operand->type().quantized(); }

// What only moves bits does not look at them.
bool LooksAtNumbers(const ir::Statement& application) {
  if (ir::HasTrait(application.op, ir::kScattering)) {
    return application.attributes.Int(ir::AttributeKey::kUpdate) !=
           static_cast<int64_t>(ir::Update::kAssign);
  }
  return !ir::HasTrait(application.op, ir::kView | ir::kJoin | ir::kIndexing | ir::kSelecting);
}

bool IsSubnormal(ir::Dtype dtype, double value) {
  return value != 0 && std::fabs(value) < FormatOf(ComputeDtype(dtype)).min_normal;
}

bool MayBeSubnormal(const Enclosure& floats, int64_t i) {
  if (floats.IsPoint(i)) return IsSubnormal(floats.dtype(), AsFloat(floats.PointAt(i)));
  return true;
}

}  // namespace

Enclosure Flushed(const Contract& contract, const Enclosure& floats) {
  const Sets sets(contract, floats.dtype(), floats.dtype());
  Enclosure flushed = Enclosure::ToFill(floats.type());
  for (int64_t i = 0; i < floats.size(); ++i) {
    if (MayBeSubnormal(floats, i)) {
      flushed.Put(i, sets.Flushed(floats.FloatAt(i)));
    } else {
      flushed.PutCell(i, floats.PointAt(i));
    }
  }
  return flushed;
}

SeenOperands::SeenOperands(const Contract& contract, const ir::Statement& application,
                           Nature* nature, std::span<const Points*> naive,
                           std::span<const Enclosure*> sets) {
  if (ir::DecodesOperands(application.op) && std::ranges::any_of(sets, IsQuantized)) {
    Decode(contract, naive, sets);
  }
  if (contract.may_flush && LooksAtNumbers(application)) Flush(contract, nature, naive, sets);
}

void SeenOperands::Decode(const Contract& contract, std::span<const Points*> naive,
                          std::span<const Enclosure*> sets) {
  decoded_ = true;
  ir::SmallVector<ir::Type, 3> types;
  for (const Enclosure* operand : sets) types.push_back(operand->type());
  dtype_ = ir::ComputeDtype(types);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (!IsQuantized(sets[i])) continue;
    points_.push_back(std::make_shared<const Points>(Decoded(*naive[i], dtype_)));
    // The points of an enclosure may be others than the naive ones.
    const auto own = sets[i]->AllPoints() && sets[i]->points().get() != naive[i]
                         ? std::make_shared<const Points>(Decoded(*sets[i]->points(), dtype_))
                         : points_.back();
    sets_.push_back(std::make_unique<const Enclosure>(Decoded(contract, *sets[i], own)));
    naive[i] = points_.back().get();
    sets[i] = sets_.back().get();
  }
}

void SeenOperands::Flush(const Contract& contract, Nature* nature, std::span<const Points*> naive,
                         std::span<const Enclosure*> sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    if (IsQuantized(sets[i]) || !sets[i]->is_float()) continue;
    bool some = false;
    for (int64_t k = 0; k < sets[i]->size(); ++k) some = some || MayBeSubnormal(*sets[i], k);
    if (!some) continue;
    sets_.push_back(std::make_unique<const Enclosure>(Flushed(contract, *sets[i])));
    sets[i] = sets_.back().get();
    if (nature == nullptr) continue;
    auto seen = std::make_shared<Points>(*naive[i]);
    const ir::Dtype dtype = ComputeDtype(seen->type.dtype());
    for (Cell& cell : seen->cells) {
      if (IsSubnormal(dtype, AsFloat(cell))) cell = ToCell(nature->Flushed(dtype, AsFloat(cell)));
    }
    points_.push_back(std::move(seen));
    naive[i] = points_.back().get();
  }
}

}  // namespace faultline::reference
