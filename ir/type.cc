// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/type.h"

namespace faultline::ir {

int64_t Type::HostBytes() const {
  // Far above every limit, and low enough that no sum of parts overflows.
  constexpr int64_t kAbsurd = int64_t{1} << 48;
  if (NumElements() > kAbsurd) return INT64_MAX;
  if (quantized()) return LayoutOf(scheme(), shape).total_bytes;
  return NumElements() * ByteSize(dtype());
}

std::string PrintElementType(const ElementType& element) {
  if (element.quantized()) return PrintScheme(element.scheme);
  return std::string(DtypeName(element.dtype));
}

std::string PrintType(const Type& type) {
  return PrintElementType(type.element) + PrintShape(type.shape);
}

}  // namespace faultline::ir
