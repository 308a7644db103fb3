// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/block/block.h"

#include <cstddef>

namespace faultline::fusion {
namespace {

constexpr int ArityOf(OpClass op_class) {
  switch (op_class) {
    case OpClass::kLeaf:
      return 0;
    case OpClass::kBinary:
    case OpClass::kPower:
    case OpClass::kCompare:
      return 2;
    case OpClass::kSelect:
      return 3;
    case OpClass::kStore:
    case OpClass::kUnary:
    case OpClass::kConvert:
    case OpClass::kReduce:
    case OpClass::kArg:
    case OpClass::kScan:
      return 1;
  }
  return 0;
}

constexpr std::array<OpFacts, kOpCount> kFacts = {{
#define FAULTLINE_INSTRUCTION(enumerator, name, op_class, regs) \
  {name, OpClass::op_class, ArityOf(OpClass::op_class), static_cast<RegMask>(regs)},
#include "fusion/block/instructions.def"
#undef FAULTLINE_INSTRUCTION
}};

}  // namespace

const OpFacts& FactsOf(Op op) { return kFacts[static_cast<size_t>(op)]; }

std::string_view RegName(Reg reg) {
  constexpr std::array<std::string_view, kRegCount> kNames = {"f32", "f64", "i32", "u32",
                                                              "i64", "u64", "mask"};
  return kNames[static_cast<size_t>(reg)];
}

Reg RegOf(ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF64:
      return Reg::kF64;
    case ir::Dtype::kF32:
    case ir::Dtype::kF16:
    case ir::Dtype::kBf16:
    case ir::Dtype::kQuantized:
      return Reg::kF32;
    case ir::Dtype::kI64:
      return Reg::kI64;
    case ir::Dtype::kI32:
    case ir::Dtype::kI16:
    case ir::Dtype::kI8:
      return Reg::kI32;
    case ir::Dtype::kU64:
      return Reg::kU64;
    case ir::Dtype::kU32:
    case ir::Dtype::kU16:
    case ir::Dtype::kU8:
      return Reg::kU32;
    case ir::Dtype::kBool:
      return Reg::kMask;
  }
  return Reg::kF32;
}

std::vector<Scope> ScopesOf(const Block& block) {
  std::vector<Scope> scopes(block.instructions.size(), Scope::kElement);
  for (const Phase& phase : block.phases) {
    for (int32_t i = phase.begin; i < phase.end; ++i) {
      const Op op = block.instructions[static_cast<size_t>(i)].op;
      const OpClass op_class = FactsOf(op).op_class;
      Scope& scope = scopes[static_cast<size_t>(i)];
      if (op == Op::kConstant || op == Op::kParameter) {
        scope = Scope::kUniform;
      } else if (phase.kind == PhaseKind::kRow || op_class == OpClass::kReduce ||
                 op_class == OpClass::kArg) {
        scope = Scope::kRow;
      }
    }
  }
  return scopes;
}

}  // namespace faultline::fusion
