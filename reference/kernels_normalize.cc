// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Normalisation: (x - mean)/sqrt(variance + eps)*gamma + beta, each step rounded in f32 (f64 for
// f64) and the result once to the dtype. Layer, rms and group norm take the moments of a row of
// neighbours, batch norm takes them as operands.
//
// Sets: step by step. The computed mean and variance are any of theirs, whatever the element; that
// they go together is seen inside of the variance alone (moments.cc).

#include "reference/intermediate.h"
#include "reference/moments.h"

namespace faultline::reference {
namespace {

template <class A>
class Normalizer {
 public:
  using Float = typename A::Float;

  explicit Normalizer(const Call<A>& call)
      : call_(call), compute_(ComputeDtype(call.algebra.result())) {}

  // sqrt(variance + eps).
  Float Denominator(const Float& variance) const {
    const Float eps = call_.algebra.FloatOf(call_.scalar(0));
    const Float sum = Step([&](const A& inner) { return inner.Add(variance, eps); });
    return Step([&](const A& inner) { return inner.Sqrt(sum); });
  }
  Float Centred(const Float& x, const Float& mean) const {
    return Step([&](const A& inner) { return inner.Sub(x, mean); });
  }
  // Element i of the result from its centred value, with the parameters of `channel`.
  void Put(int64_t i, int64_t channel, const Float& centred, const Float& denominator) const {
    const Float unit = Step([&](const A& inner) { return inner.Div(centred, denominator); });
    const Float gamma = FloatAt(call_.operand(1), channel);
    Float value;
    if (call_.operands.size() > 2) {
      const Float beta = FloatAt(call_.operand(2), channel);
      const Float scaled = ProductIntoSum(call_.algebra, compute_, unit, gamma);
      value = Step([&](const A& inner) { return inner.Add(scaled, beta); });
    } else {
      value = Step([&](const A& inner) { return inner.Mul(unit, gamma); });
    }
    PutAt(call_.result(), i, call_.algebra.CastToFloat(value));
  }

 private:
  template <class F>
  Float Step(const F& f) const {
    return Intermediate(call_.algebra, compute_, f);
  }

  const Call<A>& call_;
  ir::Dtype compute_;
};

// Normalises each run of `count` neighbours; `channel_of(i)` is that of element i.
template <class A, class F>
void NormalizeRuns(const Call<A>& call, int64_t count, const F& channel_of) {
  const Normalizer<A> normalizer(call);
  const int64_t n = TypeOf(call.result()).NumElements();
  for (int64_t begin = 0; begin < n; begin += count) {
    const auto x = RowOf<A>(call.operand(0), Row{begin, 1, count});
    const auto mean = MeanOf(call.algebra, x);
    const auto denominator = normalizer.Denominator(VarianceOf(call.algebra, x, mean, 0));
    for (int64_t k = 0; k < count; ++k) {
      const auto centred = normalizer.Centred(x[static_cast<size_t>(k)], mean);
      normalizer.Put(begin + k, channel_of(begin + k), centred, denominator);
    }
  }
}

// Elements behind the channel axis.
int64_t SpaceOf(const ir::Shape& shape) {
  int64_t space = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) space *= shape[axis];
  return space;
}

}  // namespace

FAULTLINE_KERNEL(LayerNorm) {
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const int64_t count = shape[shape.rank() - 1];
  NormalizeRuns(call, count, [count](int64_t i) { return i % count; });
}

FAULTLINE_KERNEL(GroupNorm) {
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const int64_t space = SpaceOf(shape);
  const int64_t channels = shape[1];
  const int64_t groups = call.attributes.Int(ir::AttributeKey::kGroups);
  NormalizeRuns(call, channels / groups * space, [=](int64_t i) { return i / space % channels; });
}

FAULTLINE_KERNEL(RmsNorm) {
  const Normalizer<A> normalizer(call);
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const int64_t count = shape[shape.rank() - 1];
  const int64_t n = shape.NumElements();
  for (int64_t begin = 0; begin < n; begin += count) {
    const auto x = RowOf<A>(call.operand(0), Row{begin, 1, count});
    const auto denominator = normalizer.Denominator(MeanSquareOf(call.algebra, x));
    for (int64_t k = 0; k < count; ++k) {
      normalizer.Put(begin + k, k, x[static_cast<size_t>(k)], denominator);
    }
  }
}

FAULTLINE_KERNEL(BatchNorm) {
  const Normalizer<A> normalizer(call);
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const int64_t space = SpaceOf(shape);
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    const int64_t channel = i / space % shape[1];
    const auto centred =
        normalizer.Centred(FloatAt(call.operand(0), i), FloatAt(call.operand(3), channel));
    normalizer.Put(i, channel, centred, normalizer.Denominator(FloatAt(call.operand(4), channel)));
  }
}

}  // namespace faultline::reference
