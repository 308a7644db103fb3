// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "fusion/block/block.h"

namespace faultline::fusion {
namespace {

std::string PrintAccess(const Access& access) {
  std::string text;
  switch (access.map) {
    case MapKind::kStrided:
      text = fmt::format("strided slot {}", access.slot);
      break;
    case MapKind::kTable:
      text = fmt::format("table slot {}", access.slot);
      break;
    case MapKind::kPieces:
      text = fmt::format("pieces [{}]", fmt::join(access.pieces, ","));
      break;
    case MapKind::kIndirect:
      text = fmt::format("indirect slot {} by @{} of statement {}", access.slot, access.index,
                         access.source);
      break;
  }
  text += fmt::format(" {}", ir::PrintElementType(access.storage));
  if (access.per_row) text += " per row";
  return text;
}

}  // namespace

std::string PrintInstruction(const Block& block, ValueId id) {
  const Instruction& it = block.instructions[static_cast<size_t>(id)];
  const OpFacts& facts = FactsOf(it.op);
  std::string text;
  if (it.op != Op::kStore) text = fmt::format("%{} = ", id);
  text += fmt::format("{} {}", facts.name, RegName(it.reg));
  switch (it.op) {
    case Op::kLoad:
    case Op::kStore:
      text += fmt::format(" @{}", it.immediate);
      break;
    case Op::kConstant:
      text += fmt::format(" {:#x}", it.immediate);
      break;
    case Op::kParameter:
    case Op::kCoordinate:
      text += fmt::format(" {}", it.immediate);
      break;
    default:
      break;
  }
  for (int i = 0; i < facts.arity; ++i) {
    text += fmt::format(" %{}", it.args[static_cast<size_t>(i)]);
  }
  if (it.op == Op::kShiftLeft || it.op == Op::kShiftRight) {
    text += fmt::format(" width {}", it.immediate);
  }
  return text;
}

std::string PrintBlock(const Block& block) {
  std::string text = fmt::format("block rank {}{}\n", block.loop_rank,
                                 block.has_row ? ", last axis is the row" : "");
  for (size_t i = 0; i < block.accesses.size(); ++i) {
    text += fmt::format("  @{}: {}\n", i, PrintAccess(block.accesses[i]));
  }
  for (const Phase& phase : block.phases) {
    text += phase.kind == PhaseKind::kElement ? "  element phase\n" : "  row phase\n";
    for (int32_t i = phase.begin; i < phase.end; ++i) {
      text += "    " + PrintInstruction(block, i) + "\n";
    }
  }
  return text;
}

}  // namespace faultline::fusion
