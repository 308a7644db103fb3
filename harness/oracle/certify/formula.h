// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What an op is, once more: written for certification from the pinned semantics alone, over real
// numbers, without a look at the reference. An op without a formula is not certified, and named.
//
// A formula gives one execution that the contract permits: each step that is pinned as correctly
// rounded is, functions are the exact real number rounded, and sums and products are taken in an
// order drawn at random, or exactly where they are long. The unrounded formula would not do:
// softmax subtracts the maximum with a rounding that moves its result by many ulp, and the exact
// sum of three numbers may be the result of no order; correct results are with those who round.

#ifndef HARNESS_ORACLE_CERTIFY_FORMULA_H_
#define HARNESS_ORACLE_CERTIFY_FORMULA_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/data.h"
#include "ir/dtype.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::harness {

// One element: of a float dtype its value, else `integer` (u64 above INT64_MAX as its two's
// complement, bools 0 or 1).
struct Element {
  double real = 0;
  int64_t integer = 0;
};

struct FormulaContext {
  ir::Dtype operand;  // of operand 0
  ir::Dtype compute;  // in which steps are rounded: f32 for f16 and bf16
  ir::Dtype result;
  std::span<const Element> scalars;
  const ir::Attributes& attributes;
  uint64_t* random;  // what a formula draws from
  // Elementwise: the row-major place of the element in the result.
  int64_t position = 0;
  // Of a row: the elements of each operand but the first that belong to those of the row.
  std::span<const std::vector<Element>> others = {};
};

struct Formula {
  ir::Opcode op;
  // Exactly one of these. Elementwise: from one element of each operand, broadcast.
  Element (*element)(const FormulaContext&, std::span<const Element> operands) = nullptr;
  // Along the row that the op is about (places.h): from elements of operand 0 the one result of a
  // reduction, or those of each position.
  void (*row)(const FormulaContext&, std::span<const Element> row,
              std::vector<Element>& results) = nullptr;
  // Beside `row`: the same for the second result of the op.
  void (*second)(const FormulaContext&, std::span<const Element> row,
                 std::vector<Element>& results) = nullptr;
  // A matmul: from a row of operand 0 and a column of operand 1, then, of a bias, itself and 1.
  Element (*dot)(const FormulaContext&, std::span<const double> a,
                 std::span<const double> b) = nullptr;
  // Beside `dot`: the same of integer codes whose scales are those of the whole row and column.
  Element (*codes)(const FormulaContext&, std::span<const double> a, std::span<const double> b,
                   std::pair<double, double> scales) = nullptr;
  // A quantize: from all elements of the operands the whole result.
  ir::HostTensor (*whole)(const ir::Type& result,
                          std::span<const std::vector<Element>> operands) = nullptr;
  // A scatter of any form: from the element that is written to and what is written there, in
  // row-major order of what is written.
  Element (*fold)(const FormulaContext&, const Element& element,
                  std::span<const Element> written) = nullptr;
};

// Null: none is known.
const Formula* FindFormula(ir::Opcode op);

// The tables behind it.
std::span<const Formula> ElementwiseFormulas();
std::span<const Formula> ExponentialFormulas();
std::span<const Formula> FunctionFormulas();
std::span<const Formula> MomentFormulas();
std::span<const Formula> RandomFormulas();
std::span<const Formula> RowFormulas();

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_FORMULA_H_
