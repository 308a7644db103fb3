// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Index maps against views carried out one by one on a list of indices.

#include "fusion/plan/path.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace faultline::fusion {
namespace {

// A symbol for each extent met.
class Symbols {
 public:
  Symbols() { bindings.extents = {0, 1}; }
  SymbolicShape Of(const ir::Shape& shape) {
    SymbolicShape symbolic;
    for (int64_t extent : shape) {
      size_t at = 0;
      while (at < bindings.extents.size() && bindings.extents[at] != extent) ++at;
      if (at == bindings.extents.size()) bindings.extents.push_back(extent);
      symbolic[symbolic.rank++] = static_cast<Symbol>(at);
    }
    return symbolic;
  }
  Bindings bindings;
};

// Where each element of the upper shape lies in memory, by the binding's digits.
std::vector<int64_t> Places(std::span<const PathStep> path, const Stored& stored,
                            const Bindings& bindings, int64_t count) {
  AccessBinding binding;
  BindMap(MapPath(path, stored, bindings), false, binding);
  std::vector<int64_t> places;
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t rest = linear;
    int64_t place = binding.offset;
    for (size_t d = static_cast<size_t>(binding.rank); d-- > 0;) {
      place += rest % binding.extents[d] * binding.strides[d];
      rest /= binding.extents[d];
    }
    places.push_back(place);
  }
  return places;
}

Stored Dense(const ir::Shape& shape) {
  Stored stored;
  stored.shape = shape;
  stored.place.strides = shape.RowMajorStrides();
  return stored;
}

PathStep Permute(Symbols& symbols, const ir::Shape& upper, std::initializer_list<uint8_t> axes) {
  PathStep step;
  step.kind = StepKind::kPermute;
  step.shape = symbols.Of(upper);
  step.lower_rank = static_cast<uint32_t>(axes.size());
  std::copy(axes.begin(), axes.end(), step.axes.begin());
  return step;
}

PathStep Reshape(Symbols& symbols, const ir::Shape& upper, int lower_rank) {
  PathStep step;
  step.kind = StepKind::kReshape;
  step.shape = symbols.Of(upper);
  step.lower_rank = static_cast<uint32_t>(lower_rank);
  return step;
}

}  // namespace

TEST_CASE("a permuted matrix", "[path]") {
  Symbols symbols;
  const std::vector<PathStep> path = {Permute(symbols, {3, 2}, {1, 0})};
  CHECK(IsFeasible(path, false));
  CHECK(KeepsAxes(path, false));
  CHECK(!KeepsLinearOrder(path));
  CHECK(Places(path, Dense({2, 3}), symbols.bindings, 6) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("a slice with a negative step of a flipped axis", "[path]") {
  Symbols symbols;
  PathStep slice;
  slice.kind = StepKind::kSlice;
  slice.shape = symbols.Of({2});
  slice.lower_rank = 1;
  PathStep flip = slice;
  flip.kind = StepKind::kFlip;
  flip.shape = symbols.Of({7});
  flip.axes_mask = 1;
  symbols.bindings.slices = {{1, 5, -3}};  // elements 4 and 1 of the flipped axis
  const std::vector<PathStep> path = {slice, flip};
  CHECK(IsFeasible(path, false));
  CHECK(Places(path, Dense({7}), symbols.bindings, 2) == std::vector<int64_t>{2, 5});
}

TEST_CASE("a reshape at the top is read in the order of what lies below", "[path]") {
  Symbols symbols;
  const std::vector<PathStep> path = {Reshape(symbols, {6}, 2), Permute(symbols, {3, 2}, {1, 0})};
  CHECK(IsFeasible(path, false));
  CHECK(!KeepsAxes(path, true));
  CHECK(Places(path, Dense({2, 3}), symbols.bindings, 6) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("a reshape at the bottom takes dense memory", "[path]") {
  Symbols symbols;
  const std::vector<PathStep> path = {Permute(symbols, {3, 2}, {1, 0}),
                                      Reshape(symbols, {2, 3}, 1)};
  CHECK(!IsFeasible(path, false));
  CHECK(IsFeasible(path, true));
  CHECK(KeepsAxes(path, true));
  CHECK(Places(path, Dense({6}), symbols.bindings, 6) == std::vector<int64_t>{0, 3, 1, 4, 2, 5});
  const Mapped axes = MapAxes(path, Dense({6}), symbols.bindings);
  CHECK(axes.axis_count == 2);
  CHECK(axes.strides[0] == 1);
  CHECK(axes.strides[1] == 3);
}

TEST_CASE("a reshape in the middle is not one map", "[path]") {
  Symbols symbols;
  const std::vector<PathStep> path = {Permute(symbols, {3, 2}, {1, 0}), Reshape(symbols, {2, 3}, 2),
                                      Permute(symbols, {3, 2}, {1, 0})};
  CHECK(!IsFeasible(path, true));
}

TEST_CASE("repeats add a digit and take no slice above them", "[path]") {
  Symbols symbols;
  PathStep repeat;
  repeat.kind = StepKind::kRepeat;
  repeat.shape = symbols.Of({4, 3});
  repeat.lower_rank = 2;
  repeat.dim = 0;
  repeat.times = 2;
  std::vector<PathStep> path = {Permute(symbols, {3, 4}, {1, 0}), repeat};
  CHECK(IsFeasible(path, false));
  CHECK(!KeepsAxes(path, true));
  CHECK(Places(path, Dense({2, 3}), symbols.bindings, 12) ==
        std::vector<int64_t>{0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5});
  PathStep slice = repeat;
  slice.kind = StepKind::kSlice;
  path.insert(path.begin(), slice);
  CHECK(!IsFeasible(path, true));
}

TEST_CASE("windows overlap, keep their axes and take no repeat below them", "[path]") {
  Symbols symbols;
  PathStep unfold;
  unfold.kind = StepKind::kUnfold;
  unfold.shape = symbols.Of({2, 2, 3});  // of [5, 2]: windows of 3 rows, 2 apart
  unfold.lower_rank = 2;
  unfold.dim = 0;
  unfold.times = 2;
  std::vector<PathStep> path = {unfold};
  CHECK(IsFeasible(path, false));
  CHECK(KeepsAxes(path, false));
  CHECK(Places(path, Dense({5, 2}), symbols.bindings, 12) ==
        std::vector<int64_t>{0, 2, 4, 1, 3, 5, 4, 6, 8, 5, 7, 9});
  // One window, and no next one within reach.
  unfold.shape = symbols.Of({1, 2, 3});
  unfold.times = INT64_MAX;
  path = {unfold};
  CHECK(Places(path, Dense({3, 2}), symbols.bindings, 6) == std::vector<int64_t>{0, 2, 4, 1, 3, 5});
  PathStep repeat = unfold;
  repeat.kind = StepKind::kRepeat;
  repeat.shape = symbols.Of({3, 2});
  repeat.times = 3;
  path.push_back(repeat);
  CHECK(!IsFeasible(path, true));
}

TEST_CASE("broadcasts and unit axes", "[path]") {
  Symbols symbols;
  const PathStep expand = ExpandStep(symbols.Of({2, 3, 2}), symbols.Of({3, 1}));
  PathStep units = ExpandStep(symbols.Of({3, 1}), symbols.Of({1, 3}));
  units.kind = StepKind::kUnits;
  const std::vector<PathStep> path = {expand, units};
  CHECK(IsFeasible(path, false));
  CHECK(Places(path, Dense({1, 3}), symbols.bindings, 12) ==
        std::vector<int64_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
}

}  // namespace faultline::fusion
