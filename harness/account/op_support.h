// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The truth about op x dtype: what each backend says of one small application of it, and what the
// oracle can hold a result against. Found by asking, so that no table has to be kept.

#ifndef HARNESS_ACCOUNT_OP_SUPPORT_H_
#define HARNESS_ACCOUNT_OP_SUPPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/support.h"
#include "ir/op.h"
#include "ir/program.h"

namespace faultline::harness {

// What the contract of fusion-cpu admits from operands that are points.
enum class Admitted : uint8_t {
  kOne,      // one result, bit for bit
  kOneZero,  // one result, a zero of either sign
  kSet,      // a set
};
std::string_view AdmittedName(Admitted admitted);

struct OpSupport {
  ir::Opcode op = ir::Opcode::kReshape;
  ir::Dtype dtype = ir::Dtype::kF32;  // kQuantized: per tensor q8s
  // Nothing if no small application of it is known: harness/backend/support.cc lacks a case.
  std::optional<SampleApplication> sample;
  Admitted admitted = Admitted::kSet;
  // In the order of the backends asked: kOk, or why not.
  std::vector<ir::Status> backends;
};

// Every op x dtype of the op table, in its order.
std::vector<OpSupport> FindOpSupport(std::span<const std::unique_ptr<Backend>> backends);

// The sample with data, as a program that reads its results. Requires a sample.
ir::Program SampleProgram(const OpSupport& row);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_OP_SUPPORT_H_
