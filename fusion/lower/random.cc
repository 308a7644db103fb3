// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random numbers by counter: ten rounds of Philox4x32 in registers of 64 bits, whose low halves
// hold the words, and the formula of each distribution over them. Nothing is drawn in advance, so
// that an element has its value in whatever launch and order it is made.

#include "fusion/lower/random.h"

#include <array>
#include <numbers>

#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;
using ir::Opcode;
using Words = std::array<Val, 4>;

class Random {
 public:
  explicit Random(const RandomLowering& in)
      : in_(in), b_(in.block), reg_(RegOf(in.dtype)), wide_(ir::BitWidth(in.dtype) == 64) {}

  Val Run() {
    switch (in_.op) {
      case Opcode::kRandomUniform:
        return b_.ToDtype(ir::IsFloat(in_.dtype) ? UniformFloat() : UniformInt(), in_.dtype);
      case Opcode::kRandomNormal:
        return b_.ToDtype(Normal(), in_.dtype);
      default:
        FAULTLINE_CHECK(in_.op == Opcode::kRandomBernoulli, "a distribution without a lowering");
        return b_.Cast(
            b_.Compare(Op::kLower, Fraction24(Word(4), Reg::kF32), in_.scalar(0, Reg::kF32)),
            Dtype::kBool, in_.dtype);
    }
  }

 private:
  Val U64(uint64_t value) const { return b_.Constant(Reg::kU64, value); }
  Val Binary(Op op, Val a, Val b) const { return b_.Binary(op, a, b); }
  Val Right(Val a, uint64_t amount) const { return b_.Shift(Op::kShiftRight, a, U64(amount), 64); }
  Val Left(Val a, uint64_t amount) const { return b_.Shift(Op::kShiftLeft, a, U64(amount), 64); }
  Val Low(Val a) const { return Binary(Op::kAnd, a, U64(0xffffffff)); }
  Val IsRest(uint64_t divisor, uint64_t rest) const {
    return b_.Compare(Op::kEqual, Binary(Op::kAnd, Position(), U64(divisor - 1)), U64(rest));
  }
  Val Position() const { return b_.Convert(in_.position, Reg::kU64); }

  // The block of an element of which each block makes `per_block`, a power of two.
  Words Block(uint64_t per_block) const {
    const Val block = Right(Position(), per_block == 4 ? 2 : 1);
    Words c = {Low(block), Right(block, 32), U64(in_.offset & 0xffffffff), U64(in_.offset >> 32)};
    auto key0 = static_cast<uint32_t>(in_.seed);
    auto key1 = static_cast<uint32_t>(in_.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const Val p0 = Binary(Op::kMul, U64(0xd2511f53), c[0]);
      const Val p1 = Binary(Op::kMul, U64(0xcd9e8d57), c[2]);
      const auto mixed = [&](Val product, Val word, uint32_t key) {
        return Binary(Op::kXor, Binary(Op::kXor, Right(product, 32), word), U64(key));
      };
      c = {mixed(p1, c[1], key0), Low(p1), mixed(p0, c[3], key1), Low(p0)};
      key0 += 0x9e3779b9;
      key1 += 0xbb67ae85;
    }
    return c;
  }

  // The element's own word of 32 bits, or, where a block makes two, of 64.
  Val Word(uint64_t per_block) const {
    const Words w = Block(per_block);
    if (per_block == 4) {
      const Val first = b_.Select(IsRest(4, 0), w[0], w[1]);
      const Val second = b_.Select(IsRest(4, 2), w[2], w[3]);
      return b_.Select(b_.Compare(Op::kLower, Binary(Op::kAnd, Position(), U64(3)), U64(2)), first,
                       second);
    }
    const Val even = IsRest(2, 0);
    return Joined(b_.Select(even, w[0], w[2]), b_.Select(even, w[1], w[3]));
  }
  Val Joined(Val low, Val high) const { return Binary(Op::kOr, low, Left(high, 32)); }

