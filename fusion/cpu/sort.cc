// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Stable sort along the last axis. Elements are compared by unsigned keys that make the pinned
// order plain: -0 and +0 share a key, all NaNs share the greatest one (the least, descending). With
// a key goes the position it comes from; bits are moved, never rebuilt from keys.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "fusion/cpu/launches.h"
#include "fusion/fault.h"
#include "ir/base/check.h"
#include "ir/program.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kInsertion = 16;

// Key of raw bits U of a float with `mantissa` explicit bits.
template <typename U>
U FloatKey(U bits, int mantissa, bool nan_by_sign) {
  constexpr int kWidth = 8 * static_cast<int>(sizeof(U));
  const U sign = static_cast<U>(U{1} << (kWidth - 1));
  const U magnitude = static_cast<U>(bits & static_cast<U>(~sign));
  const U infinity = static_cast<U>(static_cast<U>(~U{0} << mantissa) & static_cast<U>(~sign));
  if (magnitude > infinity && !nan_by_sign) return static_cast<U>(~U{0});
  const U key =
      (bits & sign) != 0 ? static_cast<U>(sign - magnitude) : static_cast<U>(sign + magnitude);
  return key;
}

template <typename U>
U KeyOf(ir::Dtype dtype, U bits, bool nan_by_sign) {
  switch (dtype) {
    case ir::Dtype::kF64:
      return FloatKey<U>(bits, 52, nan_by_sign);
    case ir::Dtype::kF32:
      return FloatKey<U>(bits, 23, nan_by_sign);
    case ir::Dtype::kF16:
      return FloatKey<U>(bits, 10, nan_by_sign);
    case ir::Dtype::kBf16:
      return FloatKey<U>(bits, 7, nan_by_sign);
    default:
      break;
  }
  if (!ir::IsSigned(dtype)) return bits;
  return static_cast<U>(bits ^ static_cast<U>(U{1} << (8 * sizeof(U) - 1)));
}

template <typename U>
struct Item {
  U key;
  int32_t position;
};
static_assert(ir::kElementsMax <= INT32_MAX);

template <typename U>
void InsertionSort(Item<U>* items, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const Item<U> item = items[i];
    int64_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

// Stable, bottom up; `spare` has room for `count`.
template <typename U>
void MergeSort(Item<U>* items, Item<U>* spare, int64_t count) {
  for (int64_t at = 0; at < count; at += kInsertion) {
    InsertionSort(items + at, std::min(kInsertion, count - at));
  }
  Item<U>* from = items;
  Item<U>* to = spare;
  for (int64_t run = kInsertion; run < count; run *= 2) {
    for (int64_t at = 0; at < count; at += 2 * run) {
      const int64_t middle = std::min(at + run, count);
      const int64_t end = std::min(at + 2 * run, count);
      int64_t left = at;
      int64_t right = middle;
      for (int64_t k = at; k < end; ++k) {
        const bool take_left = left < middle && (right >= end || from[left].key <= from[right].key);
        to[k] = take_left ? from[left++] : from[right++];
      }
    }
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + count, items);
}

// The rows of a tensor: all axes but the last, and the step along that one.
struct Rows {
  explicit Rows(const TensorBinding& tensor) {
    const auto outer = static_cast<size_t>(tensor.shape.rank() - 1);
    first = Normalize(tensor.place.offset, tensor.shape.extents().first(outer),
                      std::span(tensor.place.strides).first(outer));
    stride = tensor.place.strides[outer];
  }
  Strided first;
  int64_t stride;
};

template <typename U, typename To, typename F>
void PutRow(const TensorBinding& tensor, const Rows& rows, int64_t row, int64_t count,
            const Item<U>* items, const F& element) {
  To* to = reinterpret_cast<To*>(DataOf(tensor)) + rows.first.At(row);
  for (int64_t i = 0; i < count; ++i) {
    to[i * rows.stride] = static_cast<To>(element(items[i].position));
  }
}

template <typename U>
ir::Status SortRows(const SortLaunch& launch, const SortBinding& binding, const Context& context) {
  const ir::Shape& shape = binding.from.shape;
  const int64_t extent = shape[shape.rank() - 1];
  const int64_t rows = shape.NumElements() / extent;
  const TensorBinding& any = launch.values ? binding.to : binding.positions;
  const int64_t kept = any.shape[shape.rank() - 1];
  const Rows from_rows(binding.from);
  const Rows to_rows(launch.values ? binding.to : binding.from);
  const Rows position_rows(launch.positions ? binding.positions : binding.from);
  const U* from = reinterpret_cast<const U*>(DataOf(binding.from));

  const bool nan_by_sign = FAULT(sort_orders_nan_by_sign);
  const bool reversed = FAULT(descending_is_reversed) && launch.descending;
  const bool parallel = context.threads->threads() > 1 && rows > 1 &&
                        rows * extent >= context.options.thread_threshold;
  const int64_t workers = parallel ? context.threads->threads() : 1;
  const int64_t item_bytes = 2 * extent * static_cast<int64_t>(sizeof(Item<U>));
  Scratch scratch(context.pool);
  auto memory = scratch.Get(context.options.account, workers * item_bytes);
  if (!memory.has_value()) return memory.error();
  std::atomic<int64_t> number = 0;
  auto body = [&](int64_t begin, int64_t end) {
    auto* items = reinterpret_cast<Item<U>*>(*memory + item_bytes * number.fetch_add(1));
    for (int64_t row = begin; row < end; ++row) {
      const U* source = from + from_rows.first.At(row);
      for (int64_t i = 0; i < extent; ++i) {
        const U key = KeyOf<U>(launch.dtype, source[i * from_rows.stride], nan_by_sign);
        items[i] = {launch.descending && !reversed ? static_cast<U>(~key) : key,
                    static_cast<int32_t>(i)};
      }
      MergeSort(items, items + extent, extent);
      if (reversed) std::reverse(items, items + extent);
      if (launch.values) {
        PutRow<U, U>(binding.to, to_rows, row, kept, items,
                     [&](int32_t at) { return source[at * from_rows.stride]; });
      }
      const auto position = [](int32_t at) { return at; };
      if (launch.positions && launch.position == ir::Dtype::kI32) {
        PutRow<U, int32_t>(binding.positions, position_rows, row, kept, items, position);
      } else if (launch.positions) {
        PutRow<U, int64_t>(binding.positions, position_rows, row, kept, items, position);
      }
    }
  };
  if (parallel) {
    context.threads->Run(rows, body);
  } else {
    body(0, rows);
  }
  return {};
}

}  // namespace

ir::Status RunSort(const SortLaunch& launch, const SortBinding& binding, const Context& context) {
  if (binding.from.shape.NumElements() == 0) return {};
  FAULTLINE_CHECK(binding.from.shape.rank() > 0, "sorting needs an axis");
  switch (ir::ByteSize(launch.dtype)) {
    case 1:
      return SortRows<uint8_t>(launch, binding, context);
    case 2:
      return SortRows<uint16_t>(launch, binding, context);
    case 4:
      return SortRows<uint32_t>(launch, binding, context);
    default:
      return SortRows<uint64_t>(launch, binding, context);
  }
}

}  // namespace faultline::fusion::cpu
