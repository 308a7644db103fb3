// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Matrix products: operands packed or widened where they do not suit, OpenBLAS for large float
// products, loops of our own for small ones and for ints, the epilogue a row panel at a time while
// it is in cache. Panels depend on the shape alone. No alpha and no skipped zero: NaN and infinity
// always take part.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "fusion/cpu/blas.h"
#include "fusion/cpu/launches.h"
#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kPanelRows = 512;
constexpr int64_t kSmallPanelRows = 2;
constexpr int64_t kSmallProduct = 512;  // multiplications; less is quicker without a library
constexpr int64_t kTile = 512;

// One operand as the product reads it: elements of the accumulator.
struct Matrix {
  const std::byte* data = nullptr;
  Strided batches;  // element offset of a batch's matrix
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

int64_t StrideAt(const TensorBinding& tensor, int from_last) {
  return tensor.place.strides[static_cast<size_t>(tensor.shape.rank() - 1 - from_last)];
}

Strided BatchMap(const TensorBinding& tensor) {
  const size_t batch_rank = static_cast<size_t>(tensor.shape.rank() - 2);
  return Normalize(tensor.place.offset, tensor.shape.extents().first(batch_rank),
                   std::span(tensor.place.strides).first(batch_rank));
}

// Whether BLAS can take a matrix of this many rows and columns as it lies; with it the leading
// dimension.
bool LiesAsIs(const Matrix& m, int64_t rows, int64_t columns, bool* transposed, int64_t* leading) {
  const bool by_rows =
      (m.column_stride == 1 || columns == 1) && (m.row_stride >= columns || rows == 1);
  const bool by_columns =
      (m.row_stride == 1 || rows == 1) && (m.column_stride >= rows || columns == 1);
  *transposed = !by_rows;
  *leading = by_rows ? std::max(rows == 1 ? 0 : m.row_stride, columns)
                     : std::max(columns == 1 ? 0 : m.column_stride, rows);
  *leading = std::max<int64_t>(*leading, 1);
  return (by_rows || by_columns) && *leading <= INT32_MAX;
}

// c[i][j] = sum over p of a[i][p] * b[p][j], rows of c dense. Ints come as unsigned and wrap.
template <typename T>
void Multiply(const T* a, const Matrix& left, const T* b, const Matrix& right, T* c, int64_t ldc,
              int64_t m, int64_t n, int64_t k) {
  const bool turned = FAULT(matmul_square_turned) && m == k && left.column_stride != 1;
  for (int64_t i = 0; i < m; ++i) {
    T* row = c + i * ldc;
    std::fill(row, row + n, T{0});
    for (int64_t p = 0; p < k; ++p) {
      const T x = turned ? a[p * left.row_stride + i * left.column_stride]
                         : a[i * left.row_stride + p * left.column_stride];
      const T* from = b + p * right.row_stride;
      if (right.column_stride == 1) {
        for (int64_t j = 0; j < n; ++j) row[j] = static_cast<T>(row[j] + x * from[j]);
      } else {
        for (int64_t j = 0; j < n; ++j) {
          row[j] = static_cast<T>(row[j] + x * from[j * right.column_stride]);
        }
      }
    }
  }
}

class MatmulRun {
 public:
  MatmulRun(const MatmulLaunch& launch, const MatmulPrograms& programs,
            const MatmulBinding& binding, const Context& context)
      : launch_(launch),
        programs_(programs),
        binding_(binding),
        context_(context),
        scratch_(context.pool),
        width_(ByteSize(launch.accumulator)) {}

  ir::Status Run() {
    m_ = Extent(binding_.left.shape, 1);
    k_ = Extent(binding_.left.shape, 0);
    n_ = Extent(binding_.right.shape, 0);
    batches_ = 1;
    for (int axis = 0; axis < binding_.left.shape.rank() - 2; ++axis) {
      batches_ *= binding_.left.shape[axis];
    }
    if (batches_ * m_ * n_ == 0) return {};
    library_ = launch_.accumulator == Reg::kF32 || launch_.accumulator == Reg::kF64
                   ? GetBlas().sgemm != nullptr && m_ * n_ * k_ > kSmallProduct
                   : false;
    if (k_ > 0) {
      FAULTLINE_RETURN_IF_ERROR(Prepare(binding_.left, launch_.left, programs_.left_prologue.get(),
                                        binding_.left_prologue, m_, k_, &left_));
      FAULTLINE_RETURN_IF_ERROR(Prepare(binding_.right, launch_.right,
                                        programs_.right_prologue.get(), binding_.right_prologue, k_,
                                        n_, &right_));
    }
    return RunPanels();
  }

