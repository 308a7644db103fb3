// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a compiled block: tiles of 256 to 1024 elements that stay in the first-level cache, each
// step a vector kernel over a tile. A tile runs *along* the row axis (or along the whole space, if
// there is none), or *across* rows, one element of each at a time, when rows are short or lie the
// other way in memory. Which one is a function of extents and strides alone.

#ifndef FUSION_CPU_BLOCK_RUN_H_
#define FUSION_CPU_BLOCK_RUN_H_

#include <cstdint>
#include <vector>

#include "fusion/cpu/bound_access.h"
#include "fusion/cpu/pool.h"
#include "fusion/cpu/program.h"
#include "fusion/cpu/thread_pool.h"
#include "fusion/target.h"
#include "ir/base/status.h"

namespace faultline::fusion::cpu {

// What one thread works with; kept between launches.
struct Worker {
  std::vector<std::byte> arena;
  std::byte* front = nullptr;        // of the arena, aligned
  std::vector<Operand> operands;     // by value
  std::vector<std::byte*> tiles;     // by value: where its kernel writes
  std::vector<std::byte*> states;    // by value
  std::vector<int64_t> row_offsets;  // by access: element offset of the row under way
  std::byte* row_buffer = nullptr;
  IndexContext context;
};

// The one of the calling thread.
Worker& ThisWorker();


class BlockRun {
 public:
  // Binds the launch. The binding's spans must outlive the runs. `small`: tiles and chunks of a
  // group or a few.
  void Bind(const Program& program, const BlockBinding& binding, bool small);

  // Everything.
  ir::Status Run(ThreadPool* threads, Pool* pool, const RunOptions& options);

  // For the epilogue of a matmul: access 0, of elements `width` bytes wide, is read from what
  // RunRange is given.
  void BindProduct(int width);
  // Elements [begin, end) of a block without row axis on the calling thread, with access 0 read
  // from `product`, which holds them densely. error() collects.
  void RunRange(int64_t begin, int64_t end, std::byte* product);

  int64_t elements() const { return rows_ * row_; }
  const LaunchError& error() const { return error_; }

 private:
  // A tile under way: `count` elements of row `row` from `at` on; across: element `at` of `count`
  // rows from `row` on. Row phases: at is unused, count is 1 or the rows.
  struct Tile {
    int64_t row;
    int64_t at;
    int64_t count;
    int64_t groups;
  };

  bool PrefersAcross() const;
  void ChooseTile(bool small);
  void Prepare(Worker* worker) const;
  void RunRows(Worker* worker, int64_t begin, int64_t end) const;
  void RunElements(Worker* worker, int64_t begin, int64_t end) const;
  ir::Status RunChunks(ThreadPool* threads, Pool* pool, const RunOptions& options);
  void RunAcross(Worker* worker, int64_t begin, int64_t end) const;
  void StartReductions(Worker* worker, const PhaseProgram& phase) const;
  void FinishReductions(Worker* worker, const PhaseProgram& phase) const;
  void RunPhase(Worker* worker, const PhaseProgram& phase, const Tile& tile) const;
  void PlaceRowBuffers(Worker* worker, int64_t element) const;

  struct Raw {
    const std::byte* data;
    bool broadcast;
    bool own;  // in `room`, padded
  };
  Raw Find(Worker* worker, const BoundAccess& from, size_t number, const Tile& tile, bool row_phase,
           std::byte* room) const;
  void Load(Worker* worker, const Step& step, const Tile& tile, bool row_phase) const;
  void Store(Worker* worker, const Step& step, const Tile& tile, bool row_phase) const;
  void Coordinate(Worker* worker, const Step& step, const Tile& tile, bool row_phase) const;
  std::byte* DenseTarget(const Worker& worker, const BoundAccess& to, size_t number,
                         const Tile& tile, bool row_phase) const;
  void AimDirectStores(Worker* worker, const PhaseProgram& phase, const Tile& tile) const;
  void AllowDirectStores();
  void Accumulate(Worker* worker, const Step& step, const Tile& tile) const;

  const Program* program_ = nullptr;
  const BlockBinding* binding_ = nullptr;
  BoundAccesses accesses_;
  int64_t rows_ = 1;
  int64_t row_ = 1;
  bool across_ = false;
  int64_t tile_ = 0;
  int64_t chunk_ = 0;  // elements of a long single row that are reduced on their own
  int64_t row_buffer_bytes_ = 0;  // of one worker
  std::vector<char> direct_;      // by number: whether the store may be direct in this launch
  LaunchError error_;
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_BLOCK_RUN_H_
