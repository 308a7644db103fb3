// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/block_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTileMax = 1024;
constexpr int64_t kReduceChunk = 1 << 16;
constexpr int64_t kSmallReduceChunk = 2 * kAccumulators * kGroup;
constexpr int64_t kTileMin = 256;
constexpr int64_t kCacheBytes = 32 << 10;
constexpr int64_t kRowBufferBytes = 128 << 10;
constexpr int64_t kRowsForAcross = 16;
constexpr int64_t kShortRow = 16;

int64_t RoundUp(int64_t n) { return (n + kGroup - 1) / kGroup * kGroup; }

}  // namespace

Worker& ThisWorker() {
  thread_local Worker worker;
  return worker;
}

void BlockRun::Bind(const Program& program, const BlockBinding& binding, bool small) {
  const Block& block = *program.block;
  program_ = &program;
  binding_ = &binding;
  error_ = LaunchError();
  FAULTLINE_CHECK(static_cast<int>(binding.extents.size()) == block.loop_rank,
                  "an extent for every loop axis");
  rows_ = 1;
  row_ = 1;
  for (int k = 0; k < block.loop_rank; ++k) {
    const bool outer = block.has_row && k + 1 < block.loop_rank;
    (outer ? rows_ : row_) *= binding.extents[static_cast<size_t>(k)];
  }
  if (rows_ == 0 || (row_ == 0 && !block.has_row)) return;
  FAULTLINE_CHECK(!FAULT(empty_rows_abort) || row_ > 0, "a row has elements");
  accesses_.Bind(block.accesses, binding.accesses, binding.buffers, rows_, row_);
  across_ = block.has_row && PrefersAcross();
  ChooseTile(small);
  AllowDirectStores();
}

// In place, a value must not be written over its operand while some other use of that is to come.
void BlockRun::AllowDirectStores() {
  direct_.assign(static_cast<size_t>(program_->direct_stores), 1);
  for (const PhaseProgram& phase : program_->phases) {
    for (const DirectStore& direct : phase.direct) {
      const Step& store = program_->steps[static_cast<size_t>(direct.store)];
      const size_t to = static_cast<size_t>(store.immediate);
      bool allowed = accesses_[to].split;
      for (const int reader : direct.readers) {
        const BoundAccess& from = accesses_[static_cast<size_t>(reader)];
        if (from.access->map == MapKind::kStrided) {
          allowed = allowed && from.base != accesses_[to].base;
          continue;
        }
        for (size_t i = 0; i < program_->block->accesses.size(); ++i) {
          allowed = allowed && (i == to || accesses_[i].base != accesses_[to].base);
        }
      }
      direct_[static_cast<size_t>(direct.number)] = allowed ? 1 : 0;
    }
  }
}

// Values that go to dense memory as they are get that memory as their tile.
void BlockRun::AimDirectStores(Worker* worker, const PhaseProgram& phase, const Tile& tile) const {
  const bool whole = tile.count == tile.groups * kGroup;
  for (const DirectStore& direct : phase.direct) {
    if (direct_[static_cast<size_t>(direct.number)] == 0) continue;
    const size_t id = static_cast<size_t>(direct.value);
    const Step& store = program_->steps[static_cast<size_t>(direct.store)];
    const size_t number = static_cast<size_t>(store.immediate);
    std::byte* aim = whole ? DenseTarget(*worker, accesses_[number], number, tile, false) : nullptr;
    if (aim == nullptr) {
      const Home& home = across_ ? program_->values[id].across : program_->values[id].along;
      aim = worker->front + home.fixed + home.slope * tile_;
    }
    worker->tiles[id] = aim;
    worker->operands[id].data = aim;
  }
}

bool BlockRun::PrefersAcross() const {
  if (rows_ < kRowsForAcross || row_ == 0) return false;
  int along_votes = 0;
  int across_votes = 0;
  for (const Step& step : program_->steps) {
    if (step.kind != StepKind::kLoad && step.kind != StepKind::kStore) continue;
    const BoundAccess& access = accesses_[static_cast<size_t>(step.immediate)];
    if (access.access->per_row) continue;
    if (!access.split) {
      along_votes += 2;
      continue;
    }
    if (access.row.contiguous()) ++along_votes;
    if (access.outer.inner_stride() == 1) ++across_votes;
  }
  return row_ <= kShortRow ? across_votes >= along_votes - 1 || row_ < 8
                           : across_votes > along_votes;
}

void BlockRun::ChooseTile(bool small) {
  const Home& arena = across_ ? program_->across : program_->along;
  const int64_t slope = std::max<int64_t>(arena.slope - kStagingSlope, 4);
  // The same lanes take the same elements in tiles of any multiple of this.
  tile_ = small ? kAccumulators * kGroup : kTileMax;
  chunk_ = small && !program_->sums_floats ? kSmallReduceChunk : kReduceChunk;
  while (tile_ > kTileMin && tile_ * slope > kCacheBytes) tile_ /= 2;
  tile_ = std::min(tile_, RoundUp(std::max<int64_t>(across_ ? rows_ : row_, 1)));
  row_buffer_bytes_ = 0;
  if (program_->row_buffers.empty()) return;
  const int64_t width = program_->row_buffer_bytes;
  if (across_) {
    while (tile_ > kGroup && row_ * tile_ * width > kRowBufferBytes) tile_ = RoundUp(tile_ / 2);
    row_buffer_bytes_ = row_ * tile_ * width;
  } else {
    row_buffer_bytes_ = RoundUp(row_) * width;
  }
}

