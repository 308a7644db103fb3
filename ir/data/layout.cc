// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Inputs whose logical elements lie in a larger or differently ordered storage.

#include <algorithm>
#include <string>

#include "ir/data.h"
#include "ir/element.h"
#include "ir/program.h"

namespace faultline::ir {
namespace {

Status Bad(std::string message) { return {StatusCode::kInvalidProgram, std::move(message)}; }

std::array<int64_t, kRankMax> StridesOf(const Layout& layout, const Shape& shape) {
  auto strides = shape.RowMajorStrides();
  std::ranges::copy(layout.strides, strides.begin());
  return strides;
}

// First and last cell that an element lies in. Requires at least one element and strides and
// extents within the limits, so that nothing overflows.
struct CellRange {
  int64_t first;
  int64_t last;
};
CellRange CellsOf(const Layout& layout, const Shape& shape) {
  const auto strides = StridesOf(layout, shape);
  CellRange range{layout.offset, layout.offset};
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t reach = (shape[i] - 1) * strides[static_cast<size_t>(i)];
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

// Calls body(flat index, cell) for every logical element, row-major.
template <typename Body>
void ForEachCell(const Layout& layout, const Shape& shape, Body body) {
  if (shape.NumElements() == 0) return;
  const auto strides = StridesOf(layout, shape);
  std::array<int64_t, kRankMax> index = {};
  size_t flat = 0;
  do {
    int64_t cell = layout.offset;
    for (int i = 0; i < shape.rank(); ++i) {
      cell += index[static_cast<size_t>(i)] * strides[static_cast<size_t>(i)];
    }
    body(flat++, static_cast<size_t>(cell));
  } while (NextIndex(shape, index.data()));
}

// Whether two elements may share a cell: axes sorted by stride must each step over all below.
bool MayOverlap(const Layout& layout, const Shape& shape) {
  const auto strides = StridesOf(layout, shape);
  std::array<std::pair<int64_t, int64_t>, kRankMax> axes;
  size_t count = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] > 1) axes[count++] = {std::abs(strides[static_cast<size_t>(i)]), shape[i]};
  }
  std::sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count));
  int64_t span = 1;
  for (size_t i = 0; i < count; ++i) {
    if (axes[i].first < span) return true;
    span += (axes[i].second - 1) * axes[i].first;
  }
  return false;
}

Status VerifySharedCells(const Layout& layout, const DataSpec& data, const Type& type) {
  const HostTensor value = Materialize(data, type);
  const auto size = static_cast<size_t>(ByteSize(type.dtype()));
  const auto cells = static_cast<size_t>(StorageElements(layout, type.shape));
  std::vector<uint64_t> stored(cells);
  std::vector<bool> taken(cells);
  size_t bad_element = SIZE_MAX;
  size_t bad_cell = 0;
  ForEachCell(layout, type.shape, [&](size_t flat, size_t cell) {
    const uint64_t bits = LoadElement(type.dtype(), value.bytes.data() + flat * size);
    if (taken[cell] && stored[cell] != bits && bad_element == SIZE_MAX) {
      bad_element = flat;
      bad_cell = cell;
    }
    stored[cell] = bits;
    taken[cell] = true;
  });
  if (bad_element == SIZE_MAX) return {};
  return Bad("element " + std::to_string(bad_element) + " shares storage cell " +
             std::to_string(bad_cell) + " with an element of another value");
}

}  // namespace

int64_t StorageElements(const Layout& layout, const Shape& shape) {
  if (layout.storage >= 0) return layout.storage;
  if (shape.NumElements() == 0) return layout.offset;
  return CellsOf(layout, shape).last + 1;
}

Status VerifyLayout(const Layout& layout, const DataSpec& data, const Type& type) {
  if (layout.storage < -1 || layout.storage > kElementsMax) {
    return Bad("storage " + std::to_string(layout.storage) + " is not in 0 to " +
               std::to_string(kElementsMax));
  }
  if (layout.contiguous()) return {};
  if (type.quantized()) return Bad("a quantized input has no layout");
  const Shape& shape = type.shape;
  if (!layout.strides.empty() && layout.strides.size() != static_cast<size_t>(shape.rank())) {
    return Bad("layout has " + std::to_string(layout.strides.size()) + " strides, but shape " +
               PrintShape(shape) + " has rank " + std::to_string(shape.rank()));
  }
  for (const int64_t stride : layout.strides) {
    if (stride > kElementsMax || stride < -kElementsMax) {
      return Bad("stride " + std::to_string(stride) + " is beyond the limit of " +
                 std::to_string(kElementsMax));
    }
  }
  if (layout.offset < 0 || layout.offset > kElementsMax) {
    return Bad("offset " + std::to_string(layout.offset) + " is not in 0 to " +
               std::to_string(kElementsMax));
  }
  const int64_t storage = StorageElements(layout, shape);
  if (storage > kElementsMax) {
    return Bad("layout reaches over " + std::to_string(storage) + " elements of storage, above " +
               std::to_string(kElementsMax));
  }
  if (layout.offset > storage) {
    return Bad("offset " + std::to_string(layout.offset) + " is above storage " +
               std::to_string(storage));
  }
  if (shape.NumElements() == 0) return {};
  const CellRange range = CellsOf(layout, shape);
  if (range.first < 0 || range.last >= storage) {
    return Bad("layout reaches from cell " + std::to_string(range.first) + " to " +
               std::to_string(range.last) + " of storage " + std::to_string(storage));
  }
  return MayOverlap(layout, shape) ? VerifySharedCells(layout, data, type) : Status();
}

std::vector<std::byte> PlaceInStorage(const HostTensor& value, const Layout& layout,
                                      std::byte poison) {
  if (layout.contiguous()) return value.bytes;
  const Shape& shape = value.type.shape;
  const auto size = static_cast<size_t>(ByteSize(value.type.dtype()));
  std::vector<std::byte> storage(static_cast<size_t>(StorageElements(layout, shape)) * size,
                                 poison);
  ForEachCell(layout, shape, [&](size_t flat, size_t cell) {
    std::copy_n(value.bytes.data() + flat * size, size, storage.data() + cell * size);
  });
  return storage;
}

}  // namespace faultline::ir
