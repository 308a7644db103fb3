// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sort, scatter and copy, against plain loops.

#include <cmath>
#include <numeric>
#include <utility>

#include "ir/element.h"
#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

// Order of the pinned sort on values as f64; NaN last ascending.
bool Before(double a, double b) {
  if (a != a) return false;
  return b != b || a < b;
}

void CheckSort(TargetFixture* fixture, Dtype dtype, int64_t rows, int64_t row, bool descending,
               bool turned) {
  const int width = ir::ByteSize(dtype);
  std::vector<std::byte> raw(static_cast<size_t>(rows * row * width));
  for (int64_t i = 0; i < rows * row; ++i) {
    uint64_t bits = static_cast<uint64_t>(i + 1) * 0x9e3779b97f4a7c15u >> 17;
    if (ir::IsFloat(dtype)) {
      const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1, 1};
      bits = i % 3 == 0 ? ir::FromDouble(dtype, special[i / 3 % 7])
                        : ir::FromDouble(dtype, static_cast<double>(bits % 9) - 4);
      if (i % 11 == 5 && ir::IsNan(dtype, bits)) bits |= 1;  // another payload
    } else {
      bits = ir::FromInt(dtype, static_cast<int64_t>(bits % 17) - (ir::IsSigned(dtype) ? 8 : 0));
      if (i % 13 == 0) bits = ir::FromInt(dtype, ir::IntMin(dtype));
      if (i % 17 == 0) bits = ir::IntMax(dtype);
    }
    ir::StoreElement(dtype, bits, raw.data() + i * width);
  }
  Buffer* out = fixture->Bytes(rows * row * width);
  Buffer* positions = fixture->Bytes(rows * row * 4);
  SortBinding binding{fixture->Dense(fixture->From(raw), {rows, row}),
                      fixture->Dense(out, {rows, row}), fixture->Dense(positions, {rows, row})};
  if (turned) binding.from.place.strides = {1, rows};
  REQUIRE(fixture->Run(SortLaunch{dtype, descending, true, true, Dtype::kI32}, binding).ok());
  const auto places = fixture->To<int32_t>(positions, rows * row);
  const auto got = fixture->To<std::byte>(out, rows * row * width);
  for (int64_t o = 0; o < rows; ++o) {
    std::vector<uint64_t> bits;
    for (int64_t r = 0; r < row; ++r) {
      const int64_t at = turned ? r * rows + o : o * row + r;
      bits.push_back(ir::LoadElement(dtype, raw.data() + at * width));
    }
    const auto before = [&](uint64_t a, uint64_t b) {
      if (!ir::IsFloat(dtype)) {
        if (dtype == Dtype::kU64) return descending ? a > b : a < b;
        const int64_t x = ir::ToInt(dtype, a);
        const int64_t y = ir::ToInt(dtype, b);
        return descending ? x > y : x < y;
      }
      const double x = ir::ToDouble(dtype, a);
      const double y = ir::ToDouble(dtype, b);
      return descending ? Before(y, x) : Before(x, y);
    };
    const std::vector<uint64_t> original = bits;
    // Insertion: plain, and stable.
    for (size_t i = 1; i < bits.size(); ++i) {
      for (size_t k = i; k > 0 && before(bits[k], bits[k - 1]); --k)
        std::swap(bits[k], bits[k - 1]);
    }
    for (int64_t r = 0; r < row; ++r) {
      REQUIRE(ir::LoadElement(dtype, got.data() + (o * row + r) * width) ==
              bits[static_cast<size_t>(r)]);
      // Where it came from has the same bits; of equals the earlier comes first.
      const int64_t from = places[static_cast<size_t>(o * row + r)];
      REQUIRE(original[static_cast<size_t>(from)] == bits[static_cast<size_t>(r)]);
      if (r == 0) continue;
      const int64_t last = places[static_cast<size_t>(o * row + r - 1)];
      REQUIRE((last < from ||
               before(original[static_cast<size_t>(last)], original[static_cast<size_t>(from)])));
    }
  }
}

TEST_CASE("sort gives the first positions alone") {
  TargetFixture fixture;
  Buffer* out = fixture.Bytes(4 * 8);
  SortBinding binding;
  binding.from = fixture.Dense(
      fixture.From(std::vector<float>{3, NAN, 3, 1, -0.0f, 0.0f, -INFINITY, 7}), {2, 4});
  binding.positions = fixture.Dense(out, {2, 2});
  REQUIRE(fixture.Run(SortLaunch{Dtype::kF32, true, false, true, Dtype::kI64}, binding).ok());
  CHECK(fixture.To<int64_t>(out, 4) == std::vector<int64_t>{1, 0, 3, 0});
}