// Points every value to its place and fills the uniform ones.
void BlockRun::Prepare(Worker* worker) const {
  const Program& program = *program_;
  const Home& arena = across_ ? program.across : program.along;
  const size_t bytes = static_cast<size_t>(arena.fixed + arena.slope * tile_);
  if (worker->arena.size() < bytes + 64) worker->arena.resize(2 * bytes + 64);
  const auto address = reinterpret_cast<uintptr_t>(worker->arena.data());
  std::byte* front = worker->arena.data() + (64 - address % 64) % 64;
  worker->front = front;
  worker->context.offsets = reinterpret_cast<int64_t*>(front + kStagingOffsets * tile_);
  worker->context.indices = reinterpret_cast<int64_t*>(front + kStagingIndex * tile_);
  worker->context.codes = reinterpret_cast<int8_t*>(front + kStagingCodes * tile_);
  worker->context.error = LaunchError();
  const size_t count = program.values.size();
  if (worker->operands.size() < count) {
    worker->operands.resize(count);
    worker->tiles.resize(count);
    worker->states.resize(count);
  }
  const size_t accesses = program.block->accesses.size();
  if (worker->row_offsets.size() < accesses) worker->row_offsets.resize(accesses);
  for (size_t i = 0; i < accesses; ++i) worker->row_offsets[i] = accesses_[i].outer.offset;
  for (size_t i = 0; i < count; ++i) {
    const ValueInfo& value = program.values[i];
    const Home& home = across_ ? value.across : value.along;
    const Home& state = across_ ? value.state_across : value.state_along;
    const bool group = value.scope == Scope::kUniform || (value.scope == Scope::kRow && !across_);
    worker->tiles[i] = front + home.fixed + home.slope * tile_;
    worker->states[i] = front + state.fixed + state.slope * tile_;
    worker->operands[i] = {worker->tiles[i], group ? 0 : kGroup * ByteSize(value.reg)};
  }
  for (ValueId id : program.uniforms) {
    const Instruction& it = program.block->instructions[static_cast<size_t>(id)];
    const uint64_t bits = it.op == Op::kConstant
                              ? it.immediate
                              : binding_->parameters[static_cast<size_t>(it.immediate)];
    Splat(ByteSize(it.reg), reinterpret_cast<const std::byte*>(&bits),
          worker->tiles[static_cast<size_t>(id)]);
  }
}

void BlockRun::PlaceRowBuffers(Worker* worker, int64_t element) const {
  std::byte* at = worker->row_buffer;
  const int64_t elements = across_ ? row_ * tile_ : RoundUp(row_);
  for (ValueId id : program_->row_buffers) {
    const int64_t width = ByteSize(program_->values[static_cast<size_t>(id)].reg);
    worker->tiles[static_cast<size_t>(id)] = at + element * width;
    worker->operands[static_cast<size_t>(id)] = {at + element * width, kGroup * width};
    at += elements * width;
  }
}

ir::Status BlockRun::Run(ThreadPool* threads, Pool* pool, const RunOptions& options) {
  if (rows_ == 0 || (row_ == 0 && !program_->block->has_row)) return {};
  if (rows_ == 1 && program_->chunked && row_ >= 2 * chunk_) {
    return RunChunks(threads, pool, options);
  }
  const bool single_row = rows_ == 1 && !across_;
  const bool by_tiles = !program_->block->has_row;
  const int64_t parts = across_    ? (rows_ + tile_ - 1) / tile_
                        : by_tiles ? (row_ + tile_ - 1) / tile_
                                   : rows_;
  const bool parallel = !(single_row && !by_tiles) && threads->threads() > 1 &&
                        rows_ * row_ >= options.thread_threshold;
  Scratch scratch(pool);
  std::byte* row_buffers = nullptr;
  if (row_buffer_bytes_ > 0) {
    const int64_t workers = parallel ? threads->threads() : 1;
    auto memory = scratch.Get(options.account, workers * row_buffer_bytes_);
    if (!memory.has_value()) return memory.error();
    row_buffers = *memory;
  }
  std::atomic<int64_t> number = 0;
  std::mutex merging;
  auto body = [&](int64_t begin, int64_t end) {
    Worker& worker = ThisWorker();
    Prepare(&worker);
    worker.row_buffer =
        row_buffers + row_buffer_bytes_ * number.fetch_add(1, std::memory_order_relaxed);
    if (across_) {
      RunAcross(&worker, begin * tile_, std::min(end * tile_, rows_));
    } else if (by_tiles) {
      RunElements(&worker, begin * tile_, std::min(end * tile_, row_));
    } else {
      RunRows(&worker, begin, end);
    }
    if (worker.context.error.failed()) {
      const std::lock_guard lock(merging);
      IndexContext merged;
      merged.error = error_;
      merged.Merge(worker.context.error);
      error_ = merged.error;
    }
  };
  if (parallel) {
    threads->Run(parts, body);
  } else {
    body(0, parts);
  }
  if (error_.failed()) {
    FAULTLINE_CHECK(options.error != nullptr, "a launch with indices has a place for errors");
    IndexContext merged;
    merged.error = *options.error;
    merged.Merge(error_);
    *options.error = merged.error;
  }
  return {};
}

