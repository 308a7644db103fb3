// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The relative form of a pending segment: everything the planner may look at, and therefore the key
// of the plan cache. Values are numbered by first appearance; extents are symbols (0 and 1 are
// themselves, equal extents share one); scalars and slice bounds are parameters and absent; dtypes,
// schemes, ranks, attributes, layout classes and lifetimes are concrete. A plan made from it cannot
// depend on anything else.

#ifndef FUSION_PLAN_FORM_H_
#define FUSION_PLAN_FORM_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/attributes.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::fusion {

using Symbol = uint32_t;  // index into Bindings::extents; kZeroExtent and kOneExtent are fixed
inline constexpr Symbol kZeroExtent = 0;
inline constexpr Symbol kOneExtent = 1;

enum class LayoutClass : uint8_t {
  kContiguous,     // row-major without gaps
  kRowContiguous,  // innermost stride 1, rows padded or permuted
  kStrided,
};

struct SymbolicShape {
  std::array<Symbol, ir::kRankMax> extents = {};
  int rank = 0;

  std::span<const Symbol> span() const { return {extents.data(), static_cast<size_t>(rank)}; }
  Symbol operator[](int axis) const { return extents[static_cast<size_t>(axis)]; }
  Symbol& operator[](int axis) { return extents[static_cast<size_t>(axis)]; }
  bool operator==(const SymbolicShape& other) const;
};

inline constexpr int32_t kEntering = -1;

struct FormValue {
  ir::ElementType element;
  SymbolicShape shape;
  int32_t producer = kEntering;  // index into Segment::ops
  bool survives = true;          // a handle or a use outside the segment remains
  bool sole_owner = true;        // if it survives: it has had no second handle
  // Entering values only.
  LayoutClass layout = LayoutClass::kContiguous;
  uint8_t broadcast_axes = 0;  // stride 0 although the extent is not 1

  ir::Dtype dtype() const { return element.dtype; }
  bool quantized() const { return element.quantized(); }
};

struct FormOp {
  ir::Opcode op = ir::Opcode::kReshape;
  uint32_t first_operand = 0;  // into Segment::operands
  uint32_t operand_count = 0;
  uint32_t result = 0;
  uint32_t first_scalar = 0;  // into Bindings::scalars
  uint32_t first_slice = 0;   // into Bindings::slices
  bool moves_codes = false;   // ir::MovesCodes, for layout ops on quantized operands
  bool sibling = false;       // makes another result of what the op before it is a part of
  ir::Attributes attributes;  // without slices
};

// A decoded form.
struct Segment {
  bool fusion = true;
  uint64_t chaos = 0;  // seed + 1 of random decisions; 0: by cost
  std::vector<FormValue> values;
  std::vector<FormOp> ops;
  std::vector<uint32_t> operands;

  std::span<const uint32_t> OperandsOf(const FormOp& op) const {
    return {operands.data() + op.first_operand, op.operand_count};
  }
};

// What a form leaves out, bound at each launch.
struct Bindings {
  std::vector<int64_t> extents;  // by symbol
  std::vector<ir::Scalar> scalars;
  std::vector<ir::SliceTriple> slices;

  ir::Shape ShapeOf(const SymbolicShape& shape) const {
    ir::Shape result;
    for (Symbol symbol : shape.span()) result.PushBack(extents[symbol]);
    return result;
  }
};

// Writes a form and its bindings in one pass over the events of a segment. Reused between segments
// so that nothing is allocated once it has grown.
class FormWriter {
 public:
  void Begin(bool fusion, uint64_t chaos);
  // Begins an operation; its operands follow, in order, then its result.
  void BeginOp(ir::Opcode op, int operand_count, bool moves_codes, bool sibling);
  void OldOperand(uint32_t value) { words_.push_back(value); }
  // An entering value that appears for the first time; returns its number.
  uint32_t NewOperand(const ir::Type& type, LayoutClass layout, uint8_t broadcast_axes,
                      bool sole_owner, bool survives);
  // Attributes as (key, count, values...) runs; slices become parameters.
  void Attributes(std::span<const int64_t> runs);
  void Scalar(const ir::Scalar& scalar) { bindings_.scalars.push_back(scalar); }
  uint32_t Result(const ir::Type& type, bool sole_owner, bool survives);

  std::span<const uint32_t> words() const { return words_; }
  uint64_t Hash() const;
  const Bindings& bindings() const { return bindings_; }
  uint32_t value_count() const { return value_count_; }

 private:
  Symbol SymbolOf(int64_t extent);
  void Element(const ir::ElementType& element);
  void Extents(const ir::Shape& shape);

  std::vector<uint32_t> words_;
  Bindings bindings_;
  uint32_t value_count_ = 0;
  std::array<Symbol, 64> memo_ = {};  // by low bits of the extent; a guess that is checked
};

// Requires words that a FormWriter wrote.
Segment DecodeForm(std::span<const uint32_t> words);

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_FORM_H_
