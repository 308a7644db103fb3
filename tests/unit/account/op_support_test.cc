// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The table of support is what the backends do.

#include "harness/account/op_support.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/oracle/compare.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

std::vector<std::unique_ptr<Backend>> Backends() {
  std::vector<std::unique_ptr<Backend>> backends;
  for (const char* name : {"reference", "fusion-cpu"}) {
    backends.push_back(MakeBackend({.name = name}).value());
  }
  return backends;
}

std::string NameOf(const OpSupport& row) {
  return std::string(ir::Mnemonic(row.op)) + " " + std::string(ir::DtypeName(row.dtype));
}

bool AnyUnsupported(const Observation& observation) {
  for (const StatementStatus& failure : observation.failures) {
    if (failure.status.code() == ir::StatusCode::kUnsupported) return true;
  }
  return false;
}

TEST_CASE("every op and dtype has a small application") {
  for (const OpSupport& row : FindOpSupport({})) {
    INFO(NameOf(row) << ": MakeSample (harness/backend/support.cc) knows none");
    REQUIRE(row.sample.has_value());
    const ir::Program program = SampleProgram(row);
    INFO(ir::Print(program));
    CHECK(ir::Verify(program).message() == "");
  }
}

TEST_CASE("what a backend supports it runs rightly, and nothing else") {
  const auto backends = Backends();
  for (const OpSupport& row : FindOpSupport(backends)) {
    if (!row.sample.has_value()) continue;
    const ir::Program program = SampleProgram(row);
    for (size_t i = 0; i < backends.size(); ++i) {
      Backend& backend = *backends[i];
      INFO(NameOf(row) << " on " << backend.name());
      const Observation seen = RunProgram(program, backend, {});
      REQUIRE(seen.opened.ok());
      if (!row.backends[i].ok()) {
        CHECK(row.backends[i].code() == ir::StatusCode::kUnsupported);
        CHECK(row.backends[i].message() != "");
        CHECK(AnyUnsupported(seen));
        continue;
      }
      const auto evaluation = reference::Evaluate(program, backend.contract());
      const Comparison comparison = Compare(program, backend.contract(), evaluation, seen);
      INFO(comparison.verdict.message);
      CHECK(!AnyUnsupported(seen));
      CHECK(!IsFinding(comparison.verdict.kind));
      CHECK(comparison.statistics.compared > 0);
    }
  }
}

TEST_CASE("what is said to admit one result does") {
  for (const OpSupport& row : FindOpSupport({})) {
    if (!row.sample.has_value() || row.admitted == Admitted::kSet) continue;
    const ir::Program program = SampleProgram(row);
    const auto evaluation = reference::Evaluate(program, reference::FusionCpuContract());
    const reference::Enclosure& set = *evaluation.values.back().enclosure;
    for (int64_t i = 0; i < set.size(); ++i) {
      INFO(NameOf(row) << " [" << i << "] " << set.Describe(i));
      const bool either_zero = row.admitted == Admitted::kOneZero && set.is_float() &&
                               set.RadiusUlp(i) == 0 && set.FloatAt(i).ContainsZero();
      CHECK((set.IsPoint(i) || either_zero));
    }
  }
}

}  // namespace
}  // namespace faultline::harness
