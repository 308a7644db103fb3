// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Select, gather and scatter: places named by data. An index out of range is reported, and what it
// would have moved is left at the first element; the value is spoiled anyway. An ambiguous index
// unites what it may name (rule R5 of the oracle).

#include <algorithm>
#include <utility>

#include "reference/bounds.h"
#include "reference/movement.h"
#include "reference/nature.h"
#include "reference/quantize_arithmetic.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// An index that may name more places than this is taken to name any: listing them would cost as
// much as all elements, for each index.
constexpr int64_t kPlacesMax = 64;

// What the elements of an index operand name.
struct Indices {
  std::vector<int64_t> first;  // one place in range; 0 if there is none
  // Element -> places, if it may name several; none listed: it may name any.
  std::map<int64_t, std::vector<int64_t>> several;
  bool anywhere = false;  // some element may name any place
};

Indices ReadIndices(const Call<Exact>& call, int64_t bound) {
  Indices indices;
  const Points& operand = call.operand(1);
  for (int64_t i = 0; i < operand.type.NumElements(); ++i) {
    const int64_t index = operand.Int(i);
    const bool inside = index >= 0 && index < bound;
    if (!inside) call.errors.Report(true, {i, index, bound});
    indices.first.push_back(inside ? index : 0);
  }
  return indices;
}

Indices ReadIndices(const Call<Sets>& call, int64_t bound) {
  Indices indices;
  const Enclosure& operand = call.operand(1);
  for (int64_t i = 0; i < operand.size(); ++i) {
    const IntSet set = operand.IntAt(i);
    std::vector<int64_t> places;
    if (set.enumerated()) {
      for (int k = 0; k < set.count; ++k) {
        const int64_t index = set.values[At(k)];
        if (index >= 0 && index < bound) places.push_back(index);
      }
    }
    const int64_t low = std::max<int64_t>(set.lo, 0);
    const int64_t high = std::min(set.hi, bound - 1);
    const bool many = !set.enumerated() && high - low >= kPlacesMax;
    for (int64_t index = low; !set.enumerated() && !many && index <= high; ++index) {
      places.push_back(index);
    }
    const bool none = places.empty() && !many;
    if (set.lo < 0) {
      call.errors.Report(none, {i, set.lo, bound});
    } else if (set.hi >= bound) {
      call.errors.Report(none, {i, set.hi, bound});
    }
    indices.first.push_back(places.empty() ? 0 : places[0]);
    if (many || places.size() > 1) indices.several[i] = std::move(places);
    indices.anywhere = indices.anywhere || many;
  }
  return indices;
}

// There is nothing to read from: every element is spoiled.
void PutNothing(const Call<Exact>& call) {
  const ir::Type& type = call.result().type;
  std::ranges::fill(call.result().cells, Cell{0});
  if (type.quantized()) call.result().scales.resize(At(ScaleCount(type.scheme(), type.shape)));
}
void PutNothing(const Call<Sets>& call) {
  for (int64_t i = 0; i < call.result().size(); ++i) call.result().PutCell(i, Cell{0});
}

// Reads operand 0 along `dim` where an index says; `index_of` gives the number of the index element
// that decides an element of the result.
template <class A, class F>
void ReadAt(const Call<A>& call, const F& index_of) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const size_t dim = At(call.attributes.dim());
  const Indices indices = ReadIndices(call, operand[static_cast<int>(dim)]);
  // Without an index nothing is read, and the result keeps the operand's scale.
  const bool reads = TypeOf(call.operand(1)).NumElements() > 0;
  if (reads && operand[static_cast<int>(dim)] == 0) return PutNothing(call);
  Movement movement;
  ForEachIndex(TypeOf(call.result()).shape, [&](const MultiIndex& to) {
    const int64_t index = index_of(to);
    MultiIndex from = to;
    from[dim] = indices.first[At(index)];
    if (const auto several = indices.several.find(index); several != indices.several.end()) {
      auto& choices = movement.choices[static_cast<int64_t>(movement.at.size())];
      for (const int64_t place : several->second) {
        MultiIndex choice = to;
        choice[dim] = place;
        choices.push_back(NumberOf(operand, choice));
      }
    }
    movement.at.push_back(NumberOf(operand, from));
  });
  Move(call, movement);
}

