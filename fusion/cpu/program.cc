// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fusion/fault.h"
#include "ir/base/check.h"
#include "ir/base/small_vector.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kGroupBytes = kGroup * 8;  // one group of the widest register

class Compiler {
 public:
  Compiler(std::shared_ptr<const Block> block, const KernelSet& kernels) {
    program_.block = std::move(block);
    program_.kernels = &kernels;
  }

  Program Run() {
    const Block& block = *program_.block;
    MakeValues(block);
    program_.steps.reserve(block.instructions.size());
    program_.phases.reserve(block.phases.size());
    for (const Phase& phase : block.phases) MakePhase(block, phase);
    for (const Access& access : block.accesses) {
      if (access.storage.quantized()) program_.quantized = true;
    }
    FusePairs();
    for (PhaseProgram& phase : program_.phases) FindSpecialSteps(&phase);
    program_.chunked = MayBeChunked();
    program_.sums_floats = std::ranges::any_of(program_.steps, [](const Step& step) {
      return step.kind == StepKind::kAccumulate &&
             (step.op == Op::kReduceSum || step.op == Op::kReduceProd) &&
             (step.reg == Reg::kF32 || step.reg == Reg::kF64);
    });
    program_.along.slope = kStagingSlope;
    program_.across.slope = kStagingSlope;
    PlaceTiles();
    PlaceRest();
    return std::move(program_);
  }

 private:
  using FreeTiles = std::array<ir::SmallVector<Home, 4>, 9>;  // by width

  void MakeValues(const Block& block) {
    const std::vector<Scope> scopes = ScopesOf(block);
    program_.values.resize(block.instructions.size());
    for (size_t i = 0; i < scopes.size(); ++i) {
      program_.values[i].scope = scopes[i];
      program_.values[i].reg = block.instructions[i].reg;
      if (scopes[i] == Scope::kUniform) program_.uniforms.push_back(static_cast<ValueId>(i));
    }
    for (const Phase& phase : block.phases) {
      for (int32_t i = phase.begin; i < phase.end; ++i) {
        const Instruction& it = block.instructions[static_cast<size_t>(i)];
        for (int k = 0; k < FactsOf(it.op).arity; ++k) {
          ValueInfo& from = program_.values[static_cast<size_t>(it.args[static_cast<size_t>(k)])];
          const bool earlier = it.args[static_cast<size_t>(k)] < phase.begin;
          if (earlier && from.scope == Scope::kElement) from.row_buffer = true;
        }
      }
    }
    for (size_t i = 0; i < scopes.size(); ++i) {
      if (!program_.values[i].row_buffer) continue;
      program_.row_buffers.push_back(static_cast<ValueId>(i));
      program_.row_buffer_bytes += ByteSize(program_.values[i].reg);
    }
  }

  // Stores come last, so that a load of the same buffer (in place) is never read after them.
  void MakePhase(const Block& block, const Phase& phase) {
    PhaseProgram out;
    out.kind = phase.kind;
    out.begin = static_cast<int>(program_.steps.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (int32_t i = phase.begin; i < phase.end; ++i) {
        const Instruction& it = block.instructions[static_cast<size_t>(i)];
        if (it.op == Op::kConstant || it.op == Op::kParameter) continue;
        if ((it.op == Op::kStore) == (pass == 1)) program_.steps.push_back(MakeStep(block, i));
      }
    }
    out.end = static_cast<int>(program_.steps.size());
    program_.phases.push_back(out);
  }

