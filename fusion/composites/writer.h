// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Writes an expansion, one primitive at a time, with the types that follow. f16 and bf16 are
// widened once at the beginning and rounded once at the end: what lies between is f32.

#ifndef FUSION_COMPOSITES_WRITER_H_
#define FUSION_COMPOSITES_WRITER_H_

#include <cstdint>
#include <span>

#include "fusion/composites/expansion.h"
#include "ir/shape.h"

namespace faultline::fusion {

class ExpansionWriter {
 public:
  // A value of the expansion.
  struct Value {
    uint32_t number;
    ir::Type type;
  };

  explicit ExpansionWriter(const CompositeCall& call) : call_(call) {}
  const CompositeCall& call() const { return call_; }
  size_t operand_count() const { return call_.operands.size(); }
  Value Operand(size_t i) const { return {static_cast<uint32_t>(i), call_.operands[i]}; }
  int64_t dim() const { return call_.attributes.dim(); }
  // The composite's scalar i as one of dtype `dtype`, which holds it exactly.
  ir::Scalar ScalarAs(ir::Dtype dtype, size_t i) const;

  // The dtype to compute in: f32 for f16 and bf16.
  ir::Dtype compute() const;
  Value Widened(size_t i) { return Cast(Operand(i), compute()); }
  // The composite's result from a value of its shape.
  void Finish(const Value& value);

  Value Cast(const Value& x, ir::Dtype dtype);
  Value Unary(ir::Opcode op, const Value& x);
  Value Binary(ir::Opcode op, const Value& x, const Value& y);
  // A comparison with, or arithmetic by, a scalar.
  Value ByScalar(ir::Opcode op, const Value& x, const ir::Scalar& scalar);
  // Along `dim`, which becomes 1.
  Value Reduce(ir::Opcode op, const Value& x, int64_t dim);
  // Of everything, to shape [1].
  Value ReduceAll(ir::Opcode op, const Value& x);
  Value Where(const Value& mask, const Value& if_true, const Value& if_false);
  Value Iota(const ir::Shape& shape, int64_t dim);
  Value Zeros(ir::Dtype dtype, const ir::Shape& shape);

  Value Reshape(const Value& x, const ir::Shape& shape);
  Value Expand(const Value& x, const ir::Shape& shape);
  // Elements start to start + count * step of one axis.
  Value Slice(const Value& x, int64_t dim, int64_t start, int64_t count, int64_t step = 1);
  Value Cat(std::span<const Value> parts, int64_t dim);
  Value Select(const Value& x, const Value& index, int64_t dim);
  Value Matmul(const Value& x, const Value& y);
  Value Softmax(const Value& x, int64_t dim);

  Expansion Take() { return std::move(ops_); }

 private:
  Value Write(ir::Opcode op, std::span<const Value> operands, const ir::Type& result,
              ir::Attributes attributes = {}, std::vector<ir::Scalar> scalars = {});

  const CompositeCall& call_;
  Expansion ops_;
};

}  // namespace faultline::fusion

#endif  // FUSION_COMPOSITES_WRITER_H_
