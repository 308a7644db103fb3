// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Scatter, select_assign and scatter_nd: values written to places named by data.

#include <algorithm>
#include <utility>

#include "reference/bounds.h"
#include "reference/index_places.h"
#include "reference/movement.h"
#include "reference/nature.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// One write of a scatter. Not certain: its index may name another place as well.
struct PlacedWrite {
  int64_t target;
  int64_t value;
  bool certain;
};

// All writes, by target, those to one target in row-major order of the index tensor. `index_of`
// gives the number of the index that decides where a value goes, `target_of` the element for a
// place that it names. Requires that no index may name any place.
template <class IndexOf, class TargetOf>
std::vector<PlacedWrite> WritesOf(const ir::Shape& shape, const ir::Shape& values,
                                  const Indices& indices, const IndexOf& index_of,
                                  const TargetOf& target_of) {
  std::vector<PlacedWrite> writes;
  if (shape.NumElements() == 0) return writes;
  int64_t i = 0;
  ForEachIndex(values, [&](const MultiIndex& at) {
    const int64_t index = index_of(i, at);
    const auto several = indices.several.find(index);
    const bool certain = several == indices.several.end();
    const auto add = [&](int64_t place) {
      writes.push_back({target_of(i, at, place), i, certain});
    };
    if (certain) add(indices.first[At(index)]);
    if (!certain) std::ranges::for_each(several->second, add);
    ++i;
  });
  // By target, stably: place each behind those with smaller targets.
  std::vector<size_t> next(At(shape.NumElements()) + 1, 0);
  for (const PlacedWrite& write : writes) ++next[At(write.target) + 1];
  for (size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  std::vector<PlacedWrite> sorted(writes.size());
  for (const PlacedWrite& write : writes) sorted[next[At(write.target)]++] = write;
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

// Bools alone combine by or.
template <class A>
typename A::Int Joined(const A& algebra, const typename A::Int& x, const typename A::Int& y) {
  return algebra.Or(x, y);
}
template <class A>
typename A::Float Joined(const A&, const typename A::Float& x, const typename A::Float&) {
  return x;
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
T Updated(const Call<A>& call, T x, std::span<const PlacedWrite> writes, const T& neutral,
          const Read& read) {
  const A& algebra = call.algebra;
  const auto update = static_cast<ir::Update>(call.attributes.Int(ir::AttributeKey::kUpdate));
  std::vector<T> values;
  for (const PlacedWrite& write : writes) {
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
      case ir::Update::kOr:
        x = sure ? Joined(algebra, x, value) : Either(algebra, Joined(algebra, x, value), x);
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
void WriteAs(const Call<A>& call, const std::vector<PlacedWrite>& writes, const Reader& at) {
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

template <class A, class IndexOf, class TargetOf>
void Write(const Call<A>& call, const Indices& indices, const IndexOf& index_of,
           const TargetOf& target_of) {
  if (indices.anywhere) return PutEverything(call);
  const std::vector<PlacedWrite> writes = WritesOf(
      TypeOf(call.operand(0)).shape, TypeOf(call.operand(2)).shape, indices, index_of, target_of);
  if (ir::IsFloat(call.algebra.operand())) {
    WriteAs(call, writes, AsFloats());
  } else {
    WriteAs(call, writes, AsInts());
  }
}

// Along one axis; `index_of` as above.
template <class A, class IndexOf>
void WriteAlong(const Call<A>& call, const IndexOf& index_of) {
  const ir::Shape& shape = TypeOf(call.operand(0)).shape;
  const size_t dim = At(call.attributes.dim());
  const Indices indices = ReadIndices(call, shape[static_cast<int>(dim)]);
  Write(call, indices, index_of, [&](int64_t, MultiIndex to, int64_t place) {
    to[dim] = place;
    return NumberOf(shape, to);
  });
}

}  // namespace

FAULTLINE_KERNEL(Scatter) {
  WriteAlong(call, [](int64_t i, const MultiIndex&) { return i; });
}

FAULTLINE_KERNEL(SelectAssign) {
  const size_t dim = At(call.attributes.dim());
  WriteAlong(call, [&](int64_t, const MultiIndex& at) { return at[dim]; });
}

FAULTLINE_KERNEL(ScatterNd) {
  const int64_t part = ElementsOfPart(TypeOf(call.operand(0)).shape, TypeOf(call.operand(1)).shape);
  Write(
      call, ReadTuples(call), [&](int64_t i, const MultiIndex&) { return i / part; },
      [&](int64_t i, const MultiIndex&, int64_t place) { return place * part + i % part; });
}

}  // namespace faultline::reference