void BlockRun::BindProduct(int width) {
  BoundAccess& access = accesses_[0];
  access.width = width;
  access.format = -1;
  access.split = true;
  access.outer = Strided();
  const std::array<int64_t, 1> extents = {row_};
  const std::array<int64_t, 1> strides = {1};
  access.row = Normalize(0, extents, strides);
}

void BlockRun::RunRange(int64_t begin, int64_t end, std::byte* product) {
  Worker& worker = ThisWorker();
  accesses_[0].base = product;
  accesses_[0].outer.offset = -begin;
  Prepare(&worker);
  RunElements(&worker, begin, end);
  IndexContext merged;
  merged.error = error_;
  merged.Merge(worker.context.error);
  error_ = merged.error;
}

void BlockRun::RunElements(Worker* worker, int64_t begin, int64_t end) const {
  for (const PhaseProgram& phase : program_->phases) {
    for (int64_t at = begin; at < end; at += tile_) {
      const int64_t count = std::min(tile_, end - at);
      RunPhase(worker, phase, {0, at, count, (count + kGroup - 1) / kGroup});
    }
  }
}

void BlockRun::RunRows(Worker* worker, int64_t begin, int64_t end) const {
  const size_t accesses = program_->block->accesses.size();
  for (int64_t row = begin; row < end; ++row) {
    for (size_t i = 0; i < accesses; ++i) {
      const BoundAccess& access = accesses_[i];
      if (access.split && !access.access->per_row) worker->row_offsets[i] = access.outer.At(row);
    }
    for (const PhaseProgram& phase : program_->phases) {
      if (phase.kind == PhaseKind::kRow) {
        RunPhase(worker, phase, {row, 0, 1, 1});
        continue;
      }
      StartReductions(worker, phase);
      for (int64_t at = 0; at < row_; at += tile_) {
        const int64_t count = std::min(tile_, row_ - at);
        PlaceRowBuffers(worker, at);
        RunPhase(worker, phase, {row, at, count, (count + kGroup - 1) / kGroup});
      }
      FinishReductions(worker, phase);
    }
  }
}

void BlockRun::RunAcross(Worker* worker, int64_t begin, int64_t end) const {
  for (int64_t row = begin; row < end; row += tile_) {
    const int64_t count = std::min(tile_, end - row);
    const int64_t groups = (count + kGroup - 1) / kGroup;
    for (const PhaseProgram& phase : program_->phases) {
      if (phase.kind == PhaseKind::kRow) {
        RunPhase(worker, phase, {row, 0, count, groups});
        continue;
      }
      StartReductions(worker, phase);
      for (int64_t at = 0; at < row_; ++at) {
        PlaceRowBuffers(worker, at * tile_);
        RunPhase(worker, phase, {row, at, count, groups});
      }
    }
  }
}

void BlockRun::RunPhase(Worker* worker, const PhaseProgram& phase, const Tile& tile) const {
  if (!phase.direct.empty()) AimDirectStores(worker, phase, tile);
  const Operand* operands = worker->operands.data();
  for (int s = phase.begin; s < phase.end; ++s) {
    const Step& step = program_->steps[static_cast<size_t>(s)];
    switch (step.kind) {
      case StepKind::kKernel:
        if (step.chain == 3) {
          const std::array<Operand, 2> rest = {operands[step.c], operands[step.d]};
          step.kernel(worker->tiles[static_cast<size_t>(step.dst)], operands[step.a],
                      operands[step.b], rest[0], tile.groups, 0);
          break;
        }
        step.kernel(worker->tiles[static_cast<size_t>(step.dst)], operands[step.a],
                    operands[step.b], operands[step.c], tile.groups, step.immediate);
        break;
      case StepKind::kLoad:
        Load(worker, step, tile, phase.kind == PhaseKind::kRow);
        break;
      case StepKind::kStore:
        Store(worker, step, tile, phase.kind == PhaseKind::kRow);
        break;
      case StepKind::kCoordinate:
        Coordinate(worker, step, tile, phase.kind == PhaseKind::kRow);
        break;
      case StepKind::kAccumulate:
      case StepKind::kArg:
      case StepKind::kScan:
        Accumulate(worker, step, tile);
        break;
    }
  }
}

}  // namespace faultline::fusion::cpu
