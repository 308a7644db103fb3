// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Movement: results whose elements are elements of operands. A kernel says where each comes from;
// what is moved (cells, sets, codes with their scales) is decided here, once. Not for what the
// indices mean: that is in the kernels.

#ifndef REFERENCE_MOVEMENT_H_
#define REFERENCE_MOVEMENT_H_

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/shape.h"
#include "reference/kernel.h"

namespace faultline::reference {

using MultiIndex = std::array<int64_t, ir::kRankMax>;

// Row-major number of the element at `index`.
inline int64_t NumberOf(const ir::Shape& shape, const MultiIndex& index) {
  int64_t number = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    number = number * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return number;
}

// Calls f(index) for every element, in row-major order.
template <class F>
void ForEachIndex(const ir::Shape& shape, const F& f) {
  const int64_t n = shape.NumElements();
  MultiIndex index = {};
  for (int64_t i = 0; i < n; ++i) {
    f(std::as_const(index));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < shape[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
}

struct Movement {
  // Element i of the result is element at[i] of operand which[i]; `which` empty: operand 0.
  std::vector<int32_t> which;
  std::vector<int64_t> at;
  // Sets only: elements that may come from any of several elements of operand 0; none listed: from
  // any element of it.
  std::map<int64_t, std::vector<int64_t>> choices;
};

// f(index in the result, index in the operand to be filled in) -> nothing.
template <class F>
Movement MovementOf(const ir::Shape& result, const ir::Shape& operand, const F& f) {
  Movement movement;
  movement.at.reserve(static_cast<size_t>(result.NumElements()));
  ForEachIndex(result, [&](const MultiIndex& to) {
    MultiIndex from = to;
    f(to, from);
    movement.at.push_back(NumberOf(operand, from));
  });
  return movement;
}

// Carries the movement out. Quantized: codes and scales move where ir::MovesCodes says so;
// otherwise the operands are dequantized, moved and quantized by the result's scheme.
void Move(const Call<Exact>& call, const Movement& movement);
void Move(const Call<Sets>& call, const Movement& movement);

// A view of operand 0.
template <class A, class F>
void MoveView(const Call<A>& call, const F& f) {
  Move(call, MovementOf(TypeOf(call.result()).shape, TypeOf(call.operand(0)).shape, f));
}

}  // namespace faultline::reference

#endif  // REFERENCE_MOVEMENT_H_
