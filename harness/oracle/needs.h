// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// `# needs: fused={softmax,sum_dim} pool=guard threads=2 isa=avx2 fusion=off chaos=7
// fail_allocation=3 poison=1 streams=free`: the conditions under which a program says something. A
// case whose `fused` is not met is vacuous.

#ifndef HARNESS_ORACLE_NEEDS_H_
#define HARNESS_ORACLE_NEEDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/observation.h"
#include "harness/backend/run.h"
#include "ir/base/status.h"
#include "ir/op.h"

namespace faultline::harness {

struct Needs {
  // Each set has to be found among the source ops of one launch that computes two ops or more.
  std::vector<std::vector<ir::Opcode>> fused;
  std::optional<PoolMode> pool;
  std::optional<int> threads;
  std::optional<std::string> isa;
  std::optional<bool> fusion;
  std::optional<uint64_t> chaos;           // seed of random decisions
  std::optional<int64_t> fail_allocation;  // the n-th allocation fails
  std::optional<uint8_t> poison;           // RunOptions::poison
  std::optional<StreamMode> streams;
  bool operator==(const Needs&) const = default;
};

// kSyntax, without a position, names the word it cannot read.
ir::Result<Needs> ParseNeeds(std::string_view text);

void ApplyNeeds(const Needs& needs, RunOptions& run);

// The first set of ops that no launch computes together, as text: "fused={softmax,sum_dim}"; empty
// if every set is met. Backends that report no launches are not asked.
std::string UnmetFusion(const Needs& needs, const PlanTrace& trace);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_NEEDS_H_
