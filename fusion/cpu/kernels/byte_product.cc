// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of bytes: a few rows by a few panels of columns at a time, whose sums stay in registers
// over the whole depth. With VNNI four terms of sixteen columns are one instruction; without it
// they are two of 16-bit pairs, which cannot saturate either.

#include "fusion/cpu/kernels/lanes.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace faultline::fusion::cpu {
namespace {

using I32 = Lanes<int32_t>;
using U32 = Lanes<uint32_t>;

template <typename Half, typename Whole>
FAULTLINE_INLINE void Split(const Whole& whole, Half* parts) {
  static_assert(sizeof(Whole) % sizeof(Half) == 0);
  __builtin_memcpy(parts, &whole, sizeof(Whole));
}

// Terms 0 and 2, and 1 and 3, of four bytes as pairs of 16 bits.
struct Terms {
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
  int32_t all;
  FAULTLINE_INLINE explicit Terms(int32_t a) : all(a) {}
#else
  int32_t even;
  int32_t odd;
  FAULTLINE_INLINE explicit Terms(int32_t a) {
    const auto pair = [](int32_t low, int32_t high) {
      return static_cast<int32_t>(static_cast<uint32_t>(low & 0xffff) | static_cast<uint32_t>(high)
                                                                            << 16);
    };
    even = pair(static_cast<int8_t>(a), static_cast<int8_t>(a >> 16));
    odd = pair(static_cast<int8_t>(a >> 8), static_cast<int8_t>(a >> 24));
  }
#endif
};

#if !defined(__AVX512VNNI__) && !defined(__AVXVNNI__)
// Lane by lane: a0*b0 + a1*b1 of signed 16-bit pairs.
FAULTLINE_INLINE U32 Pairs(int32_t a, U32 b) {
#if defined(__AVX512BW__)
  return Bits<U32>(_mm512_madd_epi16(_mm512_set1_epi32(a), Bits<__m512i>(b)));
#elif defined(__AVX2__)
  __m256i parts[2];
  Split(b, parts);
  for (__m256i& part : parts) part = _mm256_madd_epi16(_mm256_set1_epi32(a), part);
  __builtin_memcpy(&b, parts, sizeof(b));
  return b;
#elif defined(__SSE2__)
  __m128i parts[4];
  Split(b, parts);
  for (__m128i& part : parts) part = _mm_madd_epi16(_mm_set1_epi32(a), part);
  __builtin_memcpy(&b, parts, sizeof(b));
  return b;
#else
  const U32 low = (b & 0xffffu) * static_cast<uint32_t>(static_cast<int16_t>(a));
  const U32 high = (b >> 16) * static_cast<uint32_t>(a >> 16);
  return low + high;
#endif
}
#endif

// Lane j: sum + the four products of `a` with the bytes of lane j of b, which are unsigned.
FAULTLINE_INLINE I32 AddProducts(I32 sum, const Terms& a, U32 b) {
#if defined(__AVX512VNNI__)
  return Bits<I32>(
      _mm512_dpbusd_epi32(Bits<__m512i>(sum), Bits<__m512i>(b), _mm512_set1_epi32(a.all)));
#elif defined(__AVXVNNI__)
  __m256i sums[2];
  __m256i parts[2];
  Split(sum, sums);
  Split(b, parts);
  for (int i = 0; i < 2; ++i) {
    sums[i] = _mm256_dpbusd_avx_epi32(sums[i], parts[i], _mm256_set1_epi32(a.all));
  }
  __builtin_memcpy(&sum, sums, sizeof(sum));
  return sum;
#else
  const U32 even = Pairs(a.even, b & 0x00ff00ffu);
  const U32 odd = Pairs(a.odd, b >> 8 & 0x00ff00ffu);
  return Bits<I32>(Bits<U32>(sum) + (even + odd));
#endif
}

// As many sums as registers hold beside the operands.
#if defined(__AVX512BW__)
constexpr int kRows = 6;
constexpr int kPanels = 4;
#elif defined(__AVX2__)
constexpr int kRows = 3;
constexpr int kPanels = 2;
#else
constexpr int kRows = 2;
constexpr int kPanels = 1;
#endif

template <int rows, int panels>
void AddTile(const ByteProductOperands& from, int64_t row, int64_t panel, int32_t* sums) {
  const int8_t* a = from.rows + row * from.row_bytes;
  const uint8_t* b = from.panels + panel * from.panel_bytes;
  sums += row * kSumColumns + panel * kPanelColumns;
  I32 tile[rows][panels];
  for (int i = 0; i < rows; ++i) __builtin_memcpy(tile[i], sums + i * kSumColumns, sizeof(tile[i]));
  for (int64_t p = 0; p < from.depth; p += kPanelTerms) {
    U32 columns[panels];
    for (int k = 0; k < panels; ++k) {
      __builtin_memcpy(&columns[k], b + k * from.panel_bytes + p * kPanelColumns, sizeof(U32));
    }
    for (int i = 0; i < rows; ++i) {
      int32_t four;
      __builtin_memcpy(&four, a + i * from.row_bytes + p, sizeof(four));
      const Terms terms(four);
      for (int k = 0; k < panels; ++k) tile[i][k] = AddProducts(tile[i][k], terms, columns[k]);
    }
  }
  for (int i = 0; i < rows; ++i) __builtin_memcpy(sums + i * kSumColumns, tile[i], sizeof(tile[i]));
}

// The last rows: as many as are left, at most `rows`.
template <int rows, int panels>
void AddLastRows(const ByteProductOperands& from, int64_t row, int64_t left, int64_t panel,
                 int32_t* sums) {
  if constexpr (rows > 0) {
    if (left == rows) return AddTile<rows, panels>(from, row, panel, sums);
    AddLastRows<rows - 1, panels>(from, row, left, panel, sums);
  }
}

template <int panels>
void AddRows(const ByteProductOperands& from, int64_t rows, int64_t panel, int32_t* sums) {
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) AddTile<kRows, panels>(from, row, panel, sums);
  AddLastRows<kRows - 1, panels>(from, row, rows - row, panel, sums);
}

void AddProduct(const ByteProductOperands& from, int64_t rows, int64_t panels, int32_t* sums) {
  int64_t panel = 0;
  for (; panel + kPanels <= panels; panel += kPanels) AddRows<kPanels>(from, rows, panel, sums);
  for (; panel < panels; ++panel) AddRows<1>(from, rows, panel, sums);
}

}  // namespace

namespace FAULTLINE_ISA {
constinit const ByteProductKernel kByteProduct = AddProduct;
}

}  // namespace faultline::fusion::cpu
