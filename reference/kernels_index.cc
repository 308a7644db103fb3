// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Select, gather and gather_nd: elements read at places named by data.

#include <algorithm>

#include "reference/index_places.h"
#include "reference/movement.h"
#include "reference/quantize_arithmetic.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

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

// Reads whole parts of operand 0, which tuples name.
template <class A>
void ReadParts(const Call<A>& call) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const int64_t part = ElementsOfPart(operand, TypeOf(call.operand(1)).shape);
  const Indices indices = ReadTuples(call);
  const int64_t elements = TypeOf(call.result()).NumElements();
  if (elements > 0 && operand.NumElements() == 0) return PutNothing(call);
  Movement movement;
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t tuple = i / part;
    if (const auto several = indices.several.find(tuple); several != indices.several.end()) {
      auto& choices = movement.choices[i];
      for (const int64_t place : several->second) choices.push_back(place * part + i % part);
    }
    movement.at.push_back(indices.first[At(tuple)] * part + i % part);
  }
  Move(call, movement);
}

}  // namespace

FAULTLINE_KERNEL(Select) {
  const size_t dim = At(call.attributes.dim());
  ReadAt(call, [&](const MultiIndex& to) { return to[dim]; });
}

FAULTLINE_KERNEL(Gather) {
  const ir::Shape& shape = TypeOf(call.operand(1)).shape;
  ReadAt(call, [&](const MultiIndex& to) { return NumberOf(shape, to); });
}

FAULTLINE_KERNEL(GatherNd) { ReadParts(call); }

}  // namespace faultline::reference