 private:
  // Makes an operand readable: its prologue's result, itself, or a dense copy in the accumulator's
  // dtype (without the axes that only broadcast).
  ir::Status Prepare(const TensorBinding& tensor, ir::Dtype storage, const Program* prologue,
                     const BlockBinding& block, int64_t rows, int64_t columns, Matrix* matrix) {
    matrix->batches = BatchMap(tensor);
    matrix->row_stride = StrideAt(tensor, 1);
    matrix->column_stride = StrideAt(tensor, 0);
    if (prologue != nullptr) return RunPrologue(*prologue, block, matrix);
    matrix->data = DataOf(tensor);
    bool transposed;
    int64_t leading;
    const bool as_is = FormatOf(storage) < 0 &&
                       (!library_ || LiesAsIs(*matrix, rows, columns, &transposed, &leading));
    if (as_is) return {};
    return Pack(tensor, storage, matrix);
  }

  ir::Status RunPrologue(const Program& program, const BlockBinding& block, Matrix* matrix) {
    auto made = cpu::RunPrologue(program, block, width_, context_, &scratch_);
    if (!made.has_value()) return made.error();
    matrix->data = *made;
    return {};
  }

  ir::Status Pack(const TensorBinding& tensor, ir::Dtype storage, Matrix* matrix) {
    const int rank = tensor.shape.rank();
    std::array<int64_t, ir::kRankMax> extents = {};
    int64_t elements = 1;
    for (int axis = 0; axis < rank; ++axis) {
      const size_t at = static_cast<size_t>(axis);
      const bool repeats = axis < rank - 2 && tensor.place.strides[at] == 0;
      extents[at] = repeats ? 1 : tensor.shape[axis];
      elements *= extents[at];
    }
    auto memory = scratch_.Get(context_.options.account, elements * width_);
    if (!memory.has_value()) return memory.error();
    std::byte* packed = *memory;
    const size_t count = static_cast<size_t>(rank);
    Widen(storage, DataOf(tensor),
          Normalize(tensor.place.offset, std::span(extents).first(count),
                    std::span(tensor.place.strides).first(count)),
          elements, packed);
    std::array<int64_t, ir::kRankMax> strides = {};
    int64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const size_t at = static_cast<size_t>(axis);
      const bool repeats = axis < rank - 2 && tensor.place.strides[at] == 0;
      strides[at] = repeats ? 0 : stride;
      stride *= extents[at];
    }
    matrix->data = packed;
    matrix->batches =
        Normalize(0, tensor.shape.extents().first(count - 2), std::span(strides).first(count - 2));
    matrix->row_stride = extents[count - 1];
    matrix->column_stride = 1;
    return {};
  }

  void Widen(ir::Dtype storage, const std::byte* from, const Strided& map, int64_t elements,
             std::byte* to) {
    const int format = FormatOf(storage);
    if (format < 0) {
      Gather(width_, from, map, 0, elements, to);
      return;
    }
    alignas(64) std::array<std::byte, kTile * 4> raw = {};
    alignas(64) std::array<std::byte, kTile * 8> wide;
    const OpKernel widen = context_.kernels->memory->widen[format];
    const int width = ir::ByteSize(storage);
    for (int64_t at = 0; at < elements; at += kTile) {
      const int64_t count = std::min(kTile, elements - at);
      Gather(width, from, map, at, count, raw.data());
      widen(wide.data(), {raw.data(), kGroup * width}, {}, {}, (count + kGroup - 1) / kGroup, 0);
      std::memcpy(to + at * width_, wide.data(), static_cast<size_t>(count * width_));
    }
  }

