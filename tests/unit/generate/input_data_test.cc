// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/input_data.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace faultline::harness {
namespace {

using ir::Dtype;

Swarm EveryRegime() {
  Swarm swarm;
  swarm.regimes.fill(1);
  swarm.special_percent = 30;
  return swarm;
}

TEST_CASE("neighbouring data differ by one step here and there") {
  ChoiceStream choices(7);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kI64, Dtype::kU8, Dtype::kBool}) {
    INFO(ir::DtypeName(dtype));
    const ir::Type type(dtype, {5, 7});
    ir::DataSpec data;
    data.form = ir::DataForm::kConstant;
    data.elements = {ir::IsFloat(dtype) ? ir::FromDouble(dtype, 1) : uint64_t{1}};
    const ir::DataPtr near = NeighbourData(choices, data, type);
    REQUIRE(near != nullptr);
    const ir::HostTensor before = ir::Materialize(data, type);
    const ir::HostTensor after = ir::Materialize(*near, type);
    const auto size = static_cast<size_t>(ir::ByteSize(dtype));
    int changed = 0;
    for (size_t at = 0; at < before.bytes.size(); at += size) {
      const uint64_t a = ir::LoadElement(dtype, before.bytes.data() + at);
      const uint64_t b = ir::LoadElement(dtype, after.bytes.data() + at);
      if (a == b) continue;
      ++changed;
      CHECK((a - b == 1 || b - a == 1));
    }
    CHECK(changed >= 1);
    CHECK(changed <= 4);
  }
  CHECK(NeighbourData(choices, {}, ir::Type(Dtype::kF32, {0})) == nullptr);
}

TEST_CASE("special values of floats are what they should be") {
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    INFO(ir::DtypeName(dtype));
    bool nan = false;
    bool infinite = false;
    bool negative_zero = false;
    bool tie = false;
    double least = 1;
    double greatest = 0;
    for (const uint64_t bits : SpecialValues(dtype)) {
      const double value = ir::ToDouble(dtype, bits);
      nan = nan || std::isnan(value);
      infinite = infinite || std::isinf(value);
      negative_zero = negative_zero || (value == 0 && std::signbit(value));
      tie = tie || value == 0.5;
      if (value > 0) least = std::min(least, value);
      if (std::isfinite(value)) greatest = std::max(greatest, value);
    }
    CHECK(nan);
    CHECK(infinite);
    CHECK(negative_zero);
    CHECK(tie);
    // The least subnormal has no neighbour below but zero; the greatest none above but infinity.
    CHECK(ir::ToDouble(dtype, 1) == least);
    CHECK(std::isinf(ir::ToDouble(dtype, ir::FromDouble(dtype, greatest) + 1)));
    for (const uint64_t bits : FiniteSpecialValues(dtype)) {
      CHECK(std::isfinite(ir::ToDouble(dtype, bits)));
    }
  }
}

TEST_CASE("special values of ints are elements and include the limits") {
  for (const Dtype dtype : {Dtype::kI64, Dtype::kI32, Dtype::kI16, Dtype::kI8, Dtype::kU64,
                            Dtype::kU32, Dtype::kU16, Dtype::kU8}) {
    INFO(ir::DtypeName(dtype));
    std::set<uint64_t> values;
    for (const uint64_t bits : SpecialValues(dtype)) {
      CHECK(ir::FromInt(dtype, static_cast<int64_t>(bits)) == bits);
      values.insert(bits);
    }
    CHECK(values.contains(ir::FromInt(dtype, ir::IntMin(dtype))));
    CHECK(values.contains(ir::IntMax(dtype)));
    CHECK(values.contains(0));
  }
}

