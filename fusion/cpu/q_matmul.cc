// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Products of integer codes a (with zero points za) and b:
//   sum (a - za)(b - zb) = sum a*b - zb * (sum a - K * za) - za * sum b,
// exact in integers; then one scale of each operand a dot. Where the result is an i32, everything
// is computed modulo 2^32.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "fusion/cpu/byte_matrix.h"
#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "ir/program.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kBlockRows = 48;
constexpr int64_t kCachedDepth = 512;     // terms of a block of columns that the first cache holds
constexpr int64_t kExactDepth = 1 << 16;  // 2^16 * 128 * 255 < 2^31, whatever the bytes are

static_assert(ir::kElementsMax * 255 <= INT32_MAX, "sums of bytes are 32-bit");

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

// How far a code is from its zero point, at most.
int64_t Reach(const CodeView& view) { return view.scheme().asymmetric() ? 255 : 128; }

class Product {
 public:
  Product(const QMatmulLaunch& launch, const QMatmulBinding& binding, const Context& context)
      : binding_(binding),
        context_(context),
        kernels_(*context.kernels),
        scratch_(context.pool),
        left_codes_(launch.left, binding.left_shape, static_cast<CpuBuffer*>(binding.left)->data()),
        right_codes_(launch.right, binding.right_shape,
                     static_cast<CpuBuffer*>(binding.right)->data()),
        m_(Extent(binding.left_shape, 1)),
        k_(Extent(binding.left_shape, 0)),
        n_(Extent(binding.right_shape, 0)),
        depth_((k_ + kPanelTerms - 1) / kPanelTerms * kPanelTerms),
        left_(left_codes_, m_, k_, depth_),
        right_(right_codes_, n_, k_, depth_),
        map_(MapOf(binding.result)),
        block_rows_(context.options.small_tiles ? 2 : kBlockRows),
        cached_depth_(context.options.small_tiles ? 2 * kPanelTerms : kCachedDepth),
        wide_(Reach(left_codes_) * Reach(right_codes_) * k_ > INT32_MAX) {}

