// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// From the spec of data to host bytes. Uses + - * and powers of two only, so that every machine
// gives the same bits.

#include "ir/data.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/base/check.h"
#include "ir/data/canonical.h"
#include "ir/element.h"

namespace faultline::ir {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Draw `draw` of the sequence with this seed: SplitMix64, addressed by position, so that elements
// do not depend on the order in which they are made.
uint64_t Draw(uint64_t seed, uint64_t draw) {
  uint64_t z = seed + (draw + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// In [0, 1), a multiple of 2^-53.
double Fraction(uint64_t draw) { return static_cast<double>(draw >> 11) * 0x1p-53; }

// Requires an integral value in the range of i64 or u64.
uint64_t IntBits(double value) {
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

uint64_t IotaElement(const DataSpec& data, Dtype dtype, uint64_t i) {
  if (IsFloat(dtype)) {
    return FromDouble(dtype, data.parameters[0] + static_cast<double>(i) * data.parameters[1]);
  }
  const uint64_t value = IntBits(data.parameters[0]) + i * IntBits(data.parameters[1]);
  return FromInt(dtype, static_cast<int64_t>(value));
}

uint64_t UniformElement(const DataSpec& data, Dtype dtype, uint64_t i) {
  const auto [lo, hi] = data.parameters;
  return FromDouble(dtype, lo + (hi - lo) * Fraction(Draw(data.seed, i)));
}

uint64_t NormalElement(const DataSpec& data, Dtype dtype, uint64_t i) {
  // Twelve uniforms have variance one and need no logarithm, whose bits would vary.
  double sum = -6;
  for (uint64_t k = 0; k < 12; ++k) sum += Fraction(Draw(data.seed, 12 * i + k));
  return FromDouble(dtype, data.parameters[0] + data.parameters[1] * sum);
}

uint64_t IntsElement(const DataSpec& data, Dtype dtype, uint64_t i) {
  const uint64_t lo = IntBits(data.parameters[0]);
  const uint64_t count = IntBits(data.parameters[1]) - lo + 1;  // 0: all 2^64
  const uint64_t draw = Draw(data.seed, i);
  const uint64_t step =
      count == 0 ? draw : static_cast<uint64_t>((static_cast<Uint128>(draw) * count) >> 64);
  const auto value = static_cast<int64_t>(lo + step);
  return IsFloat(dtype) ? FromDouble(dtype, static_cast<double>(value)) : FromInt(dtype, value);
}

uint64_t LogscaleElement(const DataSpec& data, Dtype dtype, uint64_t i) {
  const auto lo = static_cast<int>(data.parameters[0]);
  const auto span = static_cast<uint64_t>(static_cast<int>(data.parameters[1]) - lo + 1);
  const uint64_t draw = Draw(data.seed, 2 * i);
  const int exponent = lo + static_cast<int>((static_cast<Uint128>(draw) * span) >> 64);
  const uint64_t bits = Draw(data.seed, 2 * i + 1);
  // 52 bits of fraction keep 1 + fraction exact; the lowest bit is the sign.
  const double magnitude = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
  const double value = std::ldexp(magnitude, exponent);
  return FromDouble(dtype, (bits & 1) != 0 ? -value : value);
}

// Stores element(i) for every i.
template <typename Element>
void Fill(HostTensor& tensor, Dtype dtype, const Element& element) {
  const auto size = static_cast<size_t>(ByteSize(dtype));
  const uint64_t count = tensor.bytes.size() / size;
  std::byte* to = tensor.bytes.data();
  for (uint64_t i = 0; i < count; ++i, to += size) StoreElement(dtype, element(i), to);
}

void FillByForm(HostTensor& tensor, const DataSpec& data, Dtype dtype) {
  using Make = uint64_t(const DataSpec&, Dtype, uint64_t);
  const auto fill = [&](Make& make) {
    Fill(tensor, dtype, [&](uint64_t i) { return make(data, dtype, i); });
  };
  switch (data.form) {
    case DataForm::kList:
      return Fill(tensor, dtype, [&](uint64_t i) { return data.elements[i]; });
    case DataForm::kConstant:
      return Fill(tensor, dtype, [&](uint64_t) { return data.elements[0]; });
    case DataForm::kCycle: {
      size_t next = 0;
      return Fill(tensor, dtype, [&](uint64_t) {
        const uint64_t bits = data.elements[next++];
        if (next == data.elements.size()) next = 0;
        return bits;
      });
    }
    case DataForm::kIota:
      return fill(IotaElement);
    case DataForm::kUniform:
      return fill(UniformElement);
    case DataForm::kNormal:
      return fill(NormalElement);
    case DataForm::kInts:
      return fill(IntsElement);
    case DataForm::kLogscale:
      return fill(LogscaleElement);
    case DataForm::kQuantized:
      break;
  }
  FAULTLINE_CHECK(false, "codes have no elements");
}

}  // namespace

HostTensor Materialize(const DataSpec& data, const Type& type) {
  if (data.form == DataForm::kQuantized) {
    return EncodeQuantized(type, {data.codes, data.scales, data.zeros, data.tensor_scale});
  }
  const Dtype dtype = type.dtype();
  const auto size = static_cast<size_t>(ByteSize(dtype));
  const auto count = static_cast<uint64_t>(type.NumElements());
  HostTensor tensor{type, std::vector<std::byte>(count * size)};
  FillByForm(tensor, data, dtype);
  for (const auto& [index, bits] : data.overrides) {
    StoreElement(dtype, bits, tensor.bytes.data() + static_cast<size_t>(index) * size);
  }
  return tensor;
}

bool DataSpec::operator==(const DataSpec& other) const {
  if (SameFields(*this, other)) return true;
  // A list and the form it is printed as are one datum.
  if ((form == DataForm::kList) == (other.form == DataForm::kList)) return false;
  return SameFields(CanonicalData(*this), CanonicalData(other));
}

}  // namespace faultline::ir