  Step MakeStep(const Block& block, ValueId id) {
    const Instruction& it = block.instructions[static_cast<size_t>(id)];
    const OpFacts& facts = FactsOf(it.op);
    Step step;
    step.op = it.op;
    step.reg = it.reg;
    step.dst = id;
    step.immediate = it.immediate;
    step.arity = facts.arity;
    if (facts.arity > 0) step.a = it.args[0];
    if (facts.arity > 1) step.b = it.args[1];
    if (facts.arity > 2) step.c = it.args[2];
    const Reg from = facts.arity > 0 ? block.instructions[static_cast<size_t>(step.a)].reg : it.reg;
    switch (facts.op_class) {
      case OpClass::kLeaf:
        step.kind = it.op == Op::kLoad ? StepKind::kLoad : StepKind::kCoordinate;
        return step;
      case OpClass::kStore:
        step.kind = StepKind::kStore;
        return step;
      case OpClass::kReduce:
        step.kind = StepKind::kAccumulate;
        program_.reductions.push_back(id);
        return step;
      case OpClass::kArg:
        step.kind = StepKind::kArg;
        step.reg = from;
        program_.reductions.push_back(id);
        return step;
      case OpClass::kScan:
        step.kind = StepKind::kScan;
        program_.reductions.push_back(id);
        return step;
      case OpClass::kConvert:
        step.kernel = it.op == Op::kConvert ? Kernels(from).convert[static_cast<size_t>(it.reg)]
                                            : Kernels(from).ops[static_cast<size_t>(it.op)];
        break;
      case OpClass::kCompare:
        step.kernel = Kernels(from).ops[static_cast<size_t>(it.op)];
        break;
      case OpClass::kUnary:
      case OpClass::kBinary:
      case OpClass::kPower:
      case OpClass::kSelect:
        step.kernel = Kernels(it.reg).ops[static_cast<size_t>(it.op)];
        break;
    }
    if (FAULT(shift_by_register_width) && step.immediate != 0 && facts.arity == 2) {
      step.immediate = static_cast<uint64_t>(8 * ByteSize(it.reg));
    }
    if (FAULT(bf16_truncates) && it.op == Op::kRoundBf16) {
      // The greater of the value and itself: nothing is rounded before the store cuts it.
      step.kernel = Kernels(it.reg).ops[static_cast<size_t>(Op::kMax)];
      step.b = step.a;
      step.arity = 2;
    }
    FAULTLINE_CHECK(step.kernel != nullptr, facts.name.data());
    return step;
  }

  const RegKernels& Kernels(Reg reg) const {
    return *program_.kernels->regs[static_cast<size_t>(reg)];
  }