TEST_CASE("data fit every type, in every regime and domain") {
  ChoiceStream choices(uint64_t{1});
  const Swarm swarm = EveryRegime();
  std::set<ir::DataForm> forms;
  for (int i = 0; i < 200; ++i) {
    for (const Dtype dtype : ir::kPlainDtypes) {
      for (const ir::Shape& shape :
           {ir::Shape{}, ir::Shape{0, 3}, ir::Shape{5}, ir::Shape{4, 33}}) {
        const ir::Type type(dtype, shape);
        const auto domain = static_cast<ir::Domain>(choices.Below(5));
        const ir::DataPtr data = DrawData(choices, swarm, type, domain);
        const ir::Status status = ir::VerifyData(*data, type);
        INFO(ir::PrintType(type) << ": " << status.message());
        REQUIRE(status.ok());
        forms.insert(data->form);
      }
    }
  }
  CHECK(forms.size() == 8);
}

TEST_CASE("schemes verify, with quantized data, and all kinds are drawn") {
  ChoiceStream choices(uint64_t{2});
  const Swarm swarm = EveryRegime();
  std::set<ir::QValue> values;
  std::set<ir::QStore> stores;
  std::set<int> block_ranks;
  bool outer = false;
  bool partial = false;
  bool all_zero = false;
  for (int i = 0; i < 3000; ++i) {
    const ir::Shape shape = choices.Percent(50) ? ir::Shape{3, 7} : ir::Shape{2, 3, 8};
    const ir::Type type(ir::ElementType(DrawScheme(choices, shape)), shape);
    const ir::Status status = ir::VerifyScheme(type.scheme(), shape);
    INFO(ir::PrintType(type) << ": " << status.message());
    REQUIRE(status.ok());
    const ir::DataPtr data = DrawData(choices, swarm, type, ir::Domain::kAny);
    REQUIRE(ir::VerifyData(*data, type).ok());
    all_zero = all_zero || std::ranges::all_of(data->codes, [](int32_t c) { return c == 0; });
    values.insert(type.scheme().value);
    stores.insert(type.scheme().store);
    block_ranks.insert(type.scheme().block_rank);
    outer = outer || type.scheme().packed_dim > 0;
    const auto block = ir::BlockExtents(type.scheme(), shape);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      partial = partial || shape[axis] % block[static_cast<size_t>(axis)] != 0;
    }
  }
  CHECK(values.size() == 11);
  CHECK(stores.size() == 3);
  CHECK(block_ranks.size() >= 3);
  CHECK(outer);
  CHECK(partial);
  CHECK(all_zero);
}

TEST_CASE("layouts verify and are of every kind") {
  ChoiceStream choices(uint64_t{3});
  const Swarm swarm = EveryRegime();
  bool negative = false;
  bool offset = false;
  bool permuted = false;
  bool spare = false;
  bool shared = false;
  for (int i = 0; i < 3000; ++i) {
    const ir::Type type(Dtype::kI32, choices.Percent(50) ? ir::Shape{3, 4} : ir::Shape{2, 1, 5});
    ir::DataPtr data = DrawData(choices, swarm, type, ir::Domain::kAny);
    const ir::Layout layout = choices.OneIn(4) ? DrawBroadcastLayout(choices, type, &data)
                                               : DrawLayout(choices, type.shape);
    const ir::Status status = ir::VerifyLayout(layout, *data, type);
    INFO(status.message());
    REQUIRE(status.ok());
    REQUIRE(ir::VerifyData(*data, type).ok());
    if (layout.strides.empty()) continue;
    const int last = type.shape.rank() - 1;
    for (int axis = 0; axis <= last; ++axis) {
      const int64_t stride = layout.strides[static_cast<size_t>(axis)];
      if (type.shape[axis] == 1) continue;
      negative = negative || stride < 0;
      shared = shared || stride == 0;
      permuted = permuted || (axis < last && std::abs(stride) == 1);
    }
    offset = offset || layout.offset > 0;
    spare = spare || layout.storage >= 0;
  }
  CHECK(negative);
  CHECK(offset);
  CHECK(permuted);
  CHECK(spare);
  CHECK(shared);
}

