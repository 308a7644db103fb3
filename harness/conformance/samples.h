// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Small programs in which every result has one admissible value in every order of evaluation, so
// that two runs may be compared bit for bit without an oracle.

#ifndef HARNESS_CONFORMANCE_SAMPLES_H_
#define HARNESS_CONFORMANCE_SAMPLES_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/run.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/program.h"

namespace faultline::harness {

struct Sample {
  std::string_view name;
  std::string_view text;
};
std::span<const Sample> ExactSamples();

// The samples whose every application the backend supports, parsed.
std::vector<ir::Program> SupportedSamples(const Backend& backend);

// What a run gave for each value that was read, by name; a value that was read twice, differently,
// or a call that failed and should not, is kInternal.
using Results = std::map<std::string, ir::HostTensor>;
ir::Result<Results> RunSample(const ir::Program& program, Backend& backend,
                              const RunOptions& options);

// kOk iff `after` has what `before` has, in the same bits (it may have more).
ir::Status ExpectSame(std::string_view sample, const Results& before, const Results& after);

}  // namespace faultline::harness

#endif  // HARNESS_CONFORMANCE_SAMPLES_H_
