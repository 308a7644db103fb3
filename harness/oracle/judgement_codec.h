// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A judgement as bytes, to pass it from a child process to its parent. Not a file format: both ends
// are the same executable.

#ifndef HARNESS_ORACLE_JUDGEMENT_CODEC_H_
#define HARNESS_ORACLE_JUDGEMENT_CODEC_H_

#include <optional>
#include <string>
#include <string_view>

#include "harness/oracle/judge.h"

namespace faultline::harness {

// The verdict, the statistics without radii, and the trace; not the tensors read.
std::string EncodeJudgement(const Judgement& judgement);
// Nothing if the bytes are not a whole judgement.
std::optional<Judgement> DecodeJudgement(std::string_view bytes);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_JUDGEMENT_CODEC_H_
