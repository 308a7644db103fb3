// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/certification.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/generate/about.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "reference/contract.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

// An op that reduces everything to one element yields few: the programs are limited as well.
constexpr int64_t kElementsPerProgramMin = 8;
constexpr int64_t kProgramsMin = 2000;

// Operands that are sets come from functions, sums and what is cast from them.
bool MakesSets(ir::Opcode op) {
  const ir::OpInfo& info = ir::InfoOf(op);
  return info.accuracy == ir::AccuracyClass::kFunction ||
         info.accuracy == ir::AccuracyClass::kAccumulate || info.dtype_rule == ir::DtypeRule::kCast;
}

// Ints have no real arithmetic, but what is made of them may.
ir::DtypeMask CertifiedDtypes(ir::Opcode op) {
  ir::DtypeMask mask = 0;
  for (const ir::Dtype dtype : ir::DtypesOf(op)) {
    if (CertifyKindOf(op, dtype) == CertifyKind::kCertified) mask |= ir::MaskOf(dtype);
  }
  return mask;
}

int64_t ElementsOf(const CertifyTally& tally) {
  int64_t elements = 0;
  for (const auto& [key, counts] : tally.ops) elements += counts.elements;
  return elements;
}

}  // namespace

std::vector<ir::Opcode> CertifiedOps() {
  std::vector<ir::Opcode> ops;
  for (const ir::OpInfo& info : ir::AllOps()) {
    const bool any = std::ranges::any_of(ir::DtypesOf(info.op), [&](ir::Dtype dtype) {
      return CertifyKindOf(info.op, dtype) == CertifyKind::kCertified;
    });
    if (any) ops.push_back(info.op);
  }
  return ops;
}

std::vector<std::string> NotCertified() {
  std::vector<std::string> names;
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (const ir::Dtype dtype : ir::DtypesOf(info.op)) {
      if (CertifyKindOf(info.op, dtype) != CertifyKind::kNone) continue;
      names.push_back(std::string(info.mnemonic) + "/" + std::string(ir::DtypeName(dtype)));
    }
  }
  return names;
}

void CertifyOp(ir::Opcode op, int64_t elements, uint64_t seed, CertifyTally& tally) {
  const reference::Contract contract = reference::FusionCpuContract();
  GenerateOptions options;
  options.contract = &contract;
  options.error_one_in = 0;
  const Subject subject = {.op = op, .dtypes = CertifiedDtypes(op), .feeds = MakesSets};
  const int64_t programs = std::max(kProgramsMin, elements / kElementsPerProgramMin);
  CertifyTally own;
  int64_t done = 0;
  for (int64_t i = 0; i < programs && done < elements; ++i) {
    const auto index = static_cast<uint64_t>(i);
    ChoiceStream choices(MixSeed(seed, index));
    Certify(GenerateAbout(subject, choices, options), contract, MixSeed(seed + 1, index), op, own);
    done = ElementsOf(own);
  }
  tally.Merge(own);
}

std::string PrintCertifyTally(const CertifyTally& tally) {
  json ops = json::array();
  for (const auto& [key, counts] : tally.ops) {
    ops.push_back({static_cast<int>(key.first), static_cast<int>(key.second), counts.elements,
                   counts.from_sets, counts.violations, counts.naive_outside});
  }
  json violations = json::array();
  for (const CertifyViolation& one : tally.violations) {
    violations.push_back(
        {static_cast<int>(one.op), static_cast<int>(one.dtype), one.message, one.program});
  }
  return json{std::move(ops), std::move(violations)}.dump(-1, ' ', false,
                                                          json::error_handler_t::replace);
}

CertifyTally ParseCertifyTally(std::string_view line) {
  const json all = json::parse(line);
  CertifyTally tally;
  for (const json& row : all[0]) {
    tally.ops[{static_cast<ir::Opcode>(row[0].get<int>()),
               static_cast<ir::Dtype>(row[1].get<int>())}] = {row[2], row[3], row[4], row[5]};
  }
  for (const json& row : all[1]) {
    tally.violations.push_back({static_cast<ir::Opcode>(row[0].get<int>()),
                                static_cast<ir::Dtype>(row[1].get<int>()), row[2], row[3]});
  }
  return tally;
}

}  // namespace faultline::harness
