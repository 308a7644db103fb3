// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of integer codes: codes less their zero points, dots exact in integers, one scale of
// each operand a dot.

#include <algorithm>
#include <array>
#include <cstdint>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"

namespace faultline::fusion::cpu {
namespace {

// Terms of magnitude at most 255 * 255 whose sum an i32 holds.
constexpr int64_t kChunk = 1 << 15;
constexpr int64_t kTile = 512;

int64_t Extent(const ir::Shape& shape, int from_last) {
  return shape[shape.rank() - 1 - from_last];
}

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

int64_t Dot(const int16_t* a, const int16_t* b, int64_t count) {
  int64_t sum = 0;
  for (int64_t at = 0; at < count; at += kChunk) {
    const int64_t end = std::min(count, at + kChunk);
    int32_t part = 0;
    for (int64_t k = at; k < end; ++k) part += a[k] * b[k];
    sum += part;
  }
  return sum;
}

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
        n_(Extent(binding.right_shape, 0)) {}

  ir::Status Run() {
    const ir::Shape& shape = binding_.result.shape;
    auto memory =
        scratch_.Get(context_.options.account,
                     (m_ + n_) * (k_ * int64_t{sizeof(int16_t)} + int64_t{sizeof(float)}));
    if (!memory.has_value()) return memory.error();
    left_scales_ = reinterpret_cast<float*>(*memory);
    right_scales_ = left_scales_ + m_;
    left_terms_ = reinterpret_cast<int16_t*>(right_scales_ + n_);
    right_terms_ = left_terms_ + m_ * k_;
    const Strided map = MapOf(binding_.result);
    auto* out = reinterpret_cast<float*>(DataOf(binding_.result));
    const int64_t batches = m_ * n_ == 0 ? 0 : shape.NumElements() / (m_ * n_);
    for (int64_t batch = 0; batch < batches; ++batch) {
      Unpack(left_, MatrixOf(binding_.left_shape, shape, batch) * m_ * k_, m_, k_, true,
             left_terms_, left_scales_);
      Unpack(right_, MatrixOf(binding_.right_shape, shape, batch) * k_ * n_, k_, n_, false,
             right_terms_, right_scales_);
      for (int64_t i = 0; i < m_; ++i) {
        for (int64_t j = 0; j < n_; ++j) {
          const int64_t sum = Dot(left_terms_ + i * k_, right_terms_ + j * k_, k_);
          out[map.At((batch * m_ + i) * n_ + j)] =
              k_ == 0 ? 0 : static_cast<float>(sum) * (left_scales_[i] * right_scales_[j]);
        }
      }
    }
    return {};
  }

 private:
  // Codes of a matrix of `rows` x `columns`, which begins at element `first`, less their zero
  // points: the terms of each dot in a row. A dot is a row of the matrix, or a column.
  static void Unpack(const CodeView& view, int64_t first, int64_t rows, int64_t columns,
                     bool dot_is_row, int16_t* terms, float* scales) {
    if (rows * columns == 0) return;
    const int64_t dots = dot_is_row ? rows : columns;
    const int64_t length = dot_is_row ? columns : rows;
    std::array<int8_t, kTile> codes;
    const bool is_unsigned = view.scheme().value == ir::QValue::kU8;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t at = 0; at < columns; at += kTile) {
        const int64_t count = std::min(kTile, columns - at);
        view.ReadCodes(first + i * columns + at, count, codes.data());
        int16_t* to = dot_is_row ? terms + i * length + at : terms + at * length + i;
        for (int64_t j = 0; j < count; ++j) {
          const int8_t code = codes[static_cast<size_t>(j)];
          to[dot_is_row ? j : j * length] =
              static_cast<int16_t>(is_unsigned ? static_cast<uint8_t>(code) : code);
        }
      }
    }
    for (int64_t dot = 0; dot < dots; ++dot) {
      const int64_t block = view.ScaleIndex(first + dot * (dot_is_row ? columns : 1));
      scales[dot] = view.Scale(block);
      const int zero = view.Zero(block);
      if (zero == 0) continue;
      int16_t* row = terms + dot * length;
      for (int64_t k = 0; k < length; ++k) row[k] = static_cast<int16_t>(row[k] - zero);
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
  float* left_scales_ = nullptr;
  float* right_scales_ = nullptr;
  int16_t* left_terms_ = nullptr;
  int16_t* right_terms_ = nullptr;
};

}  // namespace

ir::Status RunQMatmul(const QMatmulLaunch& launch, const QMatmulBinding& binding,
                      const Context& context) {
  return Product(launch, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
