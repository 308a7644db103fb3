// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/device_program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "fusion/fault.h"
#include "fusion/opencl/words.h"
#include "ir/base/check.h"

namespace faultline::fusion::opencl {
namespace {

// Times of a program: instruction i reads and writes at 2 i, a phase ends at 2 end - 1, so that
// what an instruction reads last may lie where its result goes: every step works lane by lane.
constexpr int kForever = std::numeric_limits<int>::max();

bool IsReduction(OpClass op_class) {
  return op_class == OpClass::kReduce || op_class == OpClass::kArg;
}

// Bits that leave an accumulator as it is when the first element comes.
uint64_t StartBits(Op op, Reg reg) {
  const bool is64 = ByteSize(reg) == 8;
  switch (op) {
    case Op::kReduceProd:
    case Op::kScanProd:
      if (reg == Reg::kF32) return std::bit_cast<uint32_t>(1.0f);
      return reg == Reg::kF64 ? std::bit_cast<uint64_t>(1.0) : 1;
    case Op::kReduceMax:
    case Op::kScanMax:
      if (FAULT(opencl_max_starts_at_zero)) return 0;
      if (reg == Reg::kF32) return 0xff800000u;
      if (reg == Reg::kF64) return 0xfff0000000000000u;
      if (!IsSigned(reg)) return 0;
      return is64 ? uint64_t{1} << 63 : uint64_t{1} << 31;
    case Op::kReduceMin:
    case Op::kScanMin:
      if (reg == Reg::kF32) return 0x7f800000u;
      if (reg == Reg::kF64) return 0x7ff0000000000000u;
      if (!IsSigned(reg)) return UINT64_MAX;
      return is64 ? UINT64_MAX >> 1 : UINT32_MAX >> 1;
    case Op::kReduceAll:
      return 1;
    case Op::kReduceAny:
      return FAULT(opencl_any_starts_true) ? 1 : 0;
    default:
      return 0;
  }
}

// Registers of the four files, each free again after a time.
class Registers {
 public:
  Registers() {
    for (size_t f = 0; f < kFileCount; ++f) {
      free_at_[f].assign(static_cast<size_t>(kFileSizes[f]), -1);
    }
  }

  // One that nothing holds after `time`, kept until `end`.
  int Take(Reg reg, int time, int end) {
    std::vector<int>& file = free_at_[static_cast<size_t>(FileOf(reg))];
    const auto it = std::ranges::find_if(file, [&](int until) { return until <= time; });
    if (it == file.end()) {
      exhausted_ = true;
      return 0;
    }
    *it = end;
    return static_cast<int>(it - file.begin());
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::array<std::vector<int>, kFileCount> free_at_;
  bool exhausted_ = false;
};

class Encoder {
 public:
  explicit Encoder(const Block& block) : block_(block), scopes_(ScopesOf(block)) {}

  std::unique_ptr<const DeviceProgram> Run() {
    FindUses();
    EncodeUniforms();
    const int64_t first = Here();
    for (size_t p = 0; p < block_.phases.size(); ++p) EncodePhase(p);
    Emit(kControlNextUnit, 0, 0, 0, first);
    if (registers_.exhausted()) return nullptr;
    return std::make_unique<const DeviceProgram>(std::move(program_));
  }

 private:
  const Instruction& At(int32_t i) const { return block_.instructions[static_cast<size_t>(i)]; }
  Scope ScopeOf(ValueId id) const { return scopes_[static_cast<size_t>(id)]; }
  int64_t Here() const { return static_cast<int64_t>(program_.code.size()) / kStepWords; }

  // Last use of each value, by phase: a use in an element phase of a value that the phase does not
  // make lasts as long as its tiles.
  void FindUses() {
    const size_t count = block_.instructions.size();
    uses_.assign(block_.phases.size(), std::vector<int>(count, -1));
    for (size_t p = 0; p < block_.phases.size(); ++p) {
      const Phase& phase = block_.phases[p];
      for (int32_t i = phase.begin; i < phase.end; ++i) {
        for (ValueId arg : At(i).args) {
          if (arg == kNoValue) continue;
          const bool whole = phase.kind == PhaseKind::kElement && ScopeOf(arg) == Scope::kRow &&
                             !FAULT(opencl_row_value_freed_early);
          uses_[p][static_cast<size_t>(arg)] =
              std::max(uses_[p][static_cast<size_t>(arg)], whole ? 2 * phase.end - 1 : 2 * i);
        }
      }
    }
  }

  int LastUse(ValueId id) const {
    int last = 2 * id;
    for (const auto& by_value : uses_) last = std::max(last, by_value[static_cast<size_t>(id)]);
    return last;
  }

  void Emit(int number, int d, int a, int b, int64_t immediate, int c = 0) {
    program_.code.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(number) | static_cast<uint64_t>(d) << 16 |
                             static_cast<uint64_t>(a) << 32 | static_cast<uint64_t>(b) << 48));
    program_.code.push_back(immediate);
    program_.code.push_back(c);
  }
  static int Number(Op op, Reg reg) { return static_cast<int>(op) * 8 + static_cast<int>(reg); }

