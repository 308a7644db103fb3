// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "harness/oracle/pattern.h"
#include "ir/element.h"
#include "ir/scheme.h"

namespace faultline::harness {
namespace {

using reference::Enclosure;
using reference::Outside;
using reference::Part;

std::string_view DtypeClass(ir::Dtype dtype) {
  if (dtype == ir::Dtype::kQuantized) return "quantized";
  if (dtype == ir::Dtype::kBool) return "bool";
  return ir::IsFloat(dtype) ? "float" : "int";
}

std::string_view PartName(const ir::Type& type, Part part) {
  switch (part) {
    case Part::kElement:
      return type.quantized() ? "code" : "";
    case Part::kScale:
      return "scale";
    case Part::kZeroPoint:
      return "zero point";
    case Part::kTensorScale:
      return "tensor scale";
    case Part::kPadding:
      return "padding";
  }
  return "";
}

// What a float that left its set did wrong.
Aspect AspectOfFloat(const Enclosure& enclosure, const Outside& outside) {
  const ir::Dtype dtype = enclosure.dtype();
  const double actual = ir::ToDouble(dtype, outside.actual);
  if (!std::isfinite(actual)) return Aspect::kNonFinite;
  const reference::FloatSet set = enclosure.FloatAt(outside.index);
  if (set.count == 0) return Aspect::kNonFinite;
  if (actual == 0 && set.ContainsZero()) return Aspect::kZeroSign;
  return Aspect::kNumber;
}

// One word for all the elements shown: a number beats a class, a class beats the sign of a zero,
// because reduction meets them in any order.
Aspect AspectOf(const Enclosure& enclosure, const reference::Membership& membership) {
  if (!membership.same_type) return Aspect::kType;
  bool non_finite = false;
  for (const Outside& outside : membership.worst) {
    if (outside.part != Part::kElement) return Aspect::kScale;
    if (enclosure.type().quantized()) return Aspect::kCode;
    if (!enclosure.is_float()) return Aspect::kNumber;
    const Aspect aspect = AspectOfFloat(enclosure, outside);
    if (aspect == Aspect::kNumber) return aspect;
    non_finite |= aspect == Aspect::kNonFinite;
  }
  return non_finite ? Aspect::kNonFinite : Aspect::kZeroSign;
}

ElementEvidence EvidenceOf(const reference::Evaluated& evaluated, const Outside& outside) {
  const Enclosure& enclosure = *evaluated.enclosure;
  ElementEvidence evidence;
  evidence.index = outside.index;
  evidence.part = PartName(enclosure.type(), outside.part);
  evidence.expected = outside.admissible;
  evidence.actual = PrintPart(enclosure.type(), outside.part, outside.actual);
  evidence.ulp = outside.distance_ulp;
  if (outside.part == Part::kElement && !enclosure.type().quantized()) {
    const reference::Cell naive = evaluated.naive->cells[static_cast<size_t>(outside.index)];
    evidence.naive =
        ir::PrintElement(enclosure.dtype(), reference::Store(enclosure.dtype(), naive));
    if (enclosure.is_float() && !enclosure.IsPoint(outside.index)) {
      const double radius = enclosure.RadiusUlp(outside.index);
      if (radius > 0 && std::isfinite(radius))
        evidence.widths = outside.distance_ulp / (2 * radius);
    }
  }
  return evidence;
}

std::string Sentence(const Verdict& verdict) {
  if (verdict.worst.empty()) {
    return fmt::format("%{} ({}) is not admissible", verdict.value, verdict.type);
  }
  const ElementEvidence& first = verdict.worst.front();
  const std::string ulp = std::isfinite(first.ulp) && first.ulp > 0
                              ? fmt::format(", {:.6g} ulp outside", first.ulp)
                              : std::string();
  return fmt::format("%{} ({}): {}{} {} is {}, admissible is {}{}; {} of {} elements wrong ({})",
                     verdict.value, verdict.type, first.part, first.part.empty() ? "element" : "",
                     first.index, first.actual, first.expected, ulp, verdict.mismatches,
                     verdict.elements, PatternName(verdict.pattern));
}

}  // namespace

std::string PrintPart(const ir::Type& type, Part part, uint64_t bits) {
  if (!type.quantized()) return ir::PrintElement(type.dtype(), bits);
  const ir::Scheme& scheme = type.scheme();
  switch (part) {
    case Part::kElement:
      if (!ir::IsIntegerCode(scheme.value)) return fmt::format("0x{:02x}", bits);
      return fmt::format("{}", std::bit_cast<int64_t>(bits));
    case Part::kScale:
      if (scheme.scale == ir::ScaleDtype::kF32) return ir::PrintElement(ir::Dtype::kF32, bits);
      if (scheme.scale == ir::ScaleDtype::kF16) return ir::PrintElement(ir::Dtype::kF16, bits);
      if (scheme.scale == ir::ScaleDtype::kBf16) return ir::PrintElement(ir::Dtype::kBf16, bits);
      return fmt::format("0x{:02x}", bits);
    case Part::kZeroPoint:
      return fmt::format("{}", std::bit_cast<int64_t>(bits));
    case Part::kTensorScale:
      return ir::PrintElement(ir::Dtype::kF32, bits);
    case Part::kPadding:
      return fmt::format("0x{:02x}", bits);
  }
  return {};
}

void DescribeValue(const ir::Program& program, ir::ValueId value, Verdict& verdict) {
  const ir::Type& type = program.TypeOf(value);
  verdict.value = program.values[value].name;
  verdict.type = ir::PrintType(type);
  verdict.dtype_class = DtypeClass(type.dtype());
  verdict.elements = type.NumElements();
  // A clone is the value it was made of.
  for (bool found = true; found;) {
    found = false;
    for (const ir::Statement& statement : program.statements) {
      if (std::ranges::find(statement.results, value) == statement.results.end()) continue;
      if (statement.kind == ir::StatementKind::kApply) verdict.op = statement.op;
      if (statement.kind != ir::StatementKind::kClone) return;
      value = statement.operands[0];
      found = true;
      break;
    }
  }
}

void DescribeMismatch(const reference::Evaluated& evaluated,
                      const reference::Membership& membership, const ir::HostTensor& observed,
                      Verdict& verdict) {
  const Enclosure& enclosure = *evaluated.enclosure;
  verdict.kind = VerdictKind::kDivergence;
  verdict.aspect = AspectOf(enclosure, membership);
  if (!membership.same_type) {
    verdict.message = fmt::format("%{} is {} of {} bytes, expected {} of {} bytes", verdict.value,
                                  ir::PrintType(observed.type), observed.bytes.size(),
                                  ir::PrintType(enclosure.type()), enclosure.type().HostBytes());
    return;
  }
  verdict.mismatches = membership.outside_count;
  verdict.pattern = PatternOf(membership.outside_elements, enclosure.type().shape);
  verdict.wrong = membership.outside_elements;
  if (verdict.wrong.size() > Verdict::kWrongMax) verdict.wrong.resize(Verdict::kWrongMax);
  for (const Outside& outside : membership.worst) {
    verdict.worst.push_back(EvidenceOf(evaluated, outside));
  }
  std::ranges::sort(verdict.worst, [](const ElementEvidence& a, const ElementEvidence& b) {
    return a.ulp != b.ulp ? a.ulp > b.ulp : a.index < b.index;
  });
  if (verdict.worst.size() > Verdict::kWorstMax) verdict.worst.resize(Verdict::kWorstMax);
  verdict.message = Sentence(verdict);
}

}  // namespace faultline::harness
