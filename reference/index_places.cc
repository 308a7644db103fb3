// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/index_places.h"

#include <algorithm>

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// An index that may name more places than this is taken to name any: listing them would cost as
// much as all elements, for each index.
constexpr int64_t kPlacesMax = 64;

// What one element of the index operand names on an axis.
struct Named {
  std::vector<int64_t> places;  // none: out of range, or any if `many`
  bool many = false;
};

void ReadOne(const Call<Exact>& call, int64_t i, int64_t bound, Named& named) {
  const int64_t index = call.operand(1).Int(i);
  named.places.clear();
  if (index >= 0 && index < bound) {
    named.places.push_back(index);
  } else {
    call.errors.Report(true, {i, index, bound});
  }
}

void ReadOne(const Call<Sets>& call, int64_t i, int64_t bound, Named& named) {
  const IntSet set = call.operand(1).IntAt(i);
  named.places.clear();
  if (set.enumerated()) {
    for (int k = 0; k < set.count; ++k) {
      const int64_t index = set.values[At(k)];
      if (index >= 0 && index < bound) named.places.push_back(index);
    }
  }
  const int64_t low = std::max<int64_t>(set.lo, 0);
  const int64_t high = std::min(set.hi, bound - 1);
  named.many = !set.enumerated() && high - low >= kPlacesMax;
  for (int64_t index = low; !set.enumerated() && !named.many && index <= high; ++index) {
    named.places.push_back(index);
  }
  const bool none = named.places.empty() && !named.many;
  if (set.lo < 0) {
    call.errors.Report(none, {i, set.lo, bound});
  } else if (set.hi >= bound) {
    call.errors.Report(none, {i, set.hi, bound});
  }
}

// Takes down what index number `i` names.
void Note(Indices& indices, int64_t i, const Named& named) {
  indices.first.push_back(named.places.empty() ? 0 : named.places[0]);
  if (named.many) indices.several[i] = {};
  if (!named.many && named.places.size() > 1) indices.several[i] = named.places;
  indices.anywhere = indices.anywhere || named.many;
}

// Each place that an axis names within each one that the axes before it name.
Named Within(const Named& outer, const Named& axis, int64_t extent) {
  Named named;
  named.many = outer.many || axis.many ||
               static_cast<int64_t>(outer.places.size() * axis.places.size()) > kPlacesMax;
  if (named.many) return named;
  for (const int64_t place : outer.places) {
    for (const int64_t index : axis.places) named.places.push_back(place * extent + index);
  }
  return named;
}

template <class A>
Indices ReadAlong(const Call<A>& call, int64_t bound) {
  Indices indices;
  Named named;  // reused, so that points allocate nothing
  for (int64_t i = 0; i < TypeOf(call.operand(1)).NumElements(); ++i) {
    ReadOne(call, i, bound, named);
    Note(indices, i, named);
  }
  return indices;
}

template <class A>
Indices ReadAllTuples(const Call<A>& call) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const ir::Shape& index = TypeOf(call.operand(1)).shape;
  const int64_t tuple = index[index.rank() - 1];
  Indices indices;
  Named of_axis;
  for (int64_t i = 0; i < index.NumElements() / tuple; ++i) {
    Named named = {{0}, false};
    for (int64_t axis = 0; axis < tuple; ++axis) {
      const int64_t extent = operand[static_cast<int>(axis)];
      ReadOne(call, i * tuple + axis, extent, of_axis);
      named = Within(named, of_axis, extent);
    }
    Note(indices, i, named);
  }
  return indices;
}

}  // namespace

Indices ReadIndices(const Call<Exact>& call, int64_t bound) { return ReadAlong(call, bound); }
Indices ReadIndices(const Call<Sets>& call, int64_t bound) { return ReadAlong(call, bound); }
Indices ReadTuples(const Call<Exact>& call) { return ReadAllTuples(call); }
Indices ReadTuples(const Call<Sets>& call) { return ReadAllTuples(call); }

int64_t ElementsOfPart(const ir::Shape& operand, const ir::Shape& index) {
  int64_t elements = 1;
  for (int axis = static_cast<int>(index[index.rank() - 1]); axis < operand.rank(); ++axis) {
    elements *= operand[axis];
  }
  return elements;
}

}  // namespace faultline::reference
