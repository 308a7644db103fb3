// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/classify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, kOpKindCount> kKindNames = {
    "input",       "elementwise", "mask",       "cast",      "creation", "view",
    "join",        "indexing",    "scattering", "reduction", "scan",     "sort",
    "contraction", "rowwise",     "quantize",   "dequantize"};
constexpr std::array<std::string_view, kDtypeClassCount> kDtypeNames = {
    "f64", "f32", "half", "signed", "unsigned", "bool", "quantized"};
constexpr std::array<std::string_view, kLayoutClassCount> kLayoutNames = {
    "contiguous", "permuted", "padded", "offset", "negative", "broadcast", "view"};
constexpr std::array<std::string_view, kTransactionMixCount> kMixNames = {
    "empty", "plain-only", "quantized-only", "quantized-first", "quantized-last", "interleaved"};

OpKind FindKind(const ir::OpInfo& info) {
  constexpr std::pair<ir::Traits, OpKind> kByTrait[] = {
      {ir::kView, OpKind::kView},          {ir::kJoin, OpKind::kJoin},
      {ir::kIndexing, OpKind::kIndexing},  {ir::kScattering, OpKind::kScattering},
      {ir::kReducing, OpKind::kReduction}, {ir::kScanning, OpKind::kScan},
      {ir::kSorting, OpKind::kSort},       {ir::kContraction, OpKind::kContraction},
      {ir::kRowwise, OpKind::kRowwise},    {ir::kQuantizing, OpKind::kQuantize},
      {ir::kCreation, OpKind::kCreation},  {ir::kSelecting, OpKind::kMask},
  };
  for (const auto& [trait, kind] : kByTrait) {
    if ((info.traits & trait) != 0) return kind;
  }
  if (info.dtype_rule == ir::DtypeRule::kCast) return OpKind::kCast;
  if (info.dtype_rule == ir::DtypeRule::kDequantize) return OpKind::kDequantize;
  return OpKind::kElementwise;
}

}  // namespace

OpKind KindOf(ir::Opcode op) {
  static const auto kKinds = [] {
    std::array<OpKind, ir::kOpcodeCount> kinds = {};
    for (const ir::OpInfo& info : ir::AllOps()) {
      kinds[static_cast<size_t>(info.op)] = FindKind(info);
    }
    return kinds;
  }();
  return kKinds[static_cast<size_t>(op)];
}

std::string_view OpKindName(OpKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

DtypeClass ClassOf(ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF64:
      return DtypeClass::kF64;
    case ir::Dtype::kF32:
      return DtypeClass::kF32;
    case ir::Dtype::kF16:
    case ir::Dtype::kBf16:
      return DtypeClass::kHalf;
    case ir::Dtype::kBool:
      return DtypeClass::kBool;
    case ir::Dtype::kQuantized:
      return DtypeClass::kQuantized;
    default:
      return ir::IsSigned(dtype) ? DtypeClass::kSigned : DtypeClass::kUnsigned;
  }
}

std::string_view DtypeClassName(DtypeClass c) { return kDtypeNames[static_cast<size_t>(c)]; }

LayoutClass ClassOf(const ir::Layout& layout, const ir::Shape& shape) {
  if (layout.strides.empty()) {
    return layout.offset > 0 ? LayoutClass::kOffset : LayoutClass::kContiguous;
  }
  bool negative = false;
  bool broadcast = false;
  bool permuted = false;
  bool padded = false;
  int64_t dense = 1;
  int64_t last = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t stride = layout.strides[static_cast<size_t>(axis)];
    if (shape[axis] <= 1) continue;
    negative = negative || stride < 0;
    broadcast = broadcast || stride == 0;
    const int64_t size = std::abs(stride);
    permuted = permuted || size < last;
    padded = padded || size != dense;
    dense *= shape[axis];
    last = size;
  }
  if (broadcast) return LayoutClass::kBroadcast;
  if (negative) return LayoutClass::kNegative;
  if (permuted) return LayoutClass::kPermuted;
  if (padded) return LayoutClass::kPadded;
  return layout.offset > 0 ? LayoutClass::kOffset : LayoutClass::kContiguous;
}

std::string_view LayoutClassName(LayoutClass c) { return kLayoutNames[static_cast<size_t>(c)]; }

std::vector<LayoutClass> LayoutsOf(const ir::Program& program) {
  std::vector<LayoutClass> layouts(program.values.size(), LayoutClass::kContiguous);
  for (const ir::Statement& s : program.statements) {
    switch (s.kind) {
      case ir::StatementKind::kInput:
        layouts[s.results[0]] = ClassOf(s.layout, program.TypeOf(s.results[0]).shape);
        break;
      case ir::StatementKind::kClone:
        layouts[s.results[0]] = layouts[s.operands[0]];
        break;
      case ir::StatementKind::kApply:
        if (!ir::IsView(s.op)) break;
        for (const ir::ValueId result : s.results) layouts[result] = LayoutClass::kView;
        break;
      default:
        break;
    }
  }
  return layouts;
}

int SchemeClassOf(const ir::Type& type) {
  const ir::Scheme& scheme = type.scheme();
  const auto value = static_cast<int>(scheme.value);
  const int store = scheme.store == ir::QStore::kNative ? 0 : scheme.packed_dim == 0 ? 1 : 2;
  int level = 0;
  if (!scheme.per_tensor()) {
    level = 1;
    const auto block = ir::BlockExtents(scheme, type.shape);
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      if (type.shape[axis] % block[static_cast<size_t>(axis)] != 0) level = 2;
    }
  }
  return (value * 3 + store) * 3 + level;
}

std::string SchemeClassName(int scheme_class) {
  constexpr std::string_view kStores[] = {"native", "packed", "packed-outer"};
  constexpr std::string_view kLevels[] = {"tensor", "block", "partial-block"};
  std::string name(ir::QValueName(static_cast<ir::QValue>(scheme_class / 9)));
  name += '-';
  name += kStores[scheme_class / 3 % 3];
  name += '-';
  name += kLevels[scheme_class % 3];
  return name;
}

TransactionMix MixOf(const ir::Program& program, const ir::Statement& read) {
  if (read.operands.empty()) return TransactionMix::kEmpty;
  // Changes between quantized and plain, in the order asked.
  int changes = 0;
  size_t quantized = 0;
  for (size_t i = 0; i < read.operands.size(); ++i) {
    const bool is = program.TypeOf(read.operands[i]).quantized();
    quantized += is ? 1 : 0;
    if (i > 0 && is != program.TypeOf(read.operands[i - 1]).quantized()) ++changes;
  }
  if (quantized == 0) return TransactionMix::kPlainOnly;
  if (quantized == read.operands.size()) return TransactionMix::kQuantizedOnly;
  if (changes > 1) return TransactionMix::kInterleaved;
  return program.TypeOf(read.operands[0]).quantized() ? TransactionMix::kQuantizedFirst
                                                      : TransactionMix::kQuantizedLast;
}

std::string_view TransactionMixName(TransactionMix mix) {
  return kMixNames[static_cast<size_t>(mix)];
}

int SizeClass(uint64_t size) {
  if (size <= 2) return static_cast<int>(size);
  return 1 + static_cast<int>(std::bit_width(size - 1));
}

uint64_t LargestOfSizeClass(int size_class) {
  return size_class <= 2 ? static_cast<uint64_t>(size_class) : uint64_t{1} << (size_class - 1);
}

}  // namespace faultline::harness
