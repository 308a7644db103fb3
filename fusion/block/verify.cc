// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <utility>

#include "fusion/block/block.h"
#include "ir/shape.h"

namespace faultline::fusion {
namespace {

ir::Status Bad(std::string message) {
  return ir::Status(ir::StatusCode::kInternal, std::move(message));
}

class Verifier {
 public:
  explicit Verifier(const Block& block) : block_(block), scopes_(ScopesOf(block)) {}

  ir::Status Run() {
    if (block_.loop_rank < 0 || block_.loop_rank > ir::kRankMax + 1) {
      return Bad(fmt::format("loop rank {} is out of range", block_.loop_rank));
    }
    if (block_.has_row && block_.loop_rank == 0) return Bad("a row axis needs a loop axis");
    for (size_t i = 0; i < block_.accesses.size(); ++i) {
      FAULTLINE_RETURN_IF_ERROR(CheckAccess(static_cast<int>(i)));
    }
    int32_t next = 0;
    for (const Phase& phase : block_.phases) {
      if (phase.begin != next || phase.end < phase.begin) return Bad("phases do not adjoin");
      if (phase.kind == PhaseKind::kRow && !block_.has_row) {
        return Bad("a row phase needs a row axis");
      }
      for (int32_t i = phase.begin; i < phase.end; ++i) {
        FAULTLINE_RETURN_IF_ERROR(CheckInstruction(phase, i));
      }
      next = phase.end;
    }
    if (next != static_cast<int32_t>(block_.instructions.size())) {
      return Bad("instructions outside of the phases");
    }
    if (!block_.has_row && block_.phases.size() > 1)
      return Bad("several phases without a row axis");
    return {};
  }

 private:
  bool AccessExists(int64_t index) const {
    return index >= 0 && index < static_cast<int64_t>(block_.accesses.size());
  }

  ir::Status CheckAccess(int index) const {
    const Access& access = block_.accesses[static_cast<size_t>(index)];
    if (access.per_row && !block_.has_row) return Bad(fmt::format("@{} has no rows", index));
    if (access.map == MapKind::kPieces) {
      if (access.pieces.empty()) return Bad(fmt::format("@{} has no pieces", index));
      for (int piece : access.pieces) {
        if (!AccessExists(piece)) return Bad(fmt::format("@{} names no access {}", index, piece));
        const Access& part = block_.accesses[static_cast<size_t>(piece)];
        if (part.map == MapKind::kPieces || part.storage != access.storage ||
            part.per_row != access.per_row) {
          return Bad(fmt::format("@{} cannot be a piece of @{}", piece, index));
        }
      }
      return {};
    }
    if (access.slot < 0 || access.slot >= block_.slot_count) {
      return Bad(fmt::format("@{} names no slot {}", index, access.slot));
    }
    if (access.map != MapKind::kIndirect) return {};
    if (!AccessExists(access.index)) return Bad(fmt::format("@{} has no index", index));
    const Access& by = block_.accesses[static_cast<size_t>(access.index)];
    const bool direct = by.map == MapKind::kStrided || by.map == MapKind::kTable;
    if (!direct || by.storage.quantized() || !ir::IsIndex(by.storage.dtype) ||
        by.per_row != access.per_row) {
      return Bad(fmt::format("@{} cannot be the index of @{}", access.index, index));
    }
    return {};
  }

  ir::Status CheckArgument(const Phase& phase, int32_t at, int number, Reg reg) const {
    const ValueId arg =
        block_.instructions[static_cast<size_t>(at)].args[static_cast<size_t>(number)];
    if (arg < 0 || arg >= at)
      return Bad(fmt::format("%{}: argument %{} is not before it", at, arg));
    const Instruction& from = block_.instructions[static_cast<size_t>(arg)];
    if (from.op == Op::kStore) return Bad(fmt::format("%{}: argument %{} is a store", at, arg));
    if (from.reg != reg) {
      return Bad(
          fmt::format("%{}: argument %{} is {}, not {}", at, arg, RegName(from.reg), RegName(reg)));
    }
    const Scope scope = scopes_[static_cast<size_t>(arg)];
    if (phase.kind == PhaseKind::kRow && scope == Scope::kElement) {
      return Bad(fmt::format("%{}: element value %{} in a row phase", at, arg));
    }
    const bool reduced_here =
        phase.kind == PhaseKind::kElement && scope == Scope::kRow && arg >= phase.begin;
    if (reduced_here) {
      return Bad(fmt::format("%{}: %{} is not reduced before the phase ends", at, arg));
    }
    return {};
  }

