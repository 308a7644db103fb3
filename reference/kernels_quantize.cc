// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantize and dequantize, by quantized.h.

#include <algorithm>

#include "reference/kernel.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

void PutNaive(const Call<Sets>& call) {
  for (int64_t i = 0; i < call.result().size(); ++i) {
    call.result().PutCell(i, call.naive->cells[static_cast<size_t>(i)]);
  }
}

void QuantizeAll(const Call<Exact>& call, ir::Range range) {
  Quantize(call.operand(0), range, call.result());
}

// From points the pinned arithmetic gives points; only a contract that loosens it, or the order of
// the sum of abs_mean, makes sets.
void QuantizeAll(const Call<Sets>& call, ir::Range range) {
  const Contract& contract = call.contract();
  if (!call.operand(0).AllPoints() || !IsPinnedQuantize(contract) || range != ir::Range::kMinMax) {
    return Quantize(contract, call.operand(0), range, call.result());
  }
  PutNaive(call);
}

void QuantizeWithAll(const Call<Exact>& call, const Points* third) {
  QuantizeWith(call.operand(0), call.operand(1), third, call.result());
}

void QuantizeWithAll(const Call<Sets>& call, const Enclosure* third) {
  const bool points = std::ranges::all_of(call.operands, &Enclosure::AllPoints);
  if (points && IsPinnedQuantize(call.contract())) return PutNaive(call);
  QuantizeWith(call.contract(), call.operand(0), call.operand(1), third, call.result());
}

void DequantizeAll(const Call<Exact>& call) { Dequantize(call.operand(0), call.result()); }

void DequantizeAll(const Call<Sets>& call) {
  Dequantize(call.contract(), call.operand(0), call.algebra.wide(), call.result());
}

}  // namespace

FAULTLINE_KERNEL(Quantize) {
  QuantizeAll(call, static_cast<ir::Range>(call.attributes.Int(ir::AttributeKey::kRange)));
}

FAULTLINE_KERNEL(QuantizeWith) {
  QuantizeWithAll(call, call.operands.size() > 2 ? call.operands[2] : nullptr);
}

FAULTLINE_KERNEL(Dequantize) { DequantizeAll(call); }

}  // namespace faultline::reference
