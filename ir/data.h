// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The data of an input (or of an `expect`): a list of elements or a generator form with sparse
// overrides. A form uses integers, powers of two and + - * / only, so it gives the same bits on
// every machine.

#ifndef IR_DATA_H_
#define IR_DATA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/type.h"

namespace faultline::ir {

enum class DataForm : uint8_t {
  kList,      // elements
  kConstant,  // elements[0] everywhere
  kIota,      // parameters start, step: start + i*step, rounded once (ints wrap)
  kCycle,     // elements repeated
  kUniform,   // seed; parameters lo, hi: lo + (hi-lo)*u, u = 53-bit fraction in [0,1), in f64,
              // rounded once; floats
  kNormal,  // seed; parameters mean, std: mean + std*(sum of 12 uniforms - 6), rounded once; floats
  kInts,    // seed; parameters lo, hi: integers in [lo, hi], for any dtype that holds them
  kLogscale,   // seed; parameters lo, hi: +-2^e * (1 + fraction), e uniform in [lo, hi]; floats
  kQuantized,  // codes and scales
};

struct DataSpec {
  DataForm form = DataForm::kList;
  std::vector<uint64_t> elements;  // raw bits of the dtype: kList, kConstant, kCycle
  uint64_t seed = 0;
  std::array<double, 2> parameters = {};
  // (flat index, raw bits), ascending by index.
  std::vector<std::pair<int64_t, uint64_t>> overrides;

  // kQuantized. Integer codes decoded (signed), float codes as raw bit patterns; one a logical
  // element, row-major. Scales as raw bits of the scale dtype, row-major in the block grid.
  std::vector<int32_t> codes;
  std::vector<uint32_t> scales;
  std::vector<int32_t> zeros;
  std::optional<uint32_t> tensor_scale;  // f32 bits

  // `expect` only: positions written `_` (any value); empty if none.
  std::vector<bool> wildcards;

  // Equality of what is printed: a list equals the generator form that stands for it in text.
  bool operator==(const DataSpec& other) const;
};
using DataPtr = std::shared_ptr<const DataSpec>;

// Where the logical elements of an input lie in its storage, in elements. Defaults: row-major, no
// offset, exactly the elements. Quantized inputs are always contiguous.
struct Layout {
  std::vector<int64_t> strides;  // empty: row-major
  int64_t offset = 0;
  int64_t storage = -1;  // elements of storage; -1: just enough

  bool contiguous() const { return strides.empty() && offset == 0 && storage < 0; }
  bool operator==(const Layout&) const = default;
};

// A value on the host: row-major elements, or codes | scales | ... as ir::LayoutOf says.
struct HostTensor {
  Type type;
  std::vector<std::byte> bytes;
  bool operator==(const HostTensor&) const = default;
};

// Whether the spec fits the type: element counts, representability, form allowed for the dtype.
Status VerifyData(const DataSpec& data, const Type& type);
// Whether strides, offset and storage are in bounds, and elements that share a cell are equal.
Status VerifyLayout(const Layout& layout, const DataSpec& data, const Type& type);

// The logical value. Requires VerifyData to hold.
HostTensor Materialize(const DataSpec& data, const Type& type);

// Codes, scales, ... of a quantized host tensor, decoded.
struct QuantizedParts {
  std::vector<int32_t> codes;
  std::vector<uint32_t> scales;
  std::vector<int32_t> zeros;
  std::optional<uint32_t> tensor_scale;
};
QuantizedParts DecodeQuantized(const HostTensor& tensor);
HostTensor EncodeQuantized(const Type& type, const QuantizedParts& parts);

// The storage buffer of an input with a layout: logical elements placed by strides, every other
// byte filled with `poison`. Contiguous layouts give the host bytes.
std::vector<std::byte> PlaceInStorage(const HostTensor& value, const Layout& layout,
                                      std::byte poison);
// Elements of storage the layout needs (at least what it names).
int64_t StorageElements(const Layout& layout, const Shape& shape);

}  // namespace faultline::ir

#endif  // IR_DATA_H_