  ir::Status RunPanels() {
    // A library may add in another order where there are fewer rows.
    const bool small = context_.options.small_tiles && !library_;
    const int64_t most = small ? kSmallPanelRows : kPanelRows;
    const int64_t panels = m_ <= most + most / 2 ? 1 : (m_ + most - 1) / most;
    const int64_t panel_rows = panels == 1 ? m_ : most;
    const bool direct =
        programs_.epilogue == nullptr && RegOf(launch_.result) == launch_.accumulator &&
        FormatOf(launch_.result) < 0 && (StrideAt(binding_.result, 0) == 1 || n_ == 1) &&
        (StrideAt(binding_.result, 1) >= n_ || m_ == 1) &&
        StrideAt(binding_.result, 1) <= INT32_MAX;
    const bool parallel =
        context_.threads->threads() > 1 &&
        batches_ * m_ * n_ * std::max<int64_t>(k_ / 8, 1) >= context_.options.thread_threshold;
    const int64_t workers = parallel ? context_.threads->threads() : 1;
    std::byte* products = nullptr;
    if (!direct) {
      auto memory = scratch_.Get(context_.options.account, workers * panel_rows * n_ * width_);
      if (!memory.has_value()) return memory.error();
      products = *memory;
    }
    const Strided result_batches =
        direct || programs_.epilogue == nullptr ? BatchMap(binding_.result) : Strided();
    std::atomic<int64_t> number = 0;
    std::mutex merging;
    IndexContext found;
    auto body = [&](int64_t begin, int64_t end) {
      std::byte* product = products;
      if (!direct) product += panel_rows * n_ * width_ * number.fetch_add(1);
      BlockRun epilogue;
      if (programs_.epilogue != nullptr) {
        epilogue.Bind(*programs_.epilogue, binding_.epilogue, context_.options.small_tiles);
        epilogue.BindProduct(width_);
      }
      for (int64_t part = begin; part < end; ++part) {
        const int64_t batch = part / panels;
        const int64_t row = part % panels * panel_rows;
        const int64_t rows = std::min(panel_rows, m_ - row);
        if (direct) {
          const int64_t stride = m_ == 1 ? n_ : StrideAt(binding_.result, 1);
          std::byte* out =
              DataOf(binding_.result) + (result_batches.At(batch) + row * stride) * width_;
          Product(batch, row, rows, out, stride);
          continue;
        }
        Product(batch, row, rows, product, n_);
        if (programs_.epilogue != nullptr) {
          const int64_t first = ((FAULT(epilogue_ignores_batch) ? 0 : batch) * m_ + row) * n_;
          epilogue.RunRange(first, first + rows * n_, product);
        } else {
          StoreResult(result_batches.At(batch), row, rows, product);
        }
      }
      if (!epilogue.error().failed()) return;
      const std::lock_guard lock(merging);
      found.Merge(epilogue.error());
    };
    if (parallel) {
      context_.threads->Run(batches_ * panels, body);
    } else {
      body(0, batches_ * panels);
    }
    Report(found.error, context_.options);
    return {};
  }

  void Product(int64_t batch, int64_t row, int64_t rows, std::byte* out, int64_t ldc) const {
    if (k_ == 0) {
      if (FAULT(matmul_empty_sum_unwritten)) return;
      for (int64_t i = 0; i < rows; ++i) {
        std::memset(out + i * ldc * width_, 0, static_cast<size_t>(n_ * width_));
      }
      return;
    }
    const std::byte* a = left_.data + (left_.batches.At(batch) + row * left_.row_stride) * width_;
    const std::byte* b =
        right_.data + right_.batches.At(FAULT(right_batch_ignored) ? 0 : batch) * width_;
    switch (launch_.accumulator) {
      case Reg::kF32:
        FloatProduct<float>(GetBlas().sgemm, a, b, out, ldc, rows);
        break;
      case Reg::kF64:
        FloatProduct<double>(GetBlas().dgemm, a, b, out, ldc, rows);
        break;
      case Reg::kI32:
      case Reg::kU32:
        Own<uint32_t>(a, b, out, ldc, rows);
        break;
      case Reg::kI64:
      case Reg::kU64:
        Own<uint64_t>(a, b, out, ldc, rows);
        break;
      case Reg::kMask:
        FAULTLINE_CHECK(false, "masks have no products");
    }
  }