  // The upper bits of a word over their range; exact, as all scaling here: 24 bits, f64 53.
  Val Fraction24(Val word, Reg reg) const { return Scaled(Right(word, 8), 0x1p-24, reg); }
  Val Fraction53(Val word) const { return Scaled(Right(word, 11), 0x1p-53, Reg::kF64); }
  Val Scaled(Val bits, double unit, Reg reg) const {
    return Binary(Op::kMul, b_.Convert(bits, reg), b_.Number(reg, unit));
  }

  Val UniformFloat() const {
    const Val low = in_.scalar(0, reg_);
    const Val range = Binary(Op::kSub, in_.scalar(1, reg_), low);
    const Val u = wide_ ? Fraction53(Word(2)) : Fraction24(Word(4), reg_);
    return Binary(Op::kAdd, low, Binary(Op::kMul, u, range));
  }

  // mean + deviation * z, by Box and Muller: the radius sqrt(-2 log u1) times the cosine of a turn
  // by u2 for even elements, its sine for odd ones. u1 is above 0, at most 1.
  Val Normal() const {
    const Words w = Block(2);
    const double unit = wide_ ? 0x1p-53 : 0x1p-24;
    const Val first = wide_ ? Right(Joined(w[0], w[1]), 11) : Right(w[0], 8);
    const Val u1 = Scaled(Binary(Op::kAdd, first, U64(1)), unit, reg_);
    const Val u2 = wide_ ? Fraction53(Joined(w[2], w[3])) : Fraction24(w[1], reg_);
    const Val log = b_.Unary(Op::kLog, u1);
    const Val radius = b_.Unary(Op::kSqrt, Binary(Op::kMul, b_.Number(reg_, -2), log));
    const double turn = 2 * std::numbers::pi;
    const Val tau = b_.Number(reg_, wide_ ? turn : static_cast<float>(turn));
    const Val angle = Binary(Op::kMul, tau, u2);
    const Val wave = b_.Select(IsRest(2, 0), b_.Unary(Op::kCos, angle), b_.Unary(Op::kSin, angle));
    const Val step = Binary(Op::kMul, in_.scalar(1, reg_), Binary(Op::kMul, radius, wave));
    return Binary(Op::kAdd, in_.scalar(0, reg_), step);
  }

  // low + the high half of word * range, ranges modulo the width of the dtype.
  Val UniformInt() const {
    const Val low = b_.Convert(in_.scalar(0, reg_), Reg::kU64);
    Val range = Binary(Op::kSub, b_.Convert(in_.scalar(1, reg_), Reg::kU64), low);
    Val step;
    if (wide_) {
      step = HighHalf(Word(2), range);
    } else {
      range = Binary(Op::kAnd, range, U64((uint64_t{1} << ir::BitWidth(in_.dtype)) - 1));
      step = Right(Binary(Op::kMul, Word(4), range), 32);
    }
    return b_.Convert(Binary(Op::kAdd, low, step), reg_);
  }
  // Of a product of 128 bits, from its four parts.
  Val HighHalf(Val x, Val y) const {
    const Val x0 = Low(x);
    const Val x1 = Right(x, 32);
    const Val y0 = Low(y);
    const Val y1 = Right(y, 32);
    const Val inner =
        Binary(Op::kAdd, Binary(Op::kMul, x1, y0), Right(Binary(Op::kMul, x0, y0), 32));
    const Val outer = Binary(Op::kAdd, Binary(Op::kMul, x0, y1), Low(inner));
    return Binary(Op::kAdd, Binary(Op::kMul, x1, y1),
                  Binary(Op::kAdd, Right(inner, 32), Right(outer, 32)));
  }

  const RandomLowering& in_;
  BlockBuilder& b_;
  const Reg reg_;
  const bool wide_;
};

}  // namespace

Val LowerRandom(const RandomLowering& in) { return Random(in).Run(); }

}  // namespace faultline::fusion
