// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where a process dies of a finding. Services that collect crashes tell them apart by the top
// frames of the stack, which would be the same for every divergence: so there are 64 functions to
// die in, and the finding's key says which.

#ifndef HARNESS_CAMPAIGN_TRAMPOLINES_H_
#define HARNESS_CAMPAIGN_TRAMPOLINES_H_

#include <string>
#include <string_view>

namespace faultline::harness {

inline constexpr int kTrampolineCount = 64;

// "divergence_17": octal, the same for a key on every machine.
std::string TrampolineOf(std::string_view key);

// Prints what it dies of, DEDUP_TOKEN (which libFuzzer's -minimize_crash keeps) and the function to
// stderr, and aborts there.
[[noreturn]] void DieOfFinding(std::string_view title, std::string_view key);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_TRAMPOLINES_H_
