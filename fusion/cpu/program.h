// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A block made ready for the tile interpreter: its instructions as steps with their kernels chosen,
// and a place for every value. Depends on structure and instruction set alone.

#ifndef FUSION_CPU_PROGRAM_H_
#define FUSION_CPU_PROGRAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/cpu/kernels/kernels.h"

namespace faultline::fusion::cpu {

enum class StepKind : uint8_t { kKernel, kLoad, kStore, kCoordinate, kAccumulate, kArg, kScan };

struct Step {
  StepKind kind = StepKind::kKernel;
  Op op = Op::kAdd;
  Reg reg = Reg::kF32;  // of the result (kStore, reductions: of the argument)
  ValueId dst = 0;      // unused by kStore
  ValueId a = 0;        // unused arguments are 0, so that kernels always get an operand
  ValueId b = 0;
  ValueId c = 0;
  uint64_t immediate = 0;
  OpKernel kernel = nullptr;
  int arity = 0;
  // kKernel: how many instructions it is (up to 3), with their places in the tables of pairs.
  int chain = 1;
  ValueId d = 0;
  std::array<int8_t, 2> places = {};
};

// Where a value's elements lie, for a tile of t elements: in the arena at fixed + slope * t.
struct Home {
  int64_t fixed = 0;
  int64_t slope = 0;
};

struct ValueInfo {
  Scope scope = Scope::kElement;
  Reg reg = Reg::kF32;
  bool row_buffer = false;  // an element value that a later phase uses
  int first_step = 0;
  Home along;   // home when a tile runs along a row
  Home across;  // home when a tile runs across rows
  // Reductions and scans: state besides the home. Loads: one group for a broadcast.
  Home state_along;
  Home state_across;
};

// A store whose value may be computed right where it goes, if that is dense there.
struct DirectStore {
  int number = 0;  // among those of the program
  int store = 0;   // step
  ValueId value = 0;
  std::vector<int> readers;  // accesses that are still read once the value is being written
};

struct PhaseProgram {
  PhaseKind kind = PhaseKind::kElement;
  int begin = 0;  // steps
  int end = 0;
  std::vector<int> reductions;  // steps
  std::vector<DirectStore> direct;
};

struct Program {
  std::shared_ptr<const Block> block;
  const KernelSet* kernels = nullptr;
  std::vector<Step> steps;
  std::vector<PhaseProgram> phases;
  std::vector<ValueInfo> values;
  std::vector<ValueId> uniforms;
  std::vector<ValueId> row_buffers;
  std::vector<ValueId> reductions;  // kReduce, kArg and kScan, in order
  int64_t row_buffer_bytes = 0;     // an element of a row
  int direct_stores = 0;
  // One element phase that only reduces (no arg, no scan), then row phases: a long row may be
  // reduced in chunks.
  bool chunked = false;
  // Some reduction gives other bits in another association.
  bool sums_floats = false;
  // Arena for a tile of t elements: fixed + slope * t. Staging lies at its front.
  Home along;
  Home across;
  bool quantized = false;  // some access is
};

// Requires a verified block whose schemes the target supports.
Program CompileBlock(std::shared_ptr<const Block> block, const KernelSet& kernels);

// The format of a dtype that differs from its register, or -1.
int FormatOf(ir::Dtype dtype);

// Staging of one tile at the front of the arena: raw elements, offsets, indices, codes.
inline constexpr int64_t kStagingRaw = 0;
inline constexpr int64_t kStagingOffsets = 8;
inline constexpr int64_t kStagingIndex = 16;
inline constexpr int64_t kStagingCodes = 24;
inline constexpr int64_t kStagingSlope = 25;

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_PROGRAM_H_
