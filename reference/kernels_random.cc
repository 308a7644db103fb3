// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random numbers as docs/random.md pins them: words of Philox by the place of an element, and a
// formula over them, computed in f32 (f64 for f64) and rounded once more to a narrower dtype.

#include <bit>
#include <numbers>

#include "ir/shape.h"
#include "reference/intermediate.h"
#include "reference/kernel.h"
#include "reference/philox.h"

namespace faultline::reference {
namespace {

template <class A>
class Drawing {
 public:
  using Float = typename A::Float;

  explicit Drawing(const Call<A>& call)
      : call_(call),
        compute_(ComputeDtype(call.algebra.result())),
        seed_(std::bit_cast<uint64_t>(call.attributes.Int(ir::AttributeKey::kSeed))),
        offset_(std::bit_cast<uint64_t>(call.attributes.Int(ir::AttributeKey::kOffset))) {}

  // Of the tensor: an algebra that leaves results unrounded has another dtype.
  bool wide() const { return ir::BitWidth(TypeOf(call_.result()).dtype()) == 64; }
  // Element i's own word of 32 or of 64 bits.
  uint64_t Word32(int64_t i) const { return Block(i / 4)[static_cast<size_t>(i % 4)]; }
  uint64_t Word64(int64_t i) const {
    const auto words = Block(i / 2);
    const auto at = static_cast<size_t>(2 * (i % 2));
    return words[at] | uint64_t{words[at + 1]} << 32;
  }
  std::array<uint32_t, 4> Block(int64_t b) const {
    return Philox(seed_, static_cast<uint64_t>(b), offset_);
  }

  Float Scalar(size_t i) const { return call_.algebra.FloatOf(call_.scalar(i)); }
  Float Number(double value) const { return call_.algebra.FloatOf(ToCell(value)); }
  template <class F>
  Float Step(const F& f) const {
    return Intermediate(call_.algebra, compute_, f);
  }
  // from + factor * step
  void PutAffine(int64_t i, const Float& from, const Float& factor, const Float& step) const {
    const Float product = ProductIntoSum(call_.algebra, compute_, factor, step);
    const Float sum = Step([&](const A& inner) { return inner.Add(from, product); });
    PutAt(call_.result(), i, call_.algebra.CastToFloat(sum));
  }

 private:
  const Call<A>& call_;
  ir::Dtype compute_;
  uint64_t seed_;
  uint64_t offset_;
};

double Fraction24(uint64_t word) { return static_cast<double>(word >> 8) * 0x1p-24; }
double Fraction53(uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// Two fractions for the pair of elements 2k and 2k + 1, the first above 0 and at most 1.
struct FractionPair {
  double above_zero;
  double below_one;
};
template <class A>
FractionPair Fractions(const Drawing<A>& drawing, int64_t pair) {
  const auto w = drawing.Block(pair);
  if (!drawing.wide()) return {Fraction24(w[0]) + 0x1p-24, Fraction24(w[1])};
  return {Fraction53(w[0] | uint64_t{w[1]} << 32) + 0x1p-53,
          Fraction53(w[2] | uint64_t{w[3]} << 32)};
}

// The high half of the product of a word and a range, both of `bits` bits.
uint64_t Scaled(uint64_t word, uint64_t range, int bits) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide{word} * range >> bits);
}

template <class A>
void UniformInts(const Call<A>& call, const Drawing<A>& drawing) {
  const ir::Dtype dtype = call.algebra.result();
  const auto low = std::bit_cast<uint64_t>(AsInt(call.scalar(0)));
  uint64_t range = std::bit_cast<uint64_t>(AsInt(call.scalar(1))) - low;
  if (ir::BitWidth(dtype) < 64) range &= (uint64_t{1} << ir::BitWidth(dtype)) - 1;
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const uint64_t step = drawing.wide() ? Scaled(drawing.Word64(i), range, 64)
                                         : Scaled(drawing.Word32(i), range, 32);
    PutAt(call.result(), i, call.algebra.IntOf(ToCell(Wrap(dtype, low + step))));
  }
}

}  // namespace

FAULTLINE_KERNEL(RandomUniform) {
  const Drawing<A> drawing(call);
  if (!ir::IsFloat(call.algebra.result())) return UniformInts(call, drawing);
  const auto low = drawing.Scalar(0);
  const auto high = drawing.Scalar(1);
  const auto range = drawing.Step([&](const A& inner) { return inner.Sub(high, low); });
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const double u = drawing.wide() ? Fraction53(drawing.Word64(i)) : Fraction24(drawing.Word32(i));
    drawing.PutAffine(i, low, drawing.Number(u), range);
  }
}

// Box and Muller: a radius sqrt(-2 log u) and an angle; even elements take the cosine, odd ones
// the sine.
FAULTLINE_KERNEL(RandomNormal) {
  const Drawing<A> drawing(call);
  const auto mean = drawing.Scalar(0);
  const auto deviation = drawing.Scalar(1);
  const double turn = 2 * std::numbers::pi;
  const auto tau = drawing.Number(drawing.wide() ? turn : static_cast<float>(turn));
  const auto step = [&](const auto& f) { return drawing.Step(f); };
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const auto [above_zero, below_one] = Fractions(drawing, i / 2);
    const auto u1 = drawing.Number(above_zero);
    const auto u2 = drawing.Number(below_one);
    const Function wave = i % 2 == 0 ? Function::kCos : Function::kSin;
    const auto log = step([&](const A& in) { return in.Call(Function::kLog, u1); });
    const auto square = step([&](const A& in) { return in.Mul(drawing.Number(-2), log); });
    const auto radius = step([&](const A& in) { return in.Sqrt(square); });
    const auto angle = step([&](const A& in) { return in.Mul(tau, u2); });
    const auto part = step([&](const A& in) { return in.Call(wave, angle); });
    const auto z = step([&](const A& in) { return in.Mul(radius, part); });
    drawing.PutAffine(i, mean, deviation, z);
  }
}

FAULTLINE_KERNEL(RandomBernoulli) {
  const Drawing<A> drawing(call);
  const double probability = AsFloat(call.scalar(0));
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const bool hit = Fraction24(drawing.Word32(i)) < probability;
    if (ir::IsFloat(call.algebra.result())) {
      PutAt(call.result(), i, drawing.Number(hit ? 1 : 0));
    } else {
      PutAt(call.result(), i, call.algebra.IntOf(ToCell(int64_t{hit ? 1 : 0})));
    }
  }
}

}  // namespace faultline::reference
