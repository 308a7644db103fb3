// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The type of a value: dtype (with its scheme if quantized) and shape.

#ifndef IR_TYPE_H_
#define IR_TYPE_H_

#include <cstdint>
#include <string>

#include "ir/dtype.h"
#include "ir/scheme.h"
#include "ir/shape.h"

namespace faultline::ir {

// `scheme` is meaningful only if dtype == kQuantized and stays default otherwise, so that equality
// of members is equality of types.
struct ElementType {
  Dtype dtype = Dtype::kF32;
  Scheme scheme = {};

  ElementType() = default;
  ElementType(Dtype d) : dtype(d) {}  // NOLINT(google-explicit-constructor): a dtype is a type
  explicit ElementType(const Scheme& s) : dtype(Dtype::kQuantized), scheme(s) {}
  bool quantized() const { return dtype == Dtype::kQuantized; }
  bool operator==(const ElementType&) const = default;
};

struct Type {
  ElementType element;
  Shape shape;

  Type() = default;
  Type(ElementType e, Shape s) : element(e), shape(s) {}
  Dtype dtype() const { return element.dtype; }
  const Scheme& scheme() const { return element.scheme; }
  bool quantized() const { return element.quantized(); }
  int64_t NumElements() const { return shape.NumElements(); }
  // Bytes of the value as a host tensor: row-major elements, or the parts of QuantizedLayout.
  int64_t HostBytes() const;
  bool operator==(const Type&) const = default;
};

// "f32", "q8s<block=[4]>"
std::string PrintElementType(const ElementType& element);
// "f32[2,3]", "f32[]", "q8s<block=[4]>[8,4]"
std::string PrintType(const Type& type);

}  // namespace faultline::ir

#endif  // IR_TYPE_H_
