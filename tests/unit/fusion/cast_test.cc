// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every cast between plain dtypes as a block, against arithmetic in long double, which holds every
// value of every dtype.

#include <bit>
#include <cmath>

#include "ir/element.h"
#include "tests/unit/fusion/target_fixture.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

// Raw bits that tell rules apart.
std::vector<uint64_t> EdgeBits(Dtype dtype) {
  std::vector<uint64_t> bits;
  if (dtype == Dtype::kBool) return {0, 1};
  if (!ir::IsFloat(dtype)) {
    const uint64_t mask = ir::BitWidth(dtype) == 64 ? ~0ull : (1ull << ir::BitWidth(dtype)) - 1;
    for (const uint64_t x : {0ull,
                             1ull,
                             2ull,
                             127ull,
                             128ull,
                             129ull,
                             255ull,
                             256ull,
                             2049ull,
                             32767ull,
                             32768ull,
                             65519ull,
                             65520ull,
                             65535ull,
                             16777217ull,
                             16777219ull,
                             0x7fffff7full,
                             0x7fffffffull,
                             0x80000000ull,
                             0x1010000000000001ull,
                             0x1018000000000000ull,
                             0x1017ffffffffffffull,
                             0x101800000000001ull,
                             0x20000000000001ull,
                             0x7fffffffffffffffull,
                             0x8000000000000000ull,
                             0x8000000000000401ull,
                             0xffffffffffffffffull}) {
      bits.push_back(x & mask);
      bits.push_back((0 - x) & mask);
    }
    return bits;
  }
  for (const double x : {0.0,
                         0.5,
                         0.999,
                         1.0,
                         1.5,
                         127.0,
                         127.9,
                         128.0,
                         255.5,
                         256.0,
                         32767.9,
                         65504.0,
                         65519.9,
                         65520.0,
                         2147483647.0,
                         2147483648.0,
                         4294967295.5,
                         4294967296.0,
                         9.2233720368547748e18,
                         9223372036854775808.0,
                         1.8446744073709552e19,
                         1e30,
                         1e300,
                         1e-5,
                         6e-8,
                         2.98e-8,
                         1e-40,
                         1e-45,
                         5e-324,
                         1.00390625,
                         1.003906250000001,
                         1.01171875,
                         1.00048828125,
                         0.1}) {
    bits.push_back(ir::FromDouble(dtype, x));
    bits.push_back(ir::FromDouble(dtype, -x));
  }
  bits.push_back(ir::FromDouble(dtype, INFINITY));
  bits.push_back(ir::FromDouble(dtype, -INFINITY));
  bits.push_back(ir::FromDouble(dtype, NAN));
  return bits;
}

long double Value(Dtype dtype, uint64_t bits) {
  if (ir::IsFloat(dtype)) return static_cast<long double>(ir::ToDouble(dtype, bits));
  if (dtype == Dtype::kU64) return static_cast<long double>(bits);
  return static_cast<long double>(ir::ToInt(dtype, bits));
}

// To the nearest multiple of the last place, ties to even (the mode nearbyint runs in).
uint64_t RoundTo(Dtype dtype, long double x) {
  if (x == 0 || std::isnan(x) || std::isinf(x)) {
    return ir::FromDouble(dtype, static_cast<double>(x));
  }
  const int mantissa = dtype == Dtype::kF64   ? 52
                       : dtype == Dtype::kF32 ? 23
                       : dtype == Dtype::kF16 ? 10
                                              : 7;
  const int least = dtype == Dtype::kF64 ? -1022 : dtype == Dtype::kF16 ? -14 : -126;
  const int exponent = std::max(std::ilogb(x), least);
  const long double unit = std::ldexp(1.0L, exponent - mantissa);
  const long double rounded = std::nearbyint(x / unit) * unit;
  return ir::FromDouble(dtype, static_cast<double>(rounded));
}

uint64_t Expected(Dtype from, Dtype to, uint64_t bits) {
  const long double x = Value(from, bits);
  if (to == Dtype::kBool) return x != 0 ? 1 : 0;
  if (ir::IsFloat(to)) return RoundTo(to, x);
  if (!ir::IsFloat(from))
    return ir::FromInt(to,
                       from == Dtype::kU64 ? static_cast<int64_t>(bits) : ir::ToInt(from, bits));
  if (x != x) return 0;
  const long double low = static_cast<long double>(ir::IntMin(to));
  const long double high = static_cast<long double>(ir::IntMax(to));
  if (x <= low) return ir::FromInt(to, ir::IntMin(to));
  if (x >= high) return ir::IntMax(to);
  const long double whole = std::trunc(x);
  return to == Dtype::kU64 ? static_cast<uint64_t>(whole)
                           : ir::FromInt(to, static_cast<int64_t>(whole));
}