  ir::Status Run() {
    FAULTLINE_RETURN_IF_ERROR(left_.Allocate(context_, &scratch_));
    FAULTLINE_RETURN_IF_ERROR(right_.Allocate(context_, left_.has_zeros(), &scratch_));
    const ir::Shape& shape = binding_.result.shape;
    const int64_t batches = shape.NumElements() / (m_ * n_);
    const int64_t row_blocks = (m_ + block_rows_ - 1) / block_rows_;
    int64_t left = -1;
    int64_t right = -1;
    for (int64_t batch = 0; batch < batches; ++batch) {
      // A matrix that is broadcast is packed once as long as it is used in a row.
      const int64_t left_now = MatrixOf(binding_.left_shape, shape, batch);
      const int64_t right_now = MatrixOf(binding_.right_shape, shape, batch);
      if (left_now != left) {
        left = left_now;
        ForParts(m_, [&](int64_t begin, int64_t end) { left_.Pack(kernels_, left, begin, end); });
      }
      if (right_now != right) {
        right = right_now;
        ForParts(right_.blocks(), [&](int64_t begin, int64_t end) {
          for (int64_t block = begin; block < end; ++block) right_.Pack(kernels_, right, block);
        });
      }
      // The rows of one block of columns come in a row, while that is in cache.
      ForParts(row_blocks * right_.blocks(), [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          MultiplyBlock(batch, part % row_blocks * block_rows_, part / row_blocks);
        }
      });
    }
    return {};
  }

 private:
  template <typename Body>
  void ForParts(int64_t parts, const Body& body) const {
    const bool parallel =
        context_.threads->threads() > 1 &&
        m_ * n_ * std::max<int64_t>(k_ / 8, 1) >= context_.options.thread_threshold;
    if (parallel) {
      context_.threads->Run(parts, body);
    } else {
      body(0, parts);
    }
  }

  // Rows from `row` on by one block of columns.
  void MultiplyBlock(int64_t batch, int64_t row, int64_t block) const {
    const int64_t rows = std::min(block_rows_, m_ - row);
    const int64_t panels = right_.PanelsOf(block);
    alignas(64) std::array<int32_t, kBlockRows * kSumColumns> sums;
    const auto used = static_cast<size_t>(rows * kSumColumns);
    if (!wide_) {
      std::fill_n(sums.begin(), used, 0);
      AddProducts(row, rows, block, panels, 0, depth_, sums.data());
      ForRows(batch, row, rows, block, panels, [&](int64_t i, float* to) {
        ScaleRow(row + i, block, panels, sums.data() + i * kSumColumns, to);
      });
      return;
    }
    std::array<int64_t, kBlockRows * kSumColumns> totals;
    std::fill_n(totals.begin(), used, 0);
    for (int64_t begin = 0; begin < depth_; begin += kExactDepth) {
      std::fill_n(sums.begin(), used, 0);
      AddProducts(row, rows, block, panels, begin, std::min(begin + kExactDepth, depth_),
                  sums.data());
      for (size_t i = 0; i < used; ++i) totals[i] += sums[i];
    }
    ForRows(batch, row, rows, block, panels, [&](int64_t i, float* to) {
      ScaleTotals(row + i, block, panels, totals.data() + i * kSumColumns, to);
    });
  }

  // Terms [begin, end) of every dot.
  void AddProducts(int64_t row, int64_t rows, int64_t block, int64_t panels, int64_t begin,
                   int64_t end, int32_t* sums) const {
    const ByteProductKernel add = *kernels_.product;
    for (int64_t p = begin; p < end; p += cached_depth_) {
      const ByteProductOperands from{
          .rows = left_.bytes() + row * depth_ + p,
          .row_bytes = depth_,
          .panels = right_.bytes(block) + p * kPanelColumns,
          .panel_bytes = right_.panel_bytes(),
          .depth = std::min(cached_depth_, end - p),
      };
      add(from, rows, panels, sums);
    }
  }

  // Calls body(i, to) for the rows of a block of the result: `to` takes whole panels.
  template <typename Body>
  void ForRows(int64_t batch, int64_t row, int64_t rows, int64_t block, int64_t panels,
               const Body& body) const {
    const int64_t column = block * kSumColumns;
    const int64_t count = std::min(kSumColumns, n_ - column);
    const int64_t stride =
        binding_.result.place.strides[static_cast<size_t>(binding_.result.shape.rank() - 1)];
    const bool direct = stride == 1 && count == panels * kPanelColumns;
    auto* out = reinterpret_cast<float*>(DataOf(binding_.result));
    alignas(64) std::array<float, kSumColumns> tile;
    for (int64_t i = 0; i < rows; ++i) {
      float* to = out + map_.At((batch * m_ + row + i) * n_ + column);
      body(i, direct ? to : tile.data());
      if (direct) continue;
      for (int64_t j = 0; j < count; ++j) to[j * stride] = tile[static_cast<size_t>(j)];
    }
  }

  void ScaleRow(int64_t i, int64_t block, int64_t panels, const int32_t* sums, float* to) const {
    const Dots& rows = left_.dots();
    const Dots& columns = right_.dots();
    const int64_t column = block * kSumColumns;
    const ByteSumScales by{
        .row_scale = rows.scales[i],
        .row_rest = rows.sums[i] - static_cast<uint32_t>(k_) * rows.zeros[i],
        .row_zero = rows.zeros[i],
        .scales = columns.scales + column,
        .zeros = columns.zeros + column,
        .column_sums = right_.has_sums() ? columns.sums + column : nullptr,
    };
    kernels_.bytes->scale_sums(to, sums, panels, by);
  }

  void ScaleTotals(int64_t i, int64_t block, int64_t panels, const int64_t* totals,
                   float* to) const {
    const auto of = [](const uint32_t* numbers, int64_t at) {
      return int64_t{static_cast<int32_t>(numbers[at])};
    };
    const Dots& rows = left_.dots();
    const Dots& columns = right_.dots();
    const int64_t zero = of(rows.zeros, i);
    const int64_t rest = of(rows.sums, i) - k_ * zero;
    for (int64_t j = 0; j < panels * kPanelColumns; ++j) {
      const int64_t at = block * kSumColumns + j;
      int64_t sum = totals[j] - of(columns.zeros, at) * rest;
      if (right_.has_sums()) sum -= zero * of(columns.sums, at);
      to[j] = static_cast<float>(sum) * (rows.scales[i] * columns.scales[at]);
    }
  }

  const QMatmulBinding& binding_;
  const Context& context_;
  const KernelSet& kernels_;
  Scratch scratch_;
  const CodeView left_codes_;
  const CodeView right_codes_;
  const int64_t m_;
  const int64_t k_;
  const int64_t n_;
  const int64_t depth_;  // k rounded up to whole groups of terms
  LeftBytes left_;
  RightBytes right_;
  const Strided map_;
  const int64_t block_rows_;
  const int64_t cached_depth_;
  const bool wide_;  // the result needs more than an i32
};

}  // namespace

ir::Status RunQMatmul(const QMatmulLaunch& launch, const QMatmulBinding& binding,
                      const Context& context) {
  if (binding.result.shape.NumElements() == 0) return {};
  return Product(launch, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
