// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Select, gather, gather_nd and embedding: elements read at places named by data.

#include <algorithm>

#include "reference/index_places.h"
#include "reference/movement.h"
#include "reference/quantize_arithmetic.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// There is nothing to read from: every element is spoiled. What is derived from them needs every
// part of a quantized tensor all the same.
void PutNothing(const Call<Exact>& call) {
  Points& result = call.result();
  std::ranges::fill(result.cells, Cell{0});
  if (!result.type.quantized()) return;
  const ir::Scheme& scheme = result.type.scheme();
  const size_t count = At(ScaleCount(scheme, result.type.shape));
  result.scales.assign(count, 0);
  result.zeros.assign(scheme.asymmetric() ? count : 0, 0);
  result.tensor_scale = call.operand(0).tensor_scale;
}
void PutNothing(const Call<Sets>& call) {
  for (int64_t i = 0; i < call.result().size(); ++i) call.result().PutCell(i, Cell{0});
}

// Reads operand 0 along `dim` where an index says; `index_of` gives the number of the index element
// that decides an element of the result, `rest_of` its place along the other axes.
template <class A, class F, class G>
void ReadAt(const Call<A>& call, size_t dim, const F& index_of, const G& rest_of) {
  const ir::Shape& operand = TypeOf(call.operand(0)).shape;
  const Indices indices = ReadIndices(call, operand[static_cast<int>(dim)]);
  // Without an index nothing is read, and the result keeps the operand's scale.
  const bool reads = TypeOf(call.operand(1)).NumElements() > 0;
  if (reads && operand[static_cast<int>(dim)] == 0) return PutNothing(call);
  Movement movement;
  ForEachIndex(TypeOf(call.result()).shape, [&](const MultiIndex& to) {
    const int64_t index = index_of(to);
    MultiIndex from = rest_of(to);
    from[dim] = indices.first[At(index)];
    if (const auto several = indices.several.find(index); several != indices.several.end()) {
      auto& choices = movement.choices[static_cast<int64_t>(movement.at.size())];
      for (const int64_t place : several->second) {
        MultiIndex choice = from;
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
  ReadAt(
      call, dim, [&](const MultiIndex& to) { return to[dim]; },
      [](const MultiIndex& to) { return to; });
}

FAULTLINE_KERNEL(Gather) {
  const ir::Shape& shape = TypeOf(call.operand(1)).shape;
  ReadAt(
      call, At(call.attributes.dim()), [&](const MultiIndex& to) { return NumberOf(shape, to); },
      [](const MultiIndex& to) { return to; });
}

// Rows of a table: the index's axes, then the place in the row.
FAULTLINE_KERNEL(Embedding) {
  const ir::Shape& shape = TypeOf(call.operand(1)).shape;
  ReadAt(
      call, 0, [&](const MultiIndex& to) { return NumberOf(shape, to); },
      [&](const MultiIndex& to) { return MultiIndex{0, to[At(shape.rank())]}; });
}

FAULTLINE_KERNEL(GatherNd) { ReadParts(call); }

}  // namespace faultline::reference