  // Element values share tiles: a tile is free again after the last use of its value. Tiles are of
  // one width, so that an instruction may write over its own operand.
  void PlaceTiles() {
    std::vector<int> last_use(program_.values.size(), -1);
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      ForArguments(program_.steps[s],
                   [&](ValueId id) { last_use[static_cast<size_t>(id)] = static_cast<int>(s); });
    }
    FreeTiles free;
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const Step& step = program_.steps[s];
      std::array<ValueId, 4> ending = {step.a, step.b, step.c, step.d};
      for (size_t i = 1; i < ending.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
          if (ending[i] == ending[k]) ending[i] = -1;
        }
      }
      auto release = [&](ValueId id) {
        const ValueInfo& value = program_.values[static_cast<size_t>(id)];
        if (value.scope != Scope::kElement || value.row_buffer) return;
        if (last_use[static_cast<size_t>(id)] != static_cast<int>(s)) return;
        free[static_cast<size_t>(ByteSize(value.reg))].push_back(value.along);
      };
      // Operands as wide as the result end before it is placed, others after.
      const int width = step.kind == StepKind::kStore ? 0 : ByteSize(OutputReg(step));
      const bool in_place = step.kind == StepKind::kKernel;
      for (ValueId id : ending) {
        if (id < 0) continue;
        const int own = ByteSize(program_.values[static_cast<size_t>(id)].reg);
        if (in_place && own == width && IsArgument(step, id)) release(id);
      }
      if (step.kind != StepKind::kStore) PlaceTile(step, &free, last_use);
      for (ValueId id : ending) {
        if (id < 0) continue;
        const int own = ByteSize(program_.values[static_cast<size_t>(id)].reg);
        if (!(in_place && own == width) && IsArgument(step, id)) release(id);
      }
    }
  }

  Reg OutputReg(const Step& step) const {
    return program_.values[static_cast<size_t>(step.dst)].reg;
  }

  template <typename Body>
  static void ForArguments(const Step& step, const Body& body) {
    if (step.arity > 0) body(step.a);
    if (step.arity > 1) body(step.b);
    if (step.arity > 2) body(step.c);
    if (step.arity > 3) body(step.d);
  }

  // Two or three float instructions in a row, each used by the next alone, run in one pass.
  void FusePairs() {
    std::vector<int> uses(program_.values.size(), 0);
    for (const Step& step : program_.steps) {
      ForArguments(step, [&](ValueId id) { ++uses[static_cast<size_t>(id)]; });
    }
    std::vector<Step> steps;
    steps.reserve(program_.steps.size());
    for (PhaseProgram& phase : program_.phases) {
      const int begin = static_cast<int>(steps.size());
      for (int s = phase.begin; s < phase.end; ++s) {
        Step step = program_.steps[static_cast<size_t>(s)];
        if (static_cast<int>(steps.size()) > begin && MayPair(steps.back(), step, uses)) {
          step = Paired(steps.back(), step);
          steps.pop_back();
        }
        steps.push_back(step);
      }
      phase.begin = begin;
      phase.end = static_cast<int>(steps.size());
    }
    program_.steps = std::move(steps);
  }

  // Place of an instruction in the table of pairs, or -1.
  static int PairPlace(Op op) {
    return op == Op::kAdd ? 0 : op == Op::kSub ? 1 : op == Op::kMul ? 2 : -1;
  }

  bool MayPair(const Step& first, const Step& second, const std::vector<int>& uses) const {
    if (first.kind != StepKind::kKernel || second.kind != StepKind::kKernel) return false;
    if (first.chain == 3 || second.arity != 2 || !IsFloat(second.reg)) return false;
    if (PairPlace(second.op) < 0) return false;
    if (first.chain == 1 && (first.arity != 2 || PairPlace(first.op) < 0)) return false;
    const ValueInfo& between = program_.values[static_cast<size_t>(first.dst)];
    return IsArgument(second, first.dst) && uses[static_cast<size_t>(first.dst)] == 1 &&
           !between.row_buffer;
  }

  Step Paired(const Step& first, const Step& second) const {
    Step step = first;
    const bool left = second.a == first.dst;
    const int place = second.op == Op::kSub && !left ? 3 : PairPlace(second.op);
    const ValueId other = left ? second.b : second.a;
    const RegKernels& kernels = Kernels(second.reg);
    step.dst = second.dst;
    step.op = second.op;
    if (first.chain == 1) {
      step.places = {static_cast<int8_t>(PairPlace(first.op)), static_cast<int8_t>(place)};
      step.kernel = kernels.pairs[step.places[0]][place];
      step.c = other;
    } else {
      step.kernel = kernels.triples[step.places[0]][step.places[1]][place];
      step.d = other;
    }
    ++step.chain;
    ++step.arity;
    return step;
  }

  bool MayBeChunked() const {
    if (program_.phases.empty() || program_.phases[0].reductions.empty()) return false;
    for (const int s : program_.phases[0].reductions) {
      if (program_.steps[static_cast<size_t>(s)].kind != StepKind::kAccumulate) return false;
    }
    return std::all_of(program_.phases.begin() + 1, program_.phases.end(),
                       [](const PhaseProgram& phase) { return phase.kind == PhaseKind::kRow; });
  }

  void FindSpecialSteps(PhaseProgram* phase) {
    ir::SmallVector<ValueId, 4> stored;
    for (int s = phase->begin; s < phase->end; ++s) {
      const Step& step = program_.steps[static_cast<size_t>(s)];
      const bool reduces = step.kind == StepKind::kAccumulate || step.kind == StepKind::kArg ||
                           step.kind == StepKind::kScan;
      if (reduces) phase->reductions.push_back(s);
      if (step.kind != StepKind::kStore || phase->kind == PhaseKind::kRow) continue;
      const bool again = std::find(stored.begin(), stored.end(), step.a) != stored.end();
      stored.push_back(step.a);
      if (!again) ConsiderDirect(s, phase);
    }
  }

  void ConsiderDirect(int store, PhaseProgram* phase) {
    const Step& step = program_.steps[static_cast<size_t>(store)];
    const ValueInfo& value = program_.values[static_cast<size_t>(step.a)];
    const Access& access = program_.block->accesses[static_cast<size_t>(step.immediate)];
    if (value.scope != Scope::kElement || value.row_buffer) return;
    if (FormatOf(access.storage.dtype) >= 0 || access.map != MapKind::kStrided) return;
    DirectStore direct;
    direct.store = store;
    direct.value = step.a;
    int made = -1;
    for (int s = phase->begin; s < phase->end; ++s) {
      const Step& other = program_.steps[static_cast<size_t>(s)];
      if (other.kind == StepKind::kKernel && other.dst == step.a) made = s;
    }
    if (made < 0) return;
    for (int s = phase->begin; s < phase->end; ++s) {
      const Step& load = program_.steps[static_cast<size_t>(s)];
      if (load.kind != StepKind::kLoad) continue;
      bool late = s > made;
      for (int t = made + 1; t < phase->end; ++t) {
        late = late || IsArgument(program_.steps[static_cast<size_t>(t)], load.dst);
      }
      if (late) direct.readers.push_back(static_cast<int>(load.immediate));
    }
    direct.number = program_.direct_stores++;
    phase->direct.push_back(std::move(direct));
  }

  static bool IsArgument(const Step& step, ValueId id) {
    return (step.arity > 0 && step.a == id) || (step.arity > 1 && step.b == id) ||
           (step.arity > 2 && step.c == id) || (step.arity > 3 && step.d == id);
  }

  void PlaceTile(const Step& step, FreeTiles* free, const std::vector<int>& last_use) {
    ValueInfo& value = program_.values[static_cast<size_t>(step.dst)];
    if (value.scope != Scope::kElement || value.row_buffer) return;
    const int width = ByteSize(value.reg);
    auto& tiles = (*free)[static_cast<size_t>(width)];
    if (!tiles.empty()) {
      value.along = tiles.back();
      tiles.pop_back();
    } else {
      value.along = {0, program_.along.slope};
      program_.along.slope += width;
      program_.across.slope += width;
    }
    value.across = value.along;
    // A value that nothing uses still needs a tile for the length of its own step.
    if (last_use[static_cast<size_t>(step.dst)] < 0) tiles.push_back(value.along);
  }

  Home Take(Home* arena, int64_t fixed, int64_t slope) {
    const Home home = *arena;
    arena->fixed += fixed;
    arena->slope += slope;
    return home;
  }

  // Uniforms, row values and states, behind the tiles.
  void PlaceRest() {
    for (size_t i = 0; i < program_.values.size(); ++i) {
      ValueInfo& value = program_.values[i];
      const int width = ByteSize(value.reg);
      if (value.scope == Scope::kUniform) {
        value.along = Take(&program_.along, kGroupBytes, 0);
        value.across = Take(&program_.across, kGroupBytes, 0);
      } else if (value.scope == Scope::kRow) {
        value.along = Take(&program_.along, kGroupBytes, 0);
        value.across = Take(&program_.across, 0, width);
      }
      // A load that turns out to be a broadcast leaves one group here: its tile may be written by
      // the instruction that reads it, group by group.
      if (program_.block->instructions[i].op == Op::kLoad) {
        value.state_along = Take(&program_.along, kGroupBytes, 0);
        value.state_across = Take(&program_.across, kGroupBytes, 0);
      }
    }
    for (ValueId id : program_.reductions) {
      ValueInfo& value = program_.values[static_cast<size_t>(id)];
      const Instruction& it = program_.block->instructions[static_cast<size_t>(id)];
      const Reg from = program_.block->instructions[static_cast<size_t>(it.args[0])].reg;
      const int width = ByteSize(from);
      switch (FactsOf(it.op).op_class) {
        case OpClass::kReduce:
          value.state_along = Take(&program_.along, kAccumulators * kGroupBytes, 0);
          value.state_across = value.across;  // the result itself
          break;
        case OpClass::kArg:
          // Best values, with the indices behind them; across rows the indices are the result.
          value.state_along = Take(&program_.along, 2 * kGroupBytes, 0);
          value.state_across = Take(&program_.across, 0, width);
          break;
        default:
          value.state_along = Take(&program_.along, kGroupBytes, 0);
          value.state_across = Take(&program_.across, 0, width);
          break;
      }
    }
  }

  Program program_;
};

}  // namespace

int FormatOf(ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF16:
      return static_cast<int>(Format::kF16);
    case ir::Dtype::kBf16:
      return static_cast<int>(Format::kBf16);
    case ir::Dtype::kI8:
      return static_cast<int>(Format::kI8);
    case ir::Dtype::kI16:
      return static_cast<int>(Format::kI16);
    case ir::Dtype::kU8:
      return static_cast<int>(Format::kU8);
    case ir::Dtype::kU16:
      return static_cast<int>(Format::kU16);
    case ir::Dtype::kBool:
      return static_cast<int>(Format::kBool);
    default:
      return -1;
  }
}

Program CompileBlock(std::shared_ptr<const Block> block, const KernelSet& kernels) {
  return Compiler(std::move(block), kernels).Run();
}

}  // namespace faultline::fusion::cpu
