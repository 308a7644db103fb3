// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/attributes.h"

#include <algorithm>

namespace faultline::ir {
namespace {

constexpr std::array<std::string_view, 6> kUpdateWords = {"assign", "add", "mul",
                                                          "min",    "max", "or"};
constexpr std::array<std::string_view, 2> kRangeWords = {"min_max", "abs_mean"};
constexpr std::array<std::string_view, 3> kOrderWords = {"l1", "l2", "inf"};

using Spelling = AttributeSpelling;
using Key = AttributeKey;

const std::array<AttributeInfo, kAttributeKeyCount> kInfos = {{
    {Key::kDim, "dim", Spelling::kInt, std::nullopt, {}},
    {Key::kDimOptional, "dim", Spelling::kInt, std::nullopt, {}},
    {Key::kDims, "dims", Spelling::kIntList, std::nullopt, {}},
    {Key::kAxes, "axes", Spelling::kIntList, std::nullopt, {}},
    {Key::kTimes, "times", Spelling::kInt, std::nullopt, {}},
    {Key::kSlices, "slices", Spelling::kSliceList, std::nullopt, {}},
    {Key::kDescending, "descending", Spelling::kBool, 0, {}},
    {Key::kUpdate, "update", Spelling::kWord, std::nullopt, kUpdateWords},
    {Key::kRange, "range", Spelling::kWord, 0, kRangeWords},
    {Key::kStep, "step", Spelling::kInt, std::nullopt, {}},
    {Key::kK, "k", Spelling::kInt, std::nullopt, {}},
    {Key::kStart, "start", Spelling::kInt, std::nullopt, {}},
    {Key::kLength, "length", Spelling::kInt, std::nullopt, {}},
    {Key::kShift, "shift", Spelling::kInt, std::nullopt, {}},
    {Key::kDiagonal, "diagonal", Spelling::kInt, 0, {}},
    {Key::kClasses, "classes", Spelling::kInt, std::nullopt, {}},
    {Key::kGroups, "groups", Spelling::kInt, std::nullopt, {}},
    {Key::kDdof, "ddof", Spelling::kInt, std::nullopt, {}},
    {Key::kOrder, "p", Spelling::kWord, std::nullopt, kOrderWords},
    {Key::kSeed, "seed", Spelling::kInt, std::nullopt, {}},
    {Key::kOffset, "offset", Spelling::kInt, 0, {}},
    {Key::kChunks, "chunks", Spelling::kInt, std::nullopt, {}},
}};

// A bound as Python reads it: negative ones count from the end, then it is clamped to the axis.
int64_t NormalizeBound(int64_t bound, int64_t extent) {
  if (bound < 0) bound += extent;
  return std::clamp<int64_t>(bound, 0, extent);
}

}  // namespace

SliceWalk NormalizeSlice(const SliceTriple& slice, int64_t extent) {
  const int64_t start = NormalizeBound(slice.start, extent);
  const int64_t stop = NormalizeBound(slice.stop, extent);
  SliceWalk walk{start, slice.step, 0};
  if (stop <= start || slice.step == 0) return walk;
  // Unsigned, because the magnitude of INT64_MIN is no int64_t.
  const uint64_t magnitude = slice.step < 0 ? uint64_t{0} - static_cast<uint64_t>(slice.step)
                                            : static_cast<uint64_t>(slice.step);
  const auto length = static_cast<uint64_t>(stop - start);
  walk.count = static_cast<int64_t>((length - 1) / magnitude + 1);
  if (slice.step < 0) walk.first = stop - 1;
  return walk;
}

const AttributeInfo& InfoOf(AttributeKey key) { return kInfos[static_cast<size_t>(key)]; }

bool Attributes::Has(AttributeKey key) const {
  return std::ranges::any_of(entries_, [key](const Entry& e) { return e.key == key; });
}

int64_t Attributes::Int(AttributeKey key) const {
  const auto values = List(key);
  return values.empty() ? InfoOf(key).default_value.value_or(0) : values[0];
}

std::span<const int64_t> Attributes::List(AttributeKey key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.values;
  }
  return {};
}

std::vector<SliceTriple> Attributes::Slices() const {
  const auto flat = List(AttributeKey::kSlices);
  std::vector<SliceTriple> slices(flat.size() / 3);
  for (size_t i = 0; i < slices.size(); ++i) {
    slices[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  }
  return slices;
}

void Attributes::Set(AttributeKey key, int64_t value) { Set(key, std::vector<int64_t>{value}); }

void Attributes::Set(AttributeKey key, std::vector<int64_t> values) {
  if (values.size() == 1 && values[0] == InfoOf(key).default_value) return Clear(key);
  const auto at = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  if (at != entries_.end() && at->key == key) {
    at->values = std::move(values);
  } else {
    entries_.insert(at, Entry{key, std::move(values)});
  }
}

void Attributes::SetSlices(std::span<const SliceTriple> slices) {
  std::vector<int64_t> flat;
  flat.reserve(3 * slices.size());
  for (const SliceTriple& slice : slices) {
    flat.insert(flat.end(), {slice.start, slice.stop, slice.step});
  }
  Set(AttributeKey::kSlices, std::move(flat));
}

void Attributes::Clear(AttributeKey key) {
  std::erase_if(entries_, [key](const Entry& e) { return e.key == key; });
}

}  // namespace faultline::ir
