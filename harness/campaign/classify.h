// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Classes that features and statistics count by: coarser than opcodes, dtypes, layouts and schemes.

#ifndef HARNESS_CAMPAIGN_CLASSIFY_H_
#define HARNESS_CAMPAIGN_CLASSIFY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"

namespace faultline::harness {

// What matters of an op to a planner.
enum class OpKind : uint8_t {
  kInput,
  kElementwise,
  kMask,
  kCast,
  kCreation,
  kView,
  kJoin,
  kIndexing,
  kScattering,
  kReduction,
  kScan,
  kSort,
  kContraction,
  kRowwise,
  kQuantize,
  kDequantize,
};
inline constexpr int kOpKindCount = 16;
OpKind KindOf(ir::Opcode op);
std::string_view OpKindName(OpKind kind);

enum class DtypeClass : uint8_t { kF64, kF32, kHalf, kSigned, kUnsigned, kBool, kQuantized };
inline constexpr int kDtypeClassCount = 7;
DtypeClass ClassOf(ir::Dtype dtype);
std::string_view DtypeClassName(DtypeClass c);

// How a value lies in memory, as far as the program says. A result of an op that is no view is
// kContiguous.
enum class LayoutClass : uint8_t {
  kContiguous,
  kPermuted,
  kPadded,  // gaps between rows or elements
  kOffset,
  kNegative,
  kBroadcast,
  kView,  // the result of a view op
};
inline constexpr int kLayoutClassCount = 7;
LayoutClass ClassOf(const ir::Layout& layout, const ir::Shape& shape);
std::string_view LayoutClassName(LayoutClass c);
// By value id.
std::vector<LayoutClass> LayoutsOf(const ir::Program& program);

// Value x store x level of a scheme.
inline constexpr int kSchemeClassCount = ir::kQValueCount * 3 * 3;
int SchemeClassOf(const ir::Type& type);
std::string SchemeClassName(int scheme_class);

// What is read together.
enum class TransactionMix : uint8_t {
  kEmpty,
  kPlainOnly,
  kQuantizedOnly,
  kQuantizedFirst,
  kQuantizedLast,
  kInterleaved,
};
inline constexpr int kTransactionMixCount = 6;
TransactionMix MixOf(const ir::Program& program, const ir::Statement& read);
std::string_view TransactionMixName(TransactionMix mix);

// 0, 1, 2, 3-4, 5-8, ... as 0, 1, 2, 3, 4, ...
int SizeClass(uint64_t size);
// The largest size of a class, for names.
uint64_t LargestOfSizeClass(int size_class);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_CLASSIFY_H_
