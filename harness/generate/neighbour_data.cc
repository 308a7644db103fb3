// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <memory>

#include "harness/generate/input_data.h"

namespace faultline::harness {
namespace {

constexpr int64_t kElementsMax = 4096;

// The next value up or down: of ints by one, of floats by one unit in the last place. What zero has
// beside it is the other zero and the least subnormal; infinity has the greatest number, NaN none.
uint64_t Neighbour(ChoiceStream& choices, ir::Dtype dtype, uint64_t bits) {
  const int width = ir::BitWidth(dtype);
  if (dtype == ir::Dtype::kBool) return bits ^ 1;
  const uint64_t keep = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  const bool first = choices.Percent(50);
  if (ir::IsFloat(dtype)) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    const double value = ir::ToDouble(dtype, bits);
    if (std::isnan(value)) return bits;
    if (std::isinf(value)) return bits - 1;
    if (value == 0) return first ? bits ^ sign : bits + 1;
  }
  return (first ? bits + 1 : bits - 1) & keep;
}

}  // namespace

ir::DataPtr NeighbourData(ChoiceStream& choices, const ir::DataSpec& data, const ir::Type& type) {
  const int64_t count = type.NumElements();
  if (type.quantized() || count == 0 || count > kElementsMax) return nullptr;
  auto near = std::make_shared<ir::DataSpec>(data);
  const ir::HostTensor tensor = ir::Materialize(data, type);
  const auto size = static_cast<size_t>(ir::ByteSize(type.dtype()));
  const uint32_t changes = 1 + choices.Below(4);
  for (uint32_t i = 0; i < changes; ++i) {
    const int64_t at = choices.Below(static_cast<uint32_t>(count));
    const uint64_t bits =
        ir::LoadElement(type.dtype(), tensor.bytes.data() + static_cast<size_t>(at) * size);
    const uint64_t next = Neighbour(choices, type.dtype(), bits);
    if (near->form == ir::DataForm::kList) {
      near->elements[static_cast<size_t>(at)] = next;
    } else {
      SetOverride(*near, at, next);
    }
  }
  return ir::VerifyData(*near, type).ok() ? near : nullptr;
}

}  // namespace faultline::harness
