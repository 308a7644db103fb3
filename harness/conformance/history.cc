// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 3: the same calls give the same bytes, whatever the engine ran before.

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"
#include "harness/conformance/samples.h"

namespace faultline::harness {
namespace {

using ir::Program;

// Each sample on a new engine.
ir::Result<std::vector<Results>> RunAlone(const std::vector<Program>& samples, Backend& backend,
                                          const SessionOptions& options) {
  std::vector<Results> alone;
  for (const Program& sample : samples) {
    FAULTLINE_ASSIGN_OR_RETURN(Results results,
                               RunSample(sample, backend, {.session = options, .fresh = true}));
    alone.push_back(std::move(results));
  }
  return alone;
}

Held SameAfterOthers(Backend& backend, const SessionOptions& options) {
  const std::vector<Program> samples = SupportedSamples(backend);
  FAULTLINE_ASSIGN_OR_RETURN(const auto alone, RunAlone(samples, backend, options));
  // Forward, so that each follows the others, and backward, so that each meets its own plan.
  std::vector<size_t> order;
  for (size_t i = 0; i < samples.size(); ++i) order.push_back(i);
  for (size_t i = samples.size(); i-- > 0;) order.push_back(i);
  for (size_t i : order) {
    FAULTLINE_ASSIGN_OR_RETURN(const Results results,
                               RunSample(samples[i], backend, {.session = options}));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectSame(samples[i].header.name, alone[i], results));
  }
  return Holds();
}

// The program with other data and other scalars, which is the same plan to a planner.
Program Variant(const Program& sample) {
  Program variant = sample;
  for (ir::Statement& statement : variant.statements) {
    for (ir::Scalar& scalar : statement.scalars) {
      const ir::Dtype dtype = scalar.dtype;
      scalar = ir::IsFloat(dtype)
                   ? ir::FloatScalar(dtype, ir::ToDouble(dtype, scalar.bits) + 1)
                   : ir::Scalar{dtype, ir::FromInt(dtype, ir::ToInt(dtype, scalar.bits) + 1)};
    }
    if (statement.kind != ir::StatementKind::kInput) continue;
    auto data = std::make_shared<ir::DataSpec>(*statement.data);
    data->parameters[0] += 1;
    statement.data = std::move(data);
  }
  return variant;
}

// What was planned for one must not serve the other with its own data, scalars or bounds.
Held SameAfterVariants(Backend& backend, const SessionOptions& options) {
  for (const Program& sample : SupportedSamples(backend)) {
    const std::vector<Program> both = {sample, Variant(sample)};
    FAULTLINE_ASSIGN_OR_RETURN(const auto alone, RunAlone(both, backend, options));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(backend.Renew());
    for (const size_t i : std::to_array<size_t>({0, 1, 0, 1})) {
      FAULTLINE_ASSIGN_OR_RETURN(const Results results,
                                 RunSample(both[i], backend, {.session = options}));
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectSame(sample.header.name, alone[i], results));
    }
  }
  return Holds();
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {3, "same_after_others", "each sample gives the bytes of a new engine after all the others",
     SameAfterOthers},
    {3, "same_after_variants", "... and after itself with other data and scalars",
     SameAfterVariants},
});

}  // namespace

std::span<const ConformanceCheck> HistoryChecks() { return kChecks; }

}  // namespace faultline::harness