  ir::Status CheckInstruction(const Phase& phase, int32_t at) const {
    const Instruction& it = block_.instructions[static_cast<size_t>(at)];
    const OpFacts& facts = FactsOf(it.op);
    FAULTLINE_RETURN_IF_ERROR(CheckImmediate(phase, at));
    Reg reg = it.reg;
    switch (facts.op_class) {
      case OpClass::kCompare:
      case OpClass::kConvert:
      case OpClass::kArg:
        if (it.args[0] < 0 || it.args[0] >= at) {
          return Bad(fmt::format("%{}: argument %{} is not before it", at, it.args[0]));
        }
        reg = block_.instructions[static_cast<size_t>(it.args[0])].reg;
        break;
      default:
        break;
    }
    if ((MaskOf(reg) & facts.regs) == 0) {
      return Bad(fmt::format("%{}: {} does not take {}", at, facts.name, RegName(reg)));
    }
    const Reg result = facts.op_class == OpClass::kCompare ? Reg::kMask
                       : facts.op_class == OpClass::kArg   ? Reg::kI64
                       : it.op == Op::kConvertOdd          ? Reg::kF64
                                                           : it.reg;
    if (it.reg != result) return Bad(fmt::format("%{}: result is {}", at, RegName(result)));
    const bool along_row = facts.op_class == OpClass::kReduce || facts.op_class == OpClass::kArg ||
                           facts.op_class == OpClass::kScan;
    if (along_row && (phase.kind == PhaseKind::kRow || !block_.has_row)) {
      return Bad(fmt::format("%{}: {} outside of an element phase with rows", at, facts.name));
    }
    for (int i = 0; i < facts.arity; ++i) {
      const Reg wanted = facts.op_class == OpClass::kSelect && i == 0  ? Reg::kMask
                         : facts.op_class == OpClass::kPower && i == 1 ? Reg::kI64
                                                                       : reg;
      FAULTLINE_RETURN_IF_ERROR(CheckArgument(phase, at, i, wanted));
    }
    return {};
  }

  ir::Status CheckImmediate(const Phase& phase, int32_t at) const {
    const Instruction& it = block_.instructions[static_cast<size_t>(at)];
    const int64_t number = static_cast<int64_t>(it.immediate);
    switch (it.op) {
      case Op::kLoad:
      case Op::kStore: {
        if (!AccessExists(number)) return Bad(fmt::format("%{}: no access {}", at, number));
        const Access& access = block_.accesses[static_cast<size_t>(number)];
        if (RegOf(access.storage.dtype) != it.reg) {
          return Bad(fmt::format("%{}: @{} does not hold {}", at, number, RegName(it.reg)));
        }
        if (access.per_row != (phase.kind == PhaseKind::kRow)) {
          return Bad(fmt::format("%{}: @{} is of the other kind of phase", at, number));
        }
        const bool direct = access.map == MapKind::kStrided || access.map == MapKind::kTable;
        if (it.op == Op::kStore && (!direct || access.storage.quantized())) {
          return Bad(fmt::format("%{}: @{} cannot be stored to", at, number));
        }
        return {};
      }
      case Op::kParameter:
        if (number < 0 || number >= static_cast<int64_t>(block_.parameters.size()) ||
            block_.parameters[static_cast<size_t>(number)] != it.reg) {
          return Bad(fmt::format("%{}: no such parameter", at));
        }
        return {};
      case Op::kCoordinate: {
        const int axes = phase.kind == PhaseKind::kRow ? block_.outer_rank() : block_.loop_rank;
        if (number < 0 || number >= axes || it.reg != Reg::kI64) {
          return Bad(fmt::format("%{}: no such axis", at));
        }
        return {};
      }
      case Op::kShiftLeft:
      case Op::kShiftRight:
        if (number != 8 && number != 16 && number != 32 && number != 64) {
          return Bad(fmt::format("%{}: width {}", at, number));
        }
        return {};
      default:
        return {};
    }
  }

  const Block& block_;
  std::vector<Scope> scopes_;
};

}  // namespace

ir::Status VerifyBlock(const Block& block) { return Verifier(block).Run(); }

}  // namespace faultline::fusion