TEST_CASE("sort is stable, with NaN at its place, and moves bits") {
  TargetOptions options;
  options.threads = 2;
  TargetFixture fixture(options);
  fixture.options().thread_threshold = 1;
  for (const Dtype dtype : ir::kPlainDtypes) {
    if (dtype == Dtype::kBool) continue;
    INFO(ir::DtypeName(dtype));
    for (const auto& [rows, row] : {std::pair<int64_t, int64_t>{3, 0},
                                    {2, 1},
                                    {3, 2},
                                    {4, 15},
                                    {3, 16},
                                    {2, 17},
                                    {3, 33},
                                    {2, 100},
                                    {1, 700}}) {
      CheckSort(&fixture, dtype, rows, row, false, false);
      CheckSort(&fixture, dtype, rows, row, true, false);
      CheckSort(&fixture, dtype, rows, row, true, true);
    }
  }
}

// A [4, 3] target, written along axis 0 by a [5, 2] index.
struct ScatterCase {
  std::vector<int64_t> index = {1, 0, 3, 0, 1, 3, 1, 2, 0, 0};
  ScatterBinding binding;

  template <typename T>
  void Bind(TargetFixture* fixture, const std::vector<T>& target, const std::vector<T>& values,
            Buffer** out) {
    *out = fixture->From(target);
    binding.places.index = fixture->Dense(fixture->From(index), {5, 2});
    binding.places.tensor = fixture->Dense(*out, {4, 3});
    binding.places.named_count = 1;
    binding.places.named = {0};
    binding.places.walked = {-1, 1};
    binding.values = fixture->Dense(fixture->From(values), {5, 2});
  }
};

TEST_CASE("scatter: the last assignment wins, additions all count") {
  TargetFixture fixture;
  std::vector<int32_t> target(12);
  std::iota(target.begin(), target.end(), 100);
  std::vector<int32_t> values(10);
  std::iota(values.begin(), values.end(), 1);
  for (const bool adds : {false, true}) {
    ScatterCase c;
    Buffer* out = nullptr;
    c.Bind(&fixture, target, values, &out);
    const ScatterLaunch launch{Dtype::kI32, Dtype::kI64,
                               adds ? ir::Update::kAdd : ir::Update::kAssign, 4};
    REQUIRE(fixture.Run(launch, c.binding).ok());
    std::vector<int32_t> want = target;
    for (size_t i = 0; i < 10; ++i) {
      int32_t& to = want[static_cast<size_t>(c.index[i]) * 3 + i % 2];
      to = adds ? to + values[i] : values[i];
    }
    CHECK(fixture.To<int32_t>(out, 12) == want);
    CHECK_FALSE(fixture.error().failed());
  }
}

TEST_CASE("tuples name parts that are read and written") {
  TargetFixture fixture;
  // Parts of 2 elements of a [2, 3, 2] tensor, in the order of the tuples.
  std::vector<int16_t> tensor(12);
  std::iota(tensor.begin(), tensor.end(), int16_t{0});
  PlacesBinding places;
  places.index = fixture.Dense(fixture.From(std::vector<int64_t>{1, 2, 0, 0, 1, 2}), {3, 2});
  places.index.place.strides = {2, 0};
  places.component_stride = 1;
  places.tensor = fixture.Dense(fixture.From(tensor), {2, 3, 2});
  places.named_count = 2;
  places.named = {0, 1};
  places.walked = {-1, 2};
  Buffer* out = fixture.Bytes(12);
  const GatherPartsBinding gather{places, fixture.Dense(out, {3, 2})};
  REQUIRE(fixture.Run(GatherPartsLaunch{2, Dtype::kI64, 3}, gather).ok());
  CHECK(fixture.To<int16_t>(out, 6) == std::vector<int16_t>{10, 11, 0, 1, 10, 11});
  const ScatterBinding scatter{
      places, fixture.Dense(fixture.From(std::vector<int16_t>{1, 2, 3, 4, 5, 6}), {3, 2})};
  REQUIRE(fixture.Run(ScatterLaunch{Dtype::kI16, Dtype::kI64, ir::Update::kMul, 3}, scatter).ok());
  CHECK(fixture.To<int16_t>(static_cast<Buffer*>(places.tensor.buffer), 12) ==
        std::vector<int16_t>{0, 4, 2, 3, 4, 5, 6, 7, 8, 9, 50, 132});
  CHECK_FALSE(fixture.error().failed());
}

