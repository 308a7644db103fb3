// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// All that stream and plan know of a device: memory, launches, a fence. A launch has a static half,
// the Launch, which holds no extents and may sit in a plan cache, compiled once to a Kernel; and a
// LaunchBinding, made afresh for each run. Nothing here knows what an op is.

#ifndef FUSION_TARGET_H_
#define FUSION_TARGET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/pool_mode.h"
#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/shape.h"
#include "ir/type.h"

namespace faultline::fusion {

// ---------------------------------------------------------------------------------------- memory

// A piece of device memory, made and released by one target.
class Buffer {
 public:
  int64_t bytes() const { return bytes_; }

 protected:
  Buffer() = default;
  ~Buffer() = default;
  int64_t bytes_ = 0;
};

// Where the elements of a tensor lie in a buffer: element i at offset + sum i_k * strides_k, in
// elements. Quantized tensors are always dense: ir::LayoutOf bytes from the start of the buffer.
struct Placement {
  int64_t offset = 0;
  std::array<int64_t, ir::kRankMax> strides = {};
};

struct TensorMemory {
  Buffer* buffer = nullptr;
  Placement place;
};

struct TargetOptions {
  int threads = 1;
  std::string isa;  // "baseline", "avx2", "avx512"; empty: FAULTLINE_ISA, else what the CPU has
  PoolMode pool = PoolMode::kPlain;
  uint64_t pool_seed = 0;
};

// Whose memory it is: limits, counters and failure injection of one session. Every allocation of
// tensor or scratch memory is made on an account, which outlives its buffers.
struct MemoryAccount {
  int64_t limit = 0;            // bytes alive at once; 0: none
  int64_t fail_allocation = 0;  // the n-th allocation fails (1 is the first); 0: none does
  int64_t live_bytes = 0;       // as asked for, not as rounded up
  int64_t live_buffers = 0;
  int64_t peak_bytes = 0;
  int64_t allocations = 0;
};

// ---------------------------------------------------------------------------------------- launches

// An elementwise, reducing, scanning or row-normalising loop.
struct BlockLaunch {
  std::shared_ptr<const Block> block;
  bool operator==(const BlockLaunch&) const = default;
};

// [batch.., m, k] x [batch.., k, n], batch axes already broadcast by strides. The product is
// accumulated in `accumulator` (f32 for f16 and bf16 operands, f64, i32 u32 i64 u64: ints wrap).
struct MatmulLaunch {
  // Storage of the operands as they lie in memory; plain dtypes. Narrow ones are widened.
  ir::Dtype left = ir::Dtype::kF32;
  ir::Dtype right = ir::Dtype::kF32;
  Reg accumulator = Reg::kF32;
  // Elementwise blocks over [batch.., m, k] and [batch.., k, n] that make an operand (casts,
  // dequantize): they store in slot 0, dense, in the accumulator's dtype. null: read from memory.
  std::shared_ptr<const Block> left_prologue;
  std::shared_ptr<const Block> right_prologue;
  // An elementwise block over [batch.., m, n]; slot 0 and access 0 are the product (storage: the
  // accumulator's dtype, kStrided, its binding is filled in by the target). null: the product is
  // rounded or wrapped to `result` and stored through the binding's `result`.
  std::shared_ptr<const Block> epilogue;
  ir::Dtype result = ir::Dtype::kF32;
  bool operator==(const MatmulLaunch&) const = default;
};

// Stable sort along the last axis, NaN last (first if descending). Gives the first elements, moved
// bitwise, the positions they come from, or both.
struct SortLaunch {
  ir::Dtype dtype = ir::Dtype::kF32;
  bool descending = false;
  bool values = true;
  bool positions = false;
  ir::Dtype position = ir::Dtype::kI64;  // i32 or i64
  bool operator==(const SortLaunch&) const = default;
};

// Writes values at places into a tensor that already holds operand 0 (copied by the engine, or the
// operand itself). Row-major order of the index tensor: the last assignment wins. On f16 and bf16
// kAdd and kMul accumulate in f32 and round once.
struct ScatterLaunch {
  ir::Dtype dtype = ir::Dtype::kF32;
  ir::Dtype index = ir::Dtype::kI64;
  ir::Update update = ir::Update::kAssign;
  int32_t source = -1;  // statement an out-of-range index is reported for
  bool operator==(const ScatterLaunch&) const = default;
};

// Moves elements bitwise from places of a tensor.
struct GatherPartsLaunch {
  int element_bytes = 4;
  ir::Dtype index = ir::Dtype::kI64;
  int32_t source = -1;  // statement an out-of-range index is reported for
  bool operator==(const GatherPartsLaunch&) const = default;
};

// Moves elements bitwise: any access to a strided place of the same dtype.
struct CopyLaunch {
  int element_bytes = 4;
  std::vector<Access> accesses;  // accesses[0] is read (others are its pieces or index); the
                                 // storage dtypes matter only for indices
  bool operator==(const CopyLaunch&) const = default;
};

// A layout op on a quantized tensor that keeps codes and scales: result element i has the code of
// operand element map(i), and each result block the scale of the operand block its first element
// came from. accesses[0] is read (others are its pieces or index) and gives logical elements.
struct MoveCodesLaunch {
  std::vector<Access> accesses;
  ir::Scheme result;
  bool operator==(const MoveCodesLaunch&) const = default;
};

// Range, scales and codes of a float tensor (f32, f16, bf16); or codes by scales that are given.
struct QuantizeLaunch {
  ir::Dtype from = ir::Dtype::kF32;
  ir::Scheme scheme;
  ir::Range range = ir::Range::kMinMax;
  bool given_scales = false;
  // An elementwise block over the tensor that makes it, stored in slot 0, dense, as f32. null: read
  // from memory.
  std::shared_ptr<const Block> prologue = nullptr;
  bool operator==(const QuantizeLaunch&) const = default;
};

// [batch.., m, k] x [batch.., k, n] of integer codes, batch axes broadcast, where every dot has one
// scale of each operand: exact sums of products of codes, converted to f32 and scaled once.
struct QMatmulLaunch {
  ir::Scheme left;
  ir::Scheme right;
  bool operator==(const QMatmulLaunch&) const = default;
};

using Launch = std::variant<BlockLaunch, MatmulLaunch, SortLaunch, ScatterLaunch, GatherPartsLaunch,
                            CopyLaunch, MoveCodesLaunch, QuantizeLaunch, QMatmulLaunch>;

// ---------------------------------------------------------------------------------------- bindings

inline constexpr int kMapRankMax = 12;

// The numbers of an access. Over `linear`, the row-major index of the phase's space (all loop axes;
// the outer axes if the access is per_row):
//   kStrided   digits of `linear` in the mixed radix `extents` (outermost first; their product is
//              the size of the space), each times its stride, plus offset. Affine: extents are the
//              loop's. Broadcast: stride 0. Contiguous: rank 1, stride 1. Rank 0: the offset.
//   kTable     offset + table[linear]
//   kPieces    position p = linear / inner % period on the joined axis; piece i has
//              starts[i] <= p < starts[i+1] (starts: one more than there are pieces, last =
//              period). The piece's own binding is over the whole space, its offset shifted so that
//              the same `linear` finds the element (offset - starts[i] * stride of the axis).
//   kIndirect  the strided map (stride 0 on the indexed axis) + index * index_stride, where index
//   is
//              read through Access::index at the same `linear`; valid if 0 <= index < index_bound.
//              A failing index is reported with its position: the strided map `positions` (stride a
//              digit, over `extents`) gives its row-major place in the index tensor.
// All in elements. Buffers must be large enough for every element of a nonempty space.
struct AccessBinding {
  int64_t offset = 0;
  int rank = 0;
  std::array<int64_t, kMapRankMax> extents = {};
  std::array<int64_t, kMapRankMax> strides = {};
  std::span<const int64_t> table;
  int64_t inner = 1;
  std::span<const int64_t> starts;
  int64_t index_stride = 0;
  int64_t index_bound = 0;
  std::array<int64_t, kMapRankMax> positions = {};
  // Quantized storage: the logical shape that the map's elements are row-major in.
  ir::Shape quantized_shape;
};

// What went wrong while a launch ran: the first offending index (lowest position of the lowest
// statement). Owned by the engine, written by the target before the fence returns.
struct LaunchError {
  int32_t source = -1;  // -1: nothing
  int64_t position = 0;
  int64_t index = 0;
  int64_t bound = 0;
  bool failed() const { return source >= 0; }
};

// The run-time half of a Block. Spans are borrowed until Run returns.
struct BlockBinding {
  std::span<const int64_t> extents;         // one a loop axis
  std::span<Buffer* const> buffers;         // one a slot; no two overlap unless one store has the
                                            // map of every load of the same buffer (in place)
  std::span<const AccessBinding> accesses;  // one an access
  std::span<const uint64_t> parameters;     // bits, one a parameter slot
};

// A strided tensor in a buffer: shape and map of operands that are no blocks.
struct TensorBinding {
  Buffer* buffer = nullptr;
  ir::Shape shape;
  Placement place;
};

struct MatmulBinding {
  TensorBinding left;    // [batch.., m, k], shape with the full batch axes; stride 0 broadcasts
  TensorBinding right;   // [batch.., k, n]
  TensorBinding result;  // [batch.., m, n]; its shape always counts, the rest without epilogue only
  BlockBinding left_prologue;  // slot 0 and its access are filled in by the target
  BlockBinding right_prologue;
  BlockBinding epilogue;
};

struct SortBinding {
  TensorBinding from;  // sorted along the last axis: permute the strides
  TensorBinding to;    // as long along the last axis as elements are wanted
  TensorBinding positions;
};

// Places in a tensor, one for each element of a walk. An index tensor names them along some axes of
// the tensor; along each other axis the walk goes itself.
struct PlacesBinding {
  // Over the walk; stride 0 on the axes along which an index serves for all elements.
  TensorBinding index;
  int64_t component_stride = 0;  // from an index for one axis to that for the next
  TensorBinding tensor;          // the whole one; shapes fit: 0 <= index < tensor.shape[axis]
  int named_count = 0;
  std::array<int8_t, ir::kRankMax> named = {};   // axes of the tensor that the index names
  std::array<int8_t, ir::kRankMax> walked = {};  // by axis of the walk: axis of the tensor, or -1
};

struct ScatterBinding {
  PlacesBinding places;
  TensorBinding values;  // over the walk
};

struct GatherPartsBinding {
  PlacesBinding places;
  TensorBinding to;  // over the walk
};

struct CopyBinding {
  std::span<Buffer* const> buffers;
  std::span<const AccessBinding> accesses;
  TensorBinding to;  // its shape is the space
};

struct MoveCodesBinding {
  std::span<Buffer* const> buffers;
  std::span<const AccessBinding> accesses;  // with quantized_shape
  Buffer* to = nullptr;
  ir::Shape shape;
};

struct QuantizeBinding {
  TensorBinding from;
  Buffer* to = nullptr;
  // Given scales: f32, one a block; the f32 scale of the tensor or the u8 or i8 zero points.
  TensorBinding scales = {};
  TensorBinding third = {};
  BlockBinding prologue = {};  // slot 0 and its access are filled in by the target
};

struct QMatmulBinding {
  Buffer* left = nullptr;
  Buffer* right = nullptr;
  ir::Shape left_shape;  // as they are, batch axes not broadcast
  ir::Shape right_shape;
  TensorBinding result;  // f32
};

using LaunchBinding =
    std::variant<BlockBinding, MatmulBinding, SortBinding, ScatterBinding, GatherPartsBinding,
                 CopyBinding, MoveCodesBinding, QuantizeBinding, QMatmulBinding>;

struct RunOptions {
  // Spaces of fewer elements run on the calling thread.
  int64_t thread_threshold = 1 << 16;
  // Tiles, panels and chunks as small as they can be with the same bits, so that few elements make
  // many of them.
  bool small_tiles = false;
  int tier = 1;                      // of a kernel that has several; 0 is the safe one
  MemoryAccount* account = nullptr;  // of scratch memory; required
  LaunchError* error = nullptr;      // required if the launch has indices
};

// A Launch made ready for one target. Immutable; runs on several threads at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // How many ways there are to run it; RunOptions::tier says which.
  virtual int tiers() const { return 1; }
  // What the trace calls a launch by that tier, a literal; empty: what kind of launch it is.
  virtual std::string_view tier_name(int) const { return {}; }
};