// One write of a scatter. Not certain: its index may name another place as well.
struct Write {
  int64_t target;
  int64_t value;
  bool certain;
};

// All writes, by target, those to one target in row-major order of the index tensor. Requires that
// no index may name any place.
template <class A>
std::vector<Write> WritesOf(const Call<A>& call, const Indices& indices) {
  const ir::Shape& shape = TypeOf(call.operand(0)).shape;
  const size_t dim = At(call.attributes.dim());
  std::vector<Write> writes;
  if (shape.NumElements() == 0) return writes;
  int64_t i = 0;
  ForEachIndex(TypeOf(call.operand(1)).shape, [&](MultiIndex to) {
    const auto several = indices.several.find(i);
    const bool certain = several == indices.several.end();
    const auto add = [&](int64_t place) {
      to[dim] = place;
      writes.push_back({NumberOf(shape, to), i, certain});
    };
    if (certain) add(indices.first[At(i)]);
    if (!certain) std::ranges::for_each(several->second, add);
    ++i;
  });
  // By target, stably: place each behind those with smaller targets.
  std::vector<size_t> next(At(shape.NumElements()) + 1, 0);
  for (const Write& write : writes) ++next[At(write.target) + 1];
  for (size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  std::vector<Write> sorted(writes.size());
  for (const Write& write : writes) sorted[next[At(write.target)]++] = write;
  return sorted;
}

// Scatter is no movement, so the payload of a NaN is not pinned. Sets have none.
double AnyPayload(double value) { return std::isnan(value) ? FreeNan() : value; }
template <class T>
const T& AnyPayload(const T& value) {
  return value;
}

// x or y.
FloatSet Either(const Sets&, FloatSet x, const FloatSet& y) {
  x.Unite(y);
  return x;
}
IntSet Either(const Sets& sets, IntSet x, const IntSet& y) {
  x.Unite(sets.operand(), y);
  return x;
}
template <class T>
T Either(const Exact&, const T& x, const T&) {
  return x;  // every write of a naive scatter is certain
}

// The element and all that is added to it: floats in any order, accumulated in f32 or f64 and
// rounded once.
double AddAll(const Exact& exact, double x, std::vector<double> values) {
  if (Nature* nature = exact.nature()) {
    values.push_back(x);
    return Round(exact.result(), nature->Sum(ComputeDtype(exact.result()), std::move(values)));
  }
  for (const double value : values) x = Round(ComputeDtype(exact.result()), x + value);
  return Round(exact.result(), x);
}
FloatSet AddAll(const Sets& sets, const FloatSet& x, const std::vector<FloatSet>& values) {
  return sets.CastToFloat(SumSet(ComputeDtype(sets.result()), sets.contract(), [&](auto& bound) {
    bound.Add(x);
    for (const FloatSet& value : values) bound.Add(value);
  }));
}
template <class A>
typename A::Int AddAll(const A& algebra, typename A::Int x,
                       const std::vector<typename A::Int>& values) {
  for (const typename A::Int& value : values) x = algebra.Add(x, value);
  return x;
}

double MulAll(const Exact& exact, double x, std::vector<double> values) {
  if (Nature* nature = exact.nature()) {
    values.push_back(x);
    return Round(exact.result(), nature->Product(ComputeDtype(exact.result()), std::move(values)));
  }
  for (const double value : values) x = Round(ComputeDtype(exact.result()), x * value);
  return Round(exact.result(), x);
}
FloatSet MulAll(const Sets& sets, const FloatSet& x, const std::vector<FloatSet>& values) {
  ProductBound bound(ComputeDtype(sets.result()), sets.contract());
  bound.Multiply(x);
  for (const FloatSet& value : values) bound.Multiply(value);
  return sets.CastToFloat(bound.Result(sets.contract().wider_intermediates));
}
template <class A>
typename A::Int MulAll(const A& algebra, typename A::Int x,
                       const std::vector<typename A::Int>& values) {
  for (const typename A::Int& value : values) x = algebra.Mul(x, value);
  return x;
}

// One target: element x of operand 0 and the writes to it. `neutral` leaves an element as it is.
template <class A, class T, class Read>
T Updated(const Call<A>& call, T x, std::span<const Write> writes, const T& neutral,
          const Read& read) {
  const A& algebra = call.algebra;
  const auto update = static_cast<ir::Update>(call.attributes.Int(ir::AttributeKey::kUpdate));
  std::vector<T> values;
  for (const Write& write : writes) {
    T value = read(write.value);
    const bool sure = write.certain;
    switch (update) {
      case ir::Update::kAssign:
        x = sure ? value : Either(algebra, value, x);
        break;
      case ir::Update::kMin:
        x = sure ? algebra.Min(x, value) : Either(algebra, algebra.Min(x, value), x);
        break;
      case ir::Update::kMax:
        x = sure ? algebra.Max(x, value) : Either(algebra, algebra.Max(x, value), x);
        break;
      case ir::Update::kAdd:
      case ir::Update::kMul:
        values.push_back(sure ? value : Either(algebra, value, neutral));
        break;
    }
  }
  if (update == ir::Update::kAdd) return AddAll(algebra, x, values);
  if (update == ir::Update::kMul) return MulAll(algebra, x, values);
  return x;
}

// Where a write may go anywhere, nothing is said of the result.
void PutEverything(const Call<Exact>&) {}
void PutEverything(const Call<Sets>& call) {
  Enclosure& result = call.result();
  for (int64_t i = 0; i < result.size(); ++i) {
    if (result.is_float()) result.Put(i, FloatSet::Everything(result.dtype()));
    if (!result.is_float()) result.Put(i, IntSet::Full(result.dtype()));
  }
}

template <class A, class Reader>
void ScatterAs(const Call<A>& call, const Reader& at) {
  const int dim = static_cast<int>(call.attributes.dim());
  const Indices indices = ReadIndices(call, TypeOf(call.operand(0)).shape[dim]);
  if (indices.anywhere) return PutEverything(call);
  const std::vector<Write> writes = WritesOf(call, indices);
  const auto update = static_cast<ir::Update>(call.attributes.Int(ir::AttributeKey::kUpdate));
  const auto neutral = at.Constant(call.algebra, update == ir::Update::kMul ? 1 : 0);
  auto write = writes.begin();
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const auto begin = write;
    while (write != writes.end() && write->target == i) ++write;
    auto x = at.Read(call.operand(0), i);
    if (begin != write) {
      x = Updated(call, x, std::span(begin, write), neutral,
                  [&](int64_t j) { return at.Read(call.operand(2), j); });
    }
    PutAt(call.result(), i, AnyPayload(x));
  }
}

struct AsFloats {
  template <class A>
  typename A::Float Constant(const A& algebra, int64_t value) const {
    return algebra.FloatOf(ToCell(static_cast<double>(value)));
  }
  template <class T>
  auto Read(const T& tensor, int64_t i) const {
    return FloatAt(tensor, i);
  }
};
struct AsInts {
  template <class A>
  typename A::Int Constant(const A& algebra, int64_t value) const {
    return algebra.IntOf(ToCell(value));
  }
  template <class T>
  auto Read(const T& tensor, int64_t i) const {
    return IntAt(tensor, i);
  }
};

}  // namespace

FAULTLINE_KERNEL(Select) {
  const size_t dim = At(call.attributes.dim());
  ReadAt(call, [&](const MultiIndex& to) { return to[dim]; });
}

FAULTLINE_KERNEL(Gather) {
  const ir::Shape& shape = TypeOf(call.operand(1)).shape;
  ReadAt(call, [&](const MultiIndex& to) { return NumberOf(shape, to); });
}

FAULTLINE_KERNEL(Scatter) {
  if (ir::IsFloat(call.algebra.operand())) {
    ScatterAs(call, AsFloats());
  } else {
    ScatterAs(call, AsInts());
  }
}

}  // namespace faultline::reference