TEST_CASE("scatter reports the first index out of range and writes the others") {
  TargetFixture fixture;
  ScatterCase c;
  c.index[6] = 4;
  c.index[7] = -1;
  Buffer* out = nullptr;
  c.Bind(&fixture, std::vector<uint8_t>(12, 9), std::vector<uint8_t>(10, 1), &out);
  REQUIRE(
      fixture.Run(ScatterLaunch{Dtype::kU8, Dtype::kI64, ir::Update::kAssign, 4}, c.binding).ok());
  CHECK(fixture.error().source == 4);
  CHECK(fixture.error().position == 6);
  CHECK(fixture.error().index == 4);
  CHECK(fixture.error().bound == 4);
  CHECK(fixture.To<uint8_t>(out, 12)[0] == 1);
}

TEST_CASE("scatter of 16-bit floats adds in f32 and rounds once") {
  TargetFixture fixture;
  ScatterCase c;
  c.index = {0, 0, 0, 1, 0, 1, 0, 1, 0, 1};
  // 2048 + 5 ones: each single sum in f16 would stay 2048.
  std::vector<uint16_t> target(12, 0x7c01);
  target[0] = static_cast<uint16_t>(ir::FromDouble(Dtype::kF16, 2048));
  target[1] = target[0];
  target[4] = target[0];
  const std::vector<uint16_t> values(10, static_cast<uint16_t>(ir::FromDouble(Dtype::kF16, 1)));
  Buffer* out = nullptr;
  c.Bind(&fixture, target, values, &out);
  REQUIRE(
      fixture.Run(ScatterLaunch{Dtype::kF16, Dtype::kI64, ir::Update::kAdd, 4}, c.binding).ok());
  const auto got = fixture.To<uint16_t>(out, 12);
  CHECK(ir::ToDouble(Dtype::kF16, got[0]) == 2052);  // 2053 is a tie, to even
  CHECK(ir::ToDouble(Dtype::kF16, got[1]) == 2048);  // 2049 is a tie, to even
  CHECK(ir::ToDouble(Dtype::kF16, got[4]) == 2052);
  CHECK(got[5] == 0x7c01);  // untouched: its bits, payload included
}

TEST_CASE("copy moves elements of every width by any map") {
  TargetFixture fixture;
  const auto check = [&](auto element, Dtype dtype) {
    using T = decltype(element);
    std::vector<T> values(2000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 7 + 3);
    Buffer* in = fixture.From(values);
    Buffer* out = fixture.Bytes(2400 * static_cast<int64_t>(sizeof(T)));
    CopyLaunch launch;
    launch.element_bytes = static_cast<int>(sizeof(T));
    Access access;
    access.storage = dtype;
    launch.accesses = {access};
    // Transposed into padded rows.
    CopyBinding binding;
    const std::vector<Buffer*> buffers = {in};
    const std::vector<AccessBinding> maps = {Strides({40, 50}, {1, 40})};
    binding.buffers = buffers;
    binding.accesses = maps;
    binding.to = fixture.Dense(out, {40, 50});
    binding.to.place.strides[0] = 60;
    REQUIRE(fixture.Run(launch, binding).ok());
    const auto got = fixture.To<T>(out, 2400);
    for (size_t i = 0; i < 40; ++i) {
      for (size_t j = 0; j < 50; ++j) REQUIRE(got[i * 60 + j] == values[j * 40 + i]);
    }
  };
  check(uint8_t{}, Dtype::kU8);
  check(uint16_t{}, Dtype::kF16);
  check(uint32_t{}, Dtype::kF32);
  check(uint64_t{}, Dtype::kI64);
}

TEST_CASE("copy by indices reports the first one out of range") {
  TargetFixture fixture;
  CopyLaunch launch;
  launch.element_bytes = 2;
  Access from;
  from.slot = 0;
  from.storage = Dtype::kBf16;
  from.map = MapKind::kIndirect;
  from.index = 1;
  from.source = 2;
  Access index;
  index.slot = 1;
  index.storage = Dtype::kI32;
  launch.accesses = {from, index};
  const std::vector<Buffer*> buffers = {fixture.From(std::vector<uint16_t>{10, 11, 12}),
                                        fixture.From(std::vector<int32_t>{2, 0, 3, -5})};
  AccessBinding map = Strides({4}, {0});
  map.index_stride = 1;
  map.index_bound = 3;
  map.positions[0] = 1;
  const std::vector<AccessBinding> maps = {map, Contiguous(4)};
  CopyBinding binding;
  binding.buffers = buffers;
  binding.accesses = maps;
  Buffer* out = fixture.Bytes(8);
  binding.to = fixture.Dense(out, {4});
  REQUIRE(fixture.Run(launch, binding).ok());
  CHECK(fixture.error().position == 2);
  CHECK(fixture.error().index == 3);
  const auto got = fixture.To<uint16_t>(out, 4);
  CHECK(got[0] == 12);
  CHECK(got[1] == 10);
}

}  // namespace
}  // namespace faultline::fusion