void CheckCasts(const char* isa) {
  TargetOptions options;
  options.isa = isa;
  TargetFixture fixture(options);
  for (const Dtype from : ir::kPlainDtypes) {
    const std::vector<uint64_t> bits = EdgeBits(from);
    const auto count = static_cast<int64_t>(bits.size());
    std::vector<std::byte> raw(bits.size() * static_cast<size_t>(ir::ByteSize(from)));
    for (size_t i = 0; i < bits.size(); ++i) {
      ir::StoreElement(from, bits[i], raw.data() + i * static_cast<size_t>(ir::ByteSize(from)));
    }
    Buffer* in = fixture.From(raw);
    for (const Dtype to : ir::kPlainDtypes) {
      BlockBuilder b(1);
      const int x = b.AddStrided(b.AddSlot(), from);
      const int y = b.AddStrided(b.AddSlot(), to);
      b.BeginElementPhase();
      b.Store(y, b.Cast(b.Load(x), from, to));
      Buffer* out = fixture.Bytes(count * ir::ByteSize(to));
      fixture.RunBlock(b.Finish(), {count}, {in, out}, {Contiguous(count), Contiguous(count)});
      const auto got = fixture.To<std::byte>(out, count * ir::ByteSize(to));
      for (size_t i = 0; i < bits.size(); ++i) {
        const uint64_t result =
            ir::LoadElement(to, got.data() + i * static_cast<size_t>(ir::ByteSize(to)));
        const uint64_t want = Expected(from, to, bits[i]);
        const bool nan = ir::IsFloat(to) && ir::IsNan(to, result) && ir::IsNan(to, want);
        if (result != want && !nan) {
          FAIL(ir::DtypeName(from)
               << " " << ir::PrintElement(from, bits[i]) << " to " << ir::DtypeName(to) << ": "
               << ir::PrintElement(to, result) << ", not " << ir::PrintElement(to, want));
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("casts round once, saturate and wrap") {
  for (const char* isa : {"baseline", "avx2", "avx512"}) {
    TargetOptions options;
    options.isa = isa;
    if (!cpu::MakeCpuTarget(options).has_value()) continue;
    CheckCasts(isa);
  }
}

TEST_CASE("a load and a store move bits of every dtype") {
  TargetFixture fixture;
  for (const Dtype dtype : ir::kPlainDtypes) {
    const int width = ir::ByteSize(dtype);
    const int64_t count = width <= 2 ? 65536 : 4096;
    std::vector<std::byte> raw(static_cast<size_t>(count * width));
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits =
          width <= 2 ? static_cast<uint64_t>(i) : static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u;
      if (dtype == Dtype::kBool) bits &= 1;
      if (dtype == Dtype::kF32 && i < 8) bits = 0x7f800001u + static_cast<uint64_t>(i);
      ir::StoreElement(dtype, bits, raw.data() + i * width);
    }
    BlockBuilder b(1);
    const int x = b.AddStrided(b.AddSlot(), dtype);
    const int y = b.AddStrided(b.AddSlot(), dtype);
    b.BeginElementPhase();
    b.Store(y, b.Load(x));
    Buffer* out = fixture.Bytes(count * width);
    fixture.RunBlock(b.Finish(), {count}, {fixture.From(raw), out},
                     {Contiguous(count), Contiguous(count)});
    CHECK(fixture.To<std::byte>(out, count * width) == raw);
  }
}

TEST_CASE("a bool that is neither 0 nor 1 is true") {
  TargetFixture fixture;
  BlockBuilder b(1);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kBool);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kBool);
  b.BeginElementPhase();
  b.Store(y, b.Load(x));
  Buffer* out = fixture.Bytes(3);
  fixture.RunBlock(b.Finish(), {3}, {fixture.From(std::vector<uint8_t>{0, 1, 200}), out},
                   {Contiguous(3), Contiguous(3)});
  CHECK(fixture.To<uint8_t>(out, 3) == std::vector<uint8_t>{0, 1, 1});
}

}  // namespace
}  // namespace faultline::fusion
