// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions and scans of the tile interpreter.

#include <algorithm>
#include <cstring>
#include <mutex>

#include "fusion/cpu/block_run.h"
#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {

void BlockRun::StartReductions(Worker* worker, const PhaseProgram& phase) const {
  for (const int s : phase.reductions) {
    const Step& step = program_->steps[static_cast<size_t>(s)];
    const size_t id = static_cast<size_t>(step.dst);
    const int width = ByteSize(step.reg);
    uint64_t start = 0;
    int64_t groups = across_ ? tile_ / kGroup : 1;
    switch (step.kind) {
      case StepKind::kAccumulate:
        start = program_->kernels->regs[static_cast<size_t>(step.reg)]
                    ->start[static_cast<size_t>(step.op)];
        if (FAULT(max_starts_at_zero) && step.op == Op::kReduceMax) start = 0;
        if (!across_) groups = kAccumulators;
        break;
      case StepKind::kArg: {
        std::byte* indices = across_ ? worker->tiles[id] : worker->states[id] + kGroup * 8;
        const int64_t none = -1;
        for (int64_t g = 0; g < groups; ++g) {
          Splat(8, reinterpret_cast<const std::byte*>(&none), indices + g * kGroup * 8);
        }
        break;
      }
      case StepKind::kScan:
        start = program_->kernels->regs[static_cast<size_t>(step.reg)]
                    ->start[static_cast<size_t>(step.op)];
        break;
      default:
        continue;
    }
    for (int64_t g = 0; g < groups; ++g) {
      Splat(width, reinterpret_cast<const std::byte*>(&start),
            worker->states[id] + g * kGroup * width);
    }
  }
}

// Along rows alone: across rows the states are the results.
void BlockRun::FinishReductions(Worker* worker, const PhaseProgram& phase) const {
  for (const int s : phase.reductions) {
    const Step& step = program_->steps[static_cast<size_t>(s)];
    const size_t id = static_cast<size_t>(step.dst);
    const RegKernels& kernels = *program_->kernels->regs[static_cast<size_t>(step.reg)];
    if (step.kind == StepKind::kAccumulate) {
      uint64_t result = 0;
      kernels.fold[static_cast<size_t>(step.op)](reinterpret_cast<std::byte*>(&result),
                                                 worker->states[id]);
      Splat(ByteSize(step.reg), reinterpret_cast<const std::byte*>(&result), worker->tiles[id]);
    } else if (step.kind == StepKind::kArg) {
      const int which = step.op == Op::kReduceArgMin ? 1 : 0;
      const int64_t index = kernels.arg_fold[which](
          worker->states[id], reinterpret_cast<const int64_t*>(worker->states[id] + kGroup * 8));
      Splat(8, reinterpret_cast<const std::byte*>(&index), worker->tiles[id]);
    }
  }
}

void BlockRun::Accumulate(Worker* worker, const Step& step, const Tile& tile) const {
  const size_t id = static_cast<size_t>(step.dst);
  const RegKernels& kernels = *program_->kernels->regs[static_cast<size_t>(step.reg)];
  const Operand& a = worker->operands[static_cast<size_t>(step.a)];
  std::byte* state = worker->states[id];
  const Operand running{state, kGroup * ByteSize(step.reg)};
  auto across = [&](Op op) {
    kernels.ops[static_cast<size_t>(op)](state, running, a, {}, tile.groups, 0);
  };
  if (step.kind == StepKind::kArg) {
    const int which = step.op == Op::kReduceArgMin ? 1 : 0;
    if (across_) {
      kernels.arg_lanes[which](state, reinterpret_cast<int64_t*>(worker->tiles[id]), a, tile.groups,
                               tile.at);
    } else {
      kernels.arg_row[which](state, reinterpret_cast<int64_t*>(state + kGroup * 8), a, tile.count,
                             FAULT(arg_index_within_tile) ? 0 : tile.at);
    }
    return;
  }
  if (!across_) {
    if (step.kind == StepKind::kScan) {
      if (FAULT(scan_restarts_at_tile)) std::memset(state, 0, 8);
      kernels.scan[static_cast<size_t>(step.op)](worker->tiles[id], a, state, tile.count);
    } else {
      const bool drops = FAULT(reduce_tail_dropped) && tile.count > kGroup;
      kernels.accumulate[static_cast<size_t>(step.op)](
          state, a, drops ? tile.count / kGroup * kGroup : tile.count);
    }
    return;
  }
  switch (step.op) {
    case Op::kReduceSum:
    case Op::kScanSum:
      across(Op::kAdd);
      break;
    case Op::kReduceProd:
    case Op::kScanProd:
      across(Op::kMul);
      break;
    case Op::kReduceMax:
    case Op::kScanMax:
      across(Op::kMax);
      break;
    case Op::kReduceMin:
    case Op::kScanMin:
      across(Op::kMin);
      break;
    case Op::kReduceAny:
      across(Op::kOr);
      break;
    default:
      across(Op::kAnd);
      break;
  }
  if (step.kind == StepKind::kScan) {
    std::memcpy(worker->tiles[id], state,
                static_cast<size_t>(tile.groups * kGroup * ByteSize(step.reg)));
  }
}

