// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of integer codes. The kernel multiplies signed bytes by unsigned ones, so codes are
// shifted by 128 where they are the other kind, and zero points z with them:
//   sum (a - za)(b - zb) = sum a*b - zb * sum a - za * sum b + K * za * zb,
// exact in integers; then one scale of each operand a dot.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kRowBlock = 48;          // rows whose sums are kept at a time
constexpr int64_t kNarrowDepth = 1 << 15;  // (255 * 255) times this is an i32

int64_t Extent(const ir::Shape& shape, int from_last) {
  return shape[shape.rank() - 1 - from_last];
}

int64_t RoundedUp(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

// First matrix of an operand that is broadcast to batch number `batch` of the result.
int64_t MatrixOf(const ir::Shape& operand, const ir::Shape& result, int64_t batch) {
  int64_t matrix = 0;
  int64_t step = 1;
  for (int axis = result.rank() - 3; axis >= 0; --axis) {
    const int64_t at = batch % result[axis];
    batch /= result[axis];
    const int own = axis - (result.rank() - operand.rank());
    if (own < 0) continue;
    if (operand[own] != 1) matrix += at * step;
    step *= operand[own];
  }
  return matrix;
}

// What belongs to the dots of an operand, one entry a row or column.
struct Dots {
  float* scales = nullptr;
  int32_t* zeros = nullptr;  // shifted as the codes are
  int64_t* sums = nullptr;   // of the shifted codes
};

class Product {
 public:
  Product(const QMatmulLaunch& launch, const QMatmulBinding& binding, const Context& context)
      : binding_(binding),
        context_(context),
        scratch_(context.pool),
        left_(launch.left, binding.left_shape, static_cast<CpuBuffer*>(binding.left)->data()),
        right_(launch.right, binding.right_shape, static_cast<CpuBuffer*>(binding.right)->data()),
        m_(Extent(binding.left_shape, 1)),
        k_(Extent(binding.left_shape, 0)),
        n_(Extent(binding.right_shape, 0)),
        depth_(RoundedUp(k_, kPanelTerms)),
        panels_(RoundedUp(n_, kPanelColumns) / kPanelColumns) {}

  ir::Status Run() {
    FAULTLINE_RETURN_IF_ERROR(Allocate());
    const ir::Shape& shape = binding_.result.shape;
    const int64_t batches = shape.NumElements() / (m_ * n_);
    int64_t left = -1;
    int64_t right = -1;
    for (int64_t batch = 0; batch < batches; ++batch) {
      // A matrix that is broadcast is packed once as long as it is used in a row.
      const int64_t left_now = MatrixOf(binding_.left_shape, shape, batch);
      const int64_t right_now = MatrixOf(binding_.right_shape, shape, batch);
      if (left_now != left) PackLeft(left = left_now);
      if (right_now != right) PackRight(right = right_now);
      for (int64_t row = 0; row < m_; row += kRowBlock) {
        MultiplyRows(batch, row, std::min(kRowBlock, m_ - row));
      }
    }
    return {};
  }

 private:
  template <typename T>
  ir::Status Get(int64_t count, T** memory) {
    auto bytes =
        scratch_.Get(context_.options.account, std::max<int64_t>(count, 1) * int64_t{sizeof(T)});
    if (!bytes.has_value()) return bytes.error();
    *memory = reinterpret_cast<T*>(*bytes);
    return {};
  }

  ir::Status GetDots(int64_t count, Dots* dots) {
    FAULTLINE_RETURN_IF_ERROR(Get(count, &dots->scales));
    FAULTLINE_RETURN_IF_ERROR(Get(count, &dots->zeros));
    return Get(count, &dots->sums);
  }

  ir::Status Allocate() {
    const int64_t columns = panels_ * kPanelColumns;
    FAULTLINE_RETURN_IF_ERROR(Get(m_ * depth_, &left_terms_));
    FAULTLINE_RETURN_IF_ERROR(Get(columns * depth_, &right_terms_));
    FAULTLINE_RETURN_IF_ERROR(Get(kPanelTerms * columns, &four_rows_));
    FAULTLINE_RETURN_IF_ERROR(Get(kRowBlock * columns, &sums_));
    if (depth_ > kProductDepthMax) {
      FAULTLINE_RETURN_IF_ERROR(Get(kRowBlock * columns, &totals_));
      FAULTLINE_RETURN_IF_ERROR(Get(kRowBlock * kProductDepthMax, &part_));
    }
    FAULTLINE_RETURN_IF_ERROR(GetDots(m_, &rows_));
    return GetDots(columns, &columns_);
  }

  // Scale and zero point of the dot that holds `element`. `shift` turns codes into the bytes that
  // the kernel takes.
  static void TakeScale(const CodeView& view, int64_t element, int32_t shift, int64_t dot,
                        Dots* dots) {
    const int64_t block = view.elements() == 0 ? 0 : view.ScaleIndex(element);
    dots->scales[dot] = view.elements() == 0 ? 0 : view.Scale(block);
    dots->zeros[dot] = view.elements() == 0 ? 0 : view.Zero(block) + shift;
  }

  static bool IsUnsigned(const CodeView& view) { return view.scheme().value == ir::QValue::kU8; }

  // Rows of depth_ bytes, padded with terms of 0.
  void PackLeft(int64_t matrix) {
    const int64_t first = matrix * m_ * k_;
    const int32_t shift = IsUnsigned(left_) ? -128 : 0;
    for (int64_t i = 0; i < m_; ++i) {
      int8_t* row = left_terms_ + i * depth_;
      if (k_ > 0) left_.ReadCodes(first + i * k_, k_, row);
      if (shift != 0) {
        for (int64_t p = 0; p < k_; ++p) row[p] = static_cast<int8_t>(row[p] ^ 0x80);
      }
      std::memset(row + k_, 0, static_cast<size_t>(depth_ - k_));
      int64_t sum = 0;
      for (int64_t p = 0; p < k_; ++p) sum += row[p];
      rows_.sums[i] = sum;
      TakeScale(left_, first + i * k_, shift, i, &rows_);
    }
  }

  // Four rows of codes at a time to [chunk][panel][terms / 4][16][4].
  void PackRight(int64_t matrix) {
    const int64_t first = matrix * k_ * n_;
    const int64_t columns = panels_ * kPanelColumns;
    const int32_t shift = IsUnsigned(right_) ? 0 : 128;
    const auto flip = static_cast<uint8_t>(shift);
    std::fill_n(columns_.sums, columns, int64_t{0});
    for (int64_t p = 0; p < depth_; p += kPanelTerms) {
      for (int64_t t = 0; t < kPanelTerms; ++t) {
        int8_t* row = four_rows_ + t * columns;
        if (p + t < k_) {
          right_.ReadCodes(first + (p + t) * n_, n_, row);
          for (int64_t j = 0; j < n_; ++j) {
            const auto byte = static_cast<uint8_t>(static_cast<uint8_t>(row[j]) ^ flip);
            row[j] = static_cast<int8_t>(byte);
            columns_.sums[j] += byte;
          }
        } else {
          std::memset(row, 0, static_cast<size_t>(n_));
        }
        std::memset(row + n_, 0, static_cast<size_t>(columns - n_));
      }
      const int64_t chunk = p / kProductDepthMax * kProductDepthMax;
      const int64_t terms = std::min(kProductDepthMax, depth_ - chunk);
      for (int64_t panel = 0; panel < panels_; ++panel) {
        uint8_t* to =
            right_terms_ + (chunk * panels_ + panel * terms + (p - chunk)) * kPanelColumns;
        Interleave(four_rows_ + panel * kPanelColumns, columns, to);
      }
    }
    for (int64_t j = 0; j < n_; ++j) TakeScale(right_, first + j, shift, j, &columns_);
  }

  // 16 bytes of each of four rows to four bytes of each of 16 columns.
  static void Interleave(const int8_t* rows, int64_t leading, uint8_t* to) {
    using Bytes = uint8_t __attribute__((vector_size(16)));
    std::array<Bytes, 4> row;
    for (size_t t = 0; t < row.size(); ++t) {
      std::memcpy(&row[t], rows + static_cast<int64_t>(t) * leading, sizeof(Bytes));
    }
    const auto low = [](Bytes a, Bytes b) {
      return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    };
    const auto high = [](Bytes a, Bytes b) {
      return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                     31);
    };
    using Pairs = uint16_t __attribute__((vector_size(16)));
    const auto join = [&](Bytes first, Bytes second, uint8_t* out) {
      const auto a = reinterpret_cast<Pairs>(first);
      const auto b = reinterpret_cast<Pairs>(second);
      const Pairs front = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      const Pairs back = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      std::memcpy(out, &front, sizeof(front));
      std::memcpy(out + sizeof(front), &back, sizeof(back));
    };
    join(low(row[0], row[1]), low(row[2], row[3]), to);
    join(high(row[0], row[1]), high(row[2], row[3]), to + 32);
  }

  void MultiplyRows(int64_t batch, int64_t row, int64_t rows) {
    const ByteProductKernel multiply = *context_.kernels->product;
    const int64_t columns = panels_ * kPanelColumns;
    if (depth_ <= kProductDepthMax) {
      multiply(left_terms_ + row * depth_, right_terms_, rows, panels_, depth_, sums_);
      return StoreRows(batch, row, rows, sums_);
    }
    std::fill_n(totals_, rows * columns, int64_t{0});
    for (int64_t chunk = 0; chunk < depth_; chunk += kProductDepthMax) {
      const int64_t terms = std::min(kProductDepthMax, depth_ - chunk);
      for (int64_t i = 0; i < rows; ++i) {
        std::memcpy(part_ + i * terms, left_terms_ + (row + i) * depth_ + chunk,
                    static_cast<size_t>(terms));
      }
      multiply(part_, right_terms_ + chunk * columns, rows, panels_, terms, sums_);
      for (int64_t i = 0; i < rows * columns; ++i) totals_[i] += sums_[i];
    }
    StoreRows(batch, row, rows, totals_);
  }

  template <typename Sum>
  void StoreRows(int64_t batch, int64_t row, int64_t rows, const Sum* sums) const {
    const Strided map = MapOf(binding_.result);
    const bool dense = StrideOfColumns() == 1 || n_ == 1;
    auto* out = reinterpret_cast<float*>(DataOf(binding_.result));
    std::array<float, 512> tile;
    for (int64_t i = 0; i < rows; ++i) {
      const Sum* from = sums + i * panels_ * kPanelColumns;
      const int64_t first = (batch * m_ + row + i) * n_;
      for (int64_t at = 0; at < n_; at += std::ssize(tile)) {
        const int64_t count = std::min<int64_t>(std::ssize(tile), n_ - at);
        float* to = dense ? out + map.At(first + at) : tile.data();
        ScaleRow(row + i, at, count, from + at, to);
        for (int64_t j = 0; !dense && j < count; ++j) {
          out[map.At(first + at + j)] = tile[static_cast<size_t>(j)];
        }
      }
    }
  }

  int64_t StrideOfColumns() const {
    const ir::Shape& shape = binding_.result.shape;
    return binding_.result.place.strides[static_cast<size_t>(shape.rank() - 1)];
  }

  // Sums of shifted codes to those of codes less their zero points, then one scale a dot.
  template <typename Sum>
  void ScaleRow(int64_t i, int64_t at, int64_t count, const Sum* sums, float* to) const {
    const float scale = rows_.scales[i];
    const float* scales = columns_.scales + at;
    const int32_t* zeros = columns_.zeros + at;
    const int64_t zero = rows_.zeros[i];
    const int64_t rest = rows_.sums[i] - k_ * zero;
    const bool symmetric = zero == 0 && !right_.scheme().asymmetric();
    if (symmetric && sizeof(Sum) == 4 && k_ <= kNarrowDepth) {
      const auto all = static_cast<uint32_t>(rest * zeros[0]);
      for (int64_t j = 0; j < count; ++j) {
        const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) - all);
        to[j] = static_cast<float>(sum) * (scale * scales[j]);
      }
      return;
    }
    for (int64_t j = 0; j < count; ++j) {
      const int64_t sum = int64_t{sums[j]} - zeros[j] * rest - zero * columns_.sums[at + j];
      to[j] = k_ == 0 ? 0 : static_cast<float>(sum) * (scale * scales[j]);
    }
  }

  const QMatmulBinding& binding_;
  const Context& context_;
  Scratch scratch_;
  const CodeView left_;
  const CodeView right_;
  const int64_t m_;
  const int64_t k_;
  const int64_t n_;
  const int64_t depth_;   // k rounded up to whole groups of terms
  const int64_t panels_;  // of columns
  int8_t* left_terms_ = nullptr;
  uint8_t* right_terms_ = nullptr;
  int8_t* four_rows_ = nullptr;
  int32_t* sums_ = nullptr;
  int64_t* totals_ = nullptr;
  int8_t* part_ = nullptr;
  Dots rows_;
  Dots columns_;
};

}  // namespace

ir::Status RunQMatmul(const QMatmulLaunch& launch, const QMatmulBinding& binding,
                      const Context& context) {
  if (binding.result.shape.NumElements() == 0) return {};
  return Product(launch, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
