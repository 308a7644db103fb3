// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/element.h"
#include "ir/print.h"

namespace faultline::harness {

void Checker::Begin(const ir::Statement& statement) {
  statement_ = &statement;
  dtype_ =
      program_.TypeOf(statement.operands.empty() ? statement.results[0] : statement.operands[0])
          .dtype();
  counts_ = &tally_.ops[{statement.op, dtype_}];
}

void Checker::CheckNaive() {
  const reference::Evaluated& result = evaluation_.values[statement_->results[0]];
  const reference::Membership membership =
      reference::Check(*result.enclosure, reference::StoreTensor(*result.naive), contract_);
  if (membership.ok()) return;
  counts_->naive_outside += membership.outside_count;
  NoteWorst(membership, "the naive bits are");
}

void Checker::Check(int64_t index, const Element& exact, std::span<const Element> operands,
                    bool from_set, size_t result) {
  const ir::ValueId value = statement_->results[result];
  const reference::Enclosure& set = *evaluation_.values[value].enclosure;
  const ir::Dtype dtype = set.dtype();
  const uint64_t bits =
      ir::IsFloat(dtype) ? ir::FromDouble(dtype, exact.real) : ir::FromInt(dtype, exact.integer);
  ++counts_->elements;
  if (from_set) ++counts_->from_sets;
  // Which NaN it is, is no matter here: moved ones are, and they are moved, not computed.
  const bool nan = ir::IsFloat(dtype) && std::isnan(exact.real);
  if (nan ? set.FloatAt(index).nan : set.Contains(index, bits)) return;
  ++counts_->violations;
  std::string from;
  for (size_t i = 0; i < std::min<size_t>(operands.size(), 4); ++i) {
    from += fmt::format("{}{:a}", i > 0 ? ", " : "", operands[i].real);
  }
  Note(fmt::format("%{} [{}] is {} of ({}), admitted is {}", program_.values[value].name, index,
                   ir::PrintElement(dtype, bits), from, set.Describe(index)));
}

void Checker::CheckWhole(const ir::HostTensor& exact, bool from_set) {
  const reference::Membership membership =
      reference::Check(*evaluation_.values[statement_->results[0]].enclosure, exact, contract_);
  counts_->elements += exact.type.NumElements();
  if (from_set) counts_->from_sets += exact.type.NumElements();
  if (membership.ok()) return;
  counts_->violations += std::max<int64_t>(membership.outside_count, 1);
  NoteWorst(membership, "MPFR gives");
}

void Checker::NoteWorst(const reference::Membership& membership, std::string_view what) {
  if (membership.worst.empty()) return Note("another type or length");
  const reference::Outside& worst = membership.worst[0];
  Note(fmt::format("%{} [{}]: {} {:#x}, admitted is {}",
                   program_.values[statement_->results[0]].name, worst.index, what, worst.actual,
                   worst.admissible));
}

void Checker::Note(std::string message) {
  if (tally_.violations.size() == CertifyTally::kViolationsMax) return;
  tally_.violations.push_back({statement_->op, dtype_, std::move(message), ir::Print(program_)});
}

}  // namespace faultline::harness