// A single long row: each chunk is reduced on its own, the partial results are combined in order.
// Chunks depend on the row alone, and are made on one thread too.
ir::Status BlockRun::RunChunks(ThreadPool* threads, Pool* pool, const RunOptions& options) {
  const PhaseProgram& reducing = program_->phases[0];
  const int64_t parts = (row_ + chunk_ - 1) / chunk_;
  const int64_t count = static_cast<int64_t>(reducing.reductions.size());
  constexpr int64_t kStateBytes = kAccumulators * kGroup * 8;
  Scratch scratch(pool);
  auto partial = scratch.Get(options.account, parts * count * kStateBytes);
  if (!partial.has_value()) return partial.error();
  std::mutex merging;
  IndexContext found;
  const auto states_of = [&](Worker& worker, int64_t part, const auto& body) {
    std::byte* at = *partial + part * count * kStateBytes;
    for (const int s : reducing.reductions) {
      const Step& step = program_->steps[static_cast<size_t>(s)];
      body(step, worker.states[static_cast<size_t>(step.dst)], at);
      at += kStateBytes;
    }
  };
  auto body = [&](int64_t begin, int64_t end) {
    Worker& worker = ThisWorker();
    Prepare(&worker);
    for (int64_t part = begin; part < end; ++part) {
      StartReductions(&worker, reducing);
      const int64_t last = std::min(row_, (part + 1) * chunk_);
      for (int64_t at = part * chunk_; at < last; at += tile_) {
        const int64_t n = std::min(tile_, last - at);
        RunPhase(&worker, reducing, {0, at, n, (n + kGroup - 1) / kGroup});
      }
      states_of(worker, part, [](const Step&, const std::byte* state, std::byte* to) {
        std::memcpy(to, state, static_cast<size_t>(kStateBytes));
      });
    }
    const std::lock_guard lock(merging);
    found.Merge(worker.context.error);
  };
  if (threads->threads() > 1 && row_ >= options.thread_threshold) {
    threads->Run(parts, body);
  } else {
    body(0, parts);
  }
  Worker& worker = ThisWorker();
  Prepare(&worker);
  StartReductions(&worker, reducing);
  for (int64_t part = 0; part < parts; ++part) {
    if (FAULT(last_chunk_not_folded) && part + 1 == parts) break;
    states_of(worker, part, [&](const Step& step, std::byte* state, const std::byte* from) {
      const Operand chunk{from, kGroup * ByteSize(step.reg)};
      program_->kernels->regs[static_cast<size_t>(step.reg)]
          ->accumulate[static_cast<size_t>(step.op)](state, chunk, kAccumulators * kGroup);
    });
  }
  FinishReductions(&worker, reducing);
  for (size_t p = 1; p < program_->phases.size(); ++p) {
    RunPhase(&worker, program_->phases[p], {0, 0, 1, 1});
  }
  found.Merge(worker.context.error);
  if (found.error.failed()) {
    FAULTLINE_CHECK(options.error != nullptr, "a launch with indices has a place for errors");
    IndexContext merged;
    merged.error = *options.error;
    merged.Merge(found.error);
    *options.error = merged.error;
  }
  return {};
}

}  // namespace faultline::fusion::cpu
