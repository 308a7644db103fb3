// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Bytes made ready for products of bytes, and the sums of those made results.

#include "fusion/cpu/kernels/lanes.h"

namespace faultline::fusion::cpu {
namespace {

using Bytes = Lanes<uint8_t>;
using F32 = Lanes<float>;
using I32 = Lanes<int32_t>;
using U32 = Lanes<uint32_t>;

template <typename T>
FAULTLINE_INLINE Lanes<T> LanesAt(const T* from) {
  return Read<T>(reinterpret_cast<const std::byte*>(from));
}

int32_t PackRow(const int8_t* from, int64_t count, uint8_t flip, int8_t* to) {
  I32 sums = {};
  int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    const Bytes bytes = Bits<Bytes>(LanesAt(from + i)) ^ flip;
    __builtin_memcpy(to + i, &bytes, sizeof(bytes));
    sums += __builtin_convertvector(Bits<Lanes<int8_t>>(bytes), I32);
  }
  int32_t sum = __builtin_reduce_add(sums);
  for (; i < count; ++i) {
    to[i] = static_cast<int8_t>(static_cast<uint8_t>(from[i]) ^ flip);
    sum += to[i];
  }
  return sum;
}

// 16 bytes of each of four rows to four bytes of each of 16 columns.
FAULTLINE_INLINE void Interleave(const Bytes* row, uint8_t* to) {
  using Pairs = uint16_t __attribute__((vector_size(16)));
  const auto low = [](Bytes a, Bytes b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  };
  const auto high = [](Bytes a, Bytes b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
  };
  const auto join = [](Bytes first, Bytes second, uint8_t* out) {
    const auto a = Bits<Pairs>(first);
    const auto b = Bits<Pairs>(second);
    const Pairs front = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    const Pairs back = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    __builtin_memcpy(out, &front, sizeof(front));
    __builtin_memcpy(out + sizeof(front), &back, sizeof(back));
  };
  join(low(row[0], row[1]), low(row[2], row[3]), to);
  join(high(row[0], row[1]), high(row[2], row[3]), to + 32);
}

void PackPanels(const int8_t* from, int64_t leading, int64_t rows, int64_t panels, uint8_t flip,
                uint8_t* to, int64_t panel_bytes, uint32_t* column_sums) {
  for (int64_t panel = 0; panel < panels; ++panel) {
    const int8_t* at = from + panel * kPanelColumns;
    uint8_t* out = to + panel * panel_bytes;
    U32 sums = {};
    for (int64_t r = 0; r < rows; r += kPanelTerms) {
      Bytes four[kPanelTerms];
      for (Bytes& row : four) {
        row = Bits<Bytes>(LanesAt(at)) ^ flip;
        at += leading;
      }
      Interleave(four, out);
      out += kPanelTerms * kPanelColumns;
      if (column_sums == nullptr) continue;
      for (const Bytes& row : four) sums += __builtin_convertvector(row, U32);
    }
    if (column_sums == nullptr) continue;
    U32 all;
    __builtin_memcpy(&all, column_sums + panel * kPanelColumns, sizeof(all));
    all += sums;
    __builtin_memcpy(column_sums + panel * kPanelColumns, &all, sizeof(all));
  }
}

void ScaleSums(float* to, const int32_t* sums, int64_t panels, const ByteSumScales& by) {
  for (int64_t at = 0; at < panels * kPanelColumns; at += kPanelColumns) {
    U32 sum = Bits<U32>(LanesAt(sums + at)) - LanesAt(by.zeros + at) * by.row_rest;
    if (by.column_sums != nullptr) sum -= LanesAt(by.column_sums + at) * by.row_zero;
    const F32 exact = __builtin_convertvector(Bits<I32>(sum), F32);
    const F32 result = exact * (All<float>(by.row_scale) * LanesAt(by.scales + at));
    Write<float>(reinterpret_cast<std::byte*>(to + at), result);
  }
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const ByteKernels kBytes = {PackRow, PackPanels, ScaleSums};
}

}  // namespace faultline::fusion::cpu