  template <typename T>
  void Own(const std::byte* a, const std::byte* b, std::byte* out, int64_t ldc,
           int64_t rows) const {
    Multiply(reinterpret_cast<const T*>(a), left_, reinterpret_cast<const T*>(b), right_,
             reinterpret_cast<T*>(out), ldc, rows, n_, k_);
  }

  template <typename T, typename Gemm>
  void FloatProduct(Gemm gemm, const std::byte* a, const std::byte* b, std::byte* out, int64_t ldc,
                    int64_t rows) const {
    if (!library_) return Own<T>(a, b, out, ldc, rows);
    bool left_transposed;
    bool right_transposed;
    int64_t lda;
    int64_t ldb;
    // Whether a matrix is transposed is asked of the whole of it, so that panels agree.
    LiesAsIs(left_, m_, k_, &left_transposed, &lda);
    LiesAsIs(right_, k_, n_, &right_transposed, &ldb);
    gemm(kBlasRowMajor, left_transposed ? kBlasTransposed : kBlasAsIs,
         right_transposed ? kBlasTransposed : kBlasAsIs, static_cast<int>(rows),
         static_cast<int>(n_), static_cast<int>(k_), T{1}, reinterpret_cast<const T*>(a),
         static_cast<int>(lda), reinterpret_cast<const T*>(b), static_cast<int>(ldb), T{0},
         reinterpret_cast<T*>(out), static_cast<int>(ldc));
  }

  // Rounds or wraps a panel to the result's dtype and stores it by its strides.
  void StoreResult(int64_t batch_offset, int64_t row, int64_t rows,
                   const std::byte* product) const {
    const TensorBinding& to = binding_.result;
    const std::array<int64_t, 2> extents = {rows, n_};
    const std::array<int64_t, 2> strides = {StrideAt(to, 1), StrideAt(to, 0)};
    const Strided map = Normalize(batch_offset + row * strides[0], extents, strides);
    const int format = FormatOf(launch_.result);
    const int width = ir::ByteSize(launch_.result);
    const KernelSet& kernels = *context_.kernels;
    const RegKernels& ops = *kernels.regs[static_cast<size_t>(launch_.accumulator)];
    alignas(64) std::array<std::byte, kTile * 8> tile = {};
    alignas(64) std::array<std::byte, kTile * 8> narrow;
    for (int64_t at = 0; at < rows * n_; at += kTile) {
      const int64_t count = std::min(kTile, rows * n_ - at);
      const int64_t groups = (count + kGroup - 1) / kGroup;
      std::memcpy(tile.data(), product + at * width_, static_cast<size_t>(count * width_));
      const Operand value{tile.data(), kGroup * width_};
      if (launch_.result == ir::Dtype::kF16 || launch_.result == ir::Dtype::kBf16) {
        const Op round = launch_.result == ir::Dtype::kF16 ? Op::kRoundF16 : Op::kRoundBf16;
        ops.ops[static_cast<size_t>(round)](tile.data(), value, {}, {}, groups, 0);
      }
      const std::byte* from = tile.data();
      if (format >= 0) {
        kernels.memory->narrow[format](narrow.data(), value, {}, {}, groups, 0);
        from = narrow.data();
      }
      cpu::Scatter(width, DataOf(to), map, at, count, from);
    }
  }

  const MatmulLaunch& launch_;
  const MatmulPrograms& programs_;
  const MatmulBinding& binding_;
  const Context& context_;
  Scratch scratch_;
  const int width_;
  int64_t m_ = 0;
  int64_t n_ = 0;
  int64_t k_ = 0;
  int64_t batches_ = 1;
  bool library_ = false;
  Matrix left_;
  Matrix right_;
};

}  // namespace

ir::Status RunMatmul(const MatmulLaunch& launch, const MatmulPrograms& programs,
                     const MatmulBinding& binding, const Context& context) {
  return MatmulRun(launch, programs, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