  void EncodeUniforms() {
    for (size_t i = 0; i < block_.instructions.size(); ++i) {
      if (scopes_[i] != Scope::kUniform) continue;
      const Instruction& it = block_.instructions[i];
      const int reg = registers_.Take(it.reg, -1, kForever);
      home_[static_cast<ValueId>(i)] = reg;
      Emit(Number(it.op, it.reg), reg, 0, 0, static_cast<int64_t>(it.immediate));
    }
  }

  void EncodePhase(size_t p) {
    const Phase& phase = block_.phases[p];
    if (phase.kind == PhaseKind::kRow) {
      Emit(kControlRowPhase, 0, 0, 0, 0);
      for (int32_t i = phase.begin; i < phase.end; ++i) EncodeInstruction(p, i);
      return;
    }
    StartPhase(phase);
    const size_t begin_tiles = program_.code.size();
    Emit(kControlBeginTiles, 0, 0, 0, 0);
    const int64_t first = Here();
    Fill(p);
    for (int32_t i = phase.begin; i < phase.end; ++i) EncodeInstruction(p, i);
    Emit(kControlNextTile, 0, 0, 0, first);
    program_.code[begin_tiles + 1] = Here();
    for (int32_t i = phase.begin; i < phase.end; ++i) {
      const OpClass op_class = FactsOf(At(i).op).op_class;
      const int reg = op_class == OpClass::kReduce || op_class == OpClass::kArg ? home_[i] : 0;
      if (op_class == OpClass::kReduce && !FAULT(opencl_only_lane_zero_folded)) {
        Emit(kFoldBase + Number(At(i).op, At(i).reg), reg, 0, 0, 0);
      } else if (op_class == OpClass::kArg) {
        Emit(kControlFinishArg, reg, 0, 0, 0);
      }
    }
  }

  // Accumulators and running values, which live as long as the phase.
  void StartPhase(const Phase& phase) {
    const int begin = 2 * phase.begin - 1;
    const int end = 2 * phase.end - 1;
    for (int32_t i = phase.begin; i < phase.end; ++i) {
      const Instruction& it = At(i);
      const OpClass op_class = FactsOf(it.op).op_class;
      const auto start = [&](int reg) {
        Emit(Number(Op::kConstant, it.reg), reg, 0, 0,
             static_cast<int64_t>(StartBits(it.op, it.reg)));
      };
      if (IsReduction(op_class))
        home_[i] = registers_.Take(it.reg, begin, std::max(end, LastUse(i)));
      if (op_class == OpClass::kReduce) start(home_[i]);
      if (op_class == OpClass::kArg) {
        state_[i] = registers_.Take(At(it.args[0]).reg, begin, end);
        if (FAULT(opencl_arg_not_restarted)) continue;
        Emit(kControlStartArg, home_[i], 0, 0, 0);
      }
      if (op_class == OpClass::kScan) {
        state_[i] = registers_.Take(it.reg, begin, end);
        if (!FAULT(opencl_scan_goes_on)) start(state_[i]);
      }
    }
  }

  // Element values of earlier phases, from the row buffer.
  void Fill(size_t p) {
    const Phase& phase = block_.phases[p];
    for (ValueId id = 0; id < phase.begin; ++id) {
      const int last = uses_[p][static_cast<size_t>(id)];
      if (last < 0 || ScopeOf(id) != Scope::kElement) continue;
      const Reg reg = At(id).reg;
      home_[id] = registers_.Take(reg, 2 * phase.begin - 1, last);
      Emit(kControlFillF32 + FileOf(reg), home_[id], 0, 0, spills_.at(id));
    }
  }