// ------------------------------------------------------------------------------------------ target

// Thread-safe: several sessions share one target, each with its own account.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;

  // A buffer of at least `bytes` (0 included), its contents unspecified. out_of_memory when the
  // limit, the injected failure or the machine says so.
  virtual ir::Result<Buffer*> Allocate(MemoryAccount* account, int64_t bytes) = 0;
  // Memory for a plain tensor and where its elements lie in it: row-major, dense unless the pool
  // pads rows.
  virtual ir::Result<TensorMemory> AllocateTensor(MemoryAccount* account, ir::Dtype dtype,
                                                  const ir::Shape& shape) = 0;
  // Launches that use the buffer may still be pending.
  virtual void Release(Buffer* buffer) = 0;
  // Gives cached memory back to the system.
  virtual void Trim() = 0;

  // Between host bytes (dense, row-major) and a strided tensor. `bytes` of Upload may be released
  // once it returns; Download waits for the launches before it.
  virtual ir::Status Upload(const TensorBinding& to, int element_bytes, const std::byte* bytes) = 0;
  virtual ir::Status Download(const TensorBinding& from, int element_bytes, std::byte* bytes) = 0;

  // Requires verified blocks.
  virtual ir::Result<std::shared_ptr<const Kernel>> Compile(const Launch& launch) = 0;
  // `binding` holds the alternative that belongs to the kernel's launch. Launches run in the order
  // given. A Status is a failure of the launch as a whole (out of memory, device lost); index
  // errors go to options.error. In either case the outputs hold unspecified elements.
  virtual ir::Status Run(const Kernel& kernel, const LaunchBinding& binding,
                         const RunOptions& options) = 0;
  // Waits for every launch; checks guard zones. What it returns is a fault of the device or of us.
  virtual ir::Status Fence() = 0;

  // What the trace says once: core of the BLAS, instruction set, and so on.
  virtual std::string Describe() const = 0;
};

}  // namespace faultline::fusion

#endif  // FUSION_TARGET_H_
