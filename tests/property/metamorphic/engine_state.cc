// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What an engine did before must not show: plans found in the cache, memory used again.

#include <array>

#include "harness/backend/run.h"
#include "ir/print.h"
#include "tests/property/metamorphic/identity.h"

namespace faultline::harness {
namespace {

Broken Compared(const ir::Program& program, const std::optional<Results>& fresh,
                const std::optional<Results>& used) {
  if (!fresh.has_value() || !used.has_value()) return std::nullopt;
  const std::string difference = Difference(*fresh, *used);
  return difference.empty() ? "" : difference + "\n" + ir::Print(program);
}

std::optional<Results> RunFresh(const ir::Program& program, Backend& backend) {
  if (!backend.Renew().ok()) return std::nullopt;
  return RunFor(program, backend);
}

// The same program with other scalars and the other direction of each sort: what must find its own
// plan, or hand over its own parameters.
ir::Program WithOtherParameters(ir::Program program) {
  for (ir::Statement& statement : program.statements) {
    for (ir::Scalar& scalar : statement.scalars) {
      if (scalar.dtype == ir::Dtype::kBool) {
        scalar.bits ^= 1;
      } else if (ir::IsFloat(scalar.dtype)) {
        scalar =
            ir::FloatScalar(scalar.dtype, ir::ToDouble(scalar.dtype, scalar.bits) == 3 ? 5 : 3);
      } else {
        scalar = ir::IntScalar(scalar.dtype, ir::ToInt(scalar.dtype, scalar.bits) == 3 ? 5 : 3);
      }
    }
    if (statement.kind == ir::StatementKind::kApply &&
        ir::InfoOf(statement.op).Takes(ir::AttributeKey::kDescending)) {
      ir::Attributes& attributes = statement.attributes;
      const bool descending = attributes.Int(ir::AttributeKey::kDescending) != 0;
      attributes.Clear(ir::AttributeKey::kDescending);
      if (!descending) attributes.Set(ir::AttributeKey::kDescending, 1);
    }
  }
  return program;
}

Broken HitAsMiss(Backend& backend, uint64_t seed) {
  const ir::Program program = GenerateFor(backend, seed);
  const auto miss = RunFresh(program, backend);
  static_cast<void>(RunFresh(WithOtherParameters(program), backend));
  const auto hit = RunFor(program, backend);
  return Compared(program, miss, hit);
}

Broken UsedAsFresh(Backend& backend, uint64_t seed) {
  constexpr uint64_t kOthers = 4;
  const ir::Program program = GenerateFor(backend, seed);
  const auto fresh = RunFresh(program, backend);
  if (!backend.Renew().ok()) return std::nullopt;
  for (uint64_t i = 1; i <= kOthers; ++i) {
    static_cast<void>(RunFor(GenerateFor(backend, seed * kOthers + i), backend));
  }
  return Compared(program, fresh, RunFor(program, backend));
}

constexpr auto kIdentities = std::to_array<Identity>({
    {"a cache hit as a miss", "stale_scalars_on_hit", HitAsMiss},
    {"a used engine as a fresh one", "drop_overtakes_read", UsedAsFresh},
});

}  // namespace

std::span<const Identity> EngineIdentities() { return kIdentities; }

}  // namespace faultline::harness