  void EncodeInstruction(size_t p, int32_t i) {
    const Instruction& it = At(i);
    const OpFacts& facts = FactsOf(it.op);
    if (ScopeOf(i) == Scope::kUniform) return;
    std::array<int, 3> args = {};
    for (size_t k = 0; k < 3; ++k) {
      if (it.args[k] != kNoValue) args[k] = home_.at(it.args[k]);
    }
    const auto imm = static_cast<int64_t>(it.immediate);
    if (it.op == Op::kStore) {
      Emit(kStoreBase + DtypeOf(it), 0, args[0], static_cast<int>(imm), 0);
      return;
    }
    if (!IsReduction(facts.op_class)) {
      const bool row = ScopeOf(i) == Scope::kRow;
      const int own = uses_[p][static_cast<size_t>(i)];
      home_[i] = registers_.Take(it.reg, 2 * i, row ? LastUse(i) : std::max(own, 2 * i));
    }
    const int d = home_[i];
    const Reg reg = it.args[0] == kNoValue ? it.reg : At(it.args[0]).reg;
    switch (facts.op_class) {
      case OpClass::kLeaf:
        if (it.op == Op::kLoad) {
          Emit(kLoadBase + DtypeOf(it), d, static_cast<int>(imm), 0, 0);
        } else {
          const bool row = block_.phases[p].kind == PhaseKind::kRow;
          Emit(Number(it.op, it.reg), d, 0, 0, imm + (row ? block_.loop_rank : 0));
        }
        break;
      case OpClass::kConvert:
        if (it.op == Op::kConvertOdd) {
          Emit(Number(it.op, reg), d, args[0], 0, 0);
        } else if (reg == it.reg) {
          // Nothing changes: a shift by nothing would not do for floats, a selection does.
          Emit(Number(Op::kSelect, reg), d, 0, args[0], 0, args[0]);
        } else {
          const bool as_signed =
              FAULT(opencl_conversion_signed) && reg == Reg::kU64 && IsFloat(it.reg);
          const int from = static_cast<int>(as_signed ? Reg::kI64 : reg);
          Emit(kConvertBase + from * 8 + static_cast<int>(it.reg), d, args[0], 0, 0);
        }
        break;
      case OpClass::kSelect:
        if (FAULT(opencl_select_arms_swapped) && it.reg == Reg::kMask) std::swap(args[1], args[2]);
        Emit(Number(it.op, it.reg), d, args[0], args[1], 0, args[2]);
        break;
      case OpClass::kArg:
      case OpClass::kScan:
        Emit(Number(it.op, reg), d, args[0], 0, 0, state_.at(i));
        break;
      default:
        if (IsLeftOut(it.op)) {
          Emit(Number(Op::kSelect, reg), d, 0, args[0], 0, args[0]);
          break;
        }
        Emit(Number(it.op, ComparedAs(it.op, reg)), d, args[0], args[1], WidthOf(it, imm));
        break;
    }
    if (facts.op_class != OpClass::kReduce && facts.op_class != OpClass::kArg) Spill(p, i);
  }

  void Spill(size_t p, int32_t i) {
    if (ScopeOf(i) != Scope::kElement) return;
    bool later = false;
    for (size_t q = p + 1; q < uses_.size(); ++q) later |= uses_[q][static_cast<size_t>(i)] >= 0;
    if (!later) return;
    spills_[i] = FAULT(opencl_spills_share_a_place) ? 0 : program_.spilled;
    ++program_.spilled;
    Emit(kControlSpillF32 + FileOf(At(i).reg), 0, home_[i], 0, spills_[i]);
  }

  // What seeded faults change of the instructions.
  static bool IsLeftOut(Op op) {
    return (op == Op::kWrap8 && FAULT(opencl_wrap_left_out)) ||
           (op == Op::kRoundBf16 && FAULT(opencl_bf16_not_rounded));
  }
  static Reg ComparedAs(Op op, Reg reg) {
    const bool ordered = op == Op::kLower || op == Op::kLowerEqual;
    if (!ordered || !FAULT(opencl_comparison_signed)) return reg;
    return reg == Reg::kU32 ? Reg::kI32 : reg == Reg::kU64 ? Reg::kI64 : reg;
  }
  static int64_t WidthOf(const Instruction& it, int64_t width) {
    const bool shift = it.op == Op::kShiftLeft || it.op == Op::kShiftRight;
    return shift && FAULT(opencl_shift_by_register) ? 8 * ByteSize(it.reg) : width;
  }

  int DtypeOf(const Instruction& it) {
    const Access& access = block_.accesses[static_cast<size_t>(it.immediate)];
    program_.indexed |= access.map == MapKind::kIndirect;
    for (int piece : access.pieces) {
      program_.indexed |= block_.accesses[static_cast<size_t>(piece)].map == MapKind::kIndirect;
    }
    return static_cast<int>(access.storage.dtype);
  }

  const Block& block_;
  std::vector<Scope> scopes_;
  std::vector<std::vector<int>> uses_;  // by phase and value; -1: none
  Registers registers_;
  std::map<ValueId, int> home_;    // register of a value, in the phase under way
  std::map<ValueId, int> state_;   // what a scan or an arg reduction keeps besides
  std::map<ValueId, int> spills_;  // place in the row buffer
  DeviceProgram program_;
};

}  // namespace

std::string_view WhyOnHost(const Block& block, bool f64) {
  for (const Access& access : block.accesses) {
    if (access.storage.quantized()) return "block on host: reads codes";
    if (!f64 && access.storage.dtype == ir::Dtype::kF64) {
      return "block on host: the device has no f64";
    }
  }
  for (const Instruction& it : block.instructions) {
    if (it.op == Op::kPowi && IsFloat(it.reg) && (it.reg == Reg::kF64 || !f64)) {
      return "block on host: power to an integer";
    }
    if (!f64 && it.reg == Reg::kF64) return "block on host: the device has no f64";
  }
  return {};
}

std::unique_ptr<const DeviceProgram> EncodeBlock(const Block& block) {
  return Encoder(block).Run();
}

}  // namespace faultline::fusion::opencl