TEST_CASE("bounds of int data hold for every element") {
  ChoiceStream choices(uint64_t{4});
  const Swarm swarm = EveryRegime();
  int known = 0;
  for (int i = 0; i < 2000; ++i) {
    const ir::Type type(choices.Percent(50) ? Dtype::kI32 : Dtype::kI64, ir::Shape{17});
    const ir::DataPtr data = choices.Percent(50) ? DrawIndices(choices, type, 0, 11)
                                                 : DrawData(choices, swarm, type, ir::Domain::kAny);
    int64_t low = 0;
    int64_t high = 0;
    if (!BoundsOfData(*data, type, &low, &high)) continue;
    ++known;
    const ir::HostTensor tensor = ir::Materialize(*data, type);
    const auto size = static_cast<size_t>(ir::ByteSize(type.dtype()));
    for (size_t k = 0; k < 17; ++k) {
      const int64_t value =
          ir::ToInt(type.dtype(), ir::LoadElement(type.dtype(), tensor.bytes.data() + k * size));
      REQUIRE(value >= low);
      REQUIRE(value <= high);
    }
  }
  CHECK(known > 1000);
}

TEST_CASE("scalars are of the dtype, shifts are i64") {
  ChoiceStream choices(uint64_t{5});
  bool beyond = false;
  for (int i = 0; i < 500; ++i) {
    for (const Dtype dtype : ir::kPlainDtypes) {
      CHECK(DrawScalar(choices, dtype, ir::Domain::kAny, 30).dtype == dtype);
    }
    const ir::Scalar shift = DrawShift(choices, Dtype::kI16);
    CHECK(shift.dtype == Dtype::kI64);
    const int64_t amount = ir::ToInt(Dtype::kI64, shift.bits);
    beyond = beyond || amount >= 16 || amount < 0;
  }
  CHECK(beyond);
}

TEST_CASE("special values are put into lists only where they have elements") {
  // As in a draft whose type has been changed before its data.
  ir::DataSpec data;
  data.elements = {0, 0, 0};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceStream choices(seed);
    AddSpecialValues(choices, ir::Type(Dtype::kF32, ir::Shape{40}), data);
  }
  CHECK(data.elements.size() == 3);
}

TEST_CASE("neighbours of floats are numbers beside them, also those of zero and infinity") {
  const ir::Type type(Dtype::kF32, ir::Shape{1});
  constexpr uint64_t kSign = 0x80000000;
  const std::map<uint64_t, std::set<uint64_t>> expected = {
      {0, {1, kSign}},                         // 0: least subnormal, -0
      {kSign, {kSign + 1, 0}},                 // -0
      {0x7f800000, {0x7f7fffff}},              // inf: the greatest
      {0xff800000, {0xff7fffff}},              // -inf
      {0x7f7fffff, {0x7f7ffffe, 0x7f800000}},  // the greatest
      {0x7fc00001, {0x7fc00001}},              // NaN stays
      {0x3f800000, {0x3f7fffff, 0x3f800001}},  // 1
  };
  for (const auto& [bits, neighbours] : expected) {
    ir::DataSpec data;
    data.elements = {bits};
    std::set<uint64_t> seen;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      ChoiceStream choices(seed);
      const ir::DataPtr near = NeighbourData(choices, data, type);
      REQUIRE(near != nullptr);
      seen.insert(near->elements[0]);
    }
    CAPTURE(bits);
    CHECK(seen == neighbours);
  }
}

TEST_CASE("overrides stay sorted and single") {
  ir::DataSpec data;
  for (const int64_t index : {5, 1, 5, 3}) SetOverride(data, index, static_cast<uint64_t>(index));
  SetOverride(data, 3, 77);
  REQUIRE(data.overrides.size() == 3);
  CHECK(data.overrides[0].first == 1);
  CHECK(data.overrides[1] == std::pair<int64_t, uint64_t>(3, 77));
  CHECK(data.overrides[2].first == 5);
}

}  // namespace
}  // namespace faultline::harness
