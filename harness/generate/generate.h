// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A program from choices: valid by construction through the shape and dtype rules of the op table,
// with data. Same choices and options, same program, on every machine. Runs no backend.

#ifndef HARNESS_GENERATE_GENERATE_H_
#define HARNESS_GENERATE_GENERATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "harness/generate/choice_stream.h"
#include "ir/attributes.h"
#include "ir/op.h"
#include "ir/program.h"
#include "ir/type.h"

namespace faultline::reference {
struct Contract;
}  // namespace faultline::reference

namespace faultline::harness {

// What `--focus` multiplies weights of. Nothing is ever switched off by a focus.
enum class Focus : uint8_t {
  kQuantizedTransactions,
  kPlanReuse,
  kViews,
  kReductions,
  kMatmul,
  kStreams,
};
inline constexpr int kFocusCount = 6;
// "quantized-transactions", "plan-reuse", "views", ...
std::string_view FocusName(Focus focus);
std::optional<Focus> FindFocus(std::string_view name);

// Whether the backend under test takes an application with these operand and result types. Empty:
// everything that the verifier takes.
using SupportsPredicate =
    std::function<bool(ir::Opcode op, const ir::Attributes& attributes,
                       std::span<const ir::Type> operands, std::span<const ir::Type> results)>;

// The work of one program never exceeds this: a timeout is then a fault, not a large program.
inline constexpr int64_t kWorkMax = int64_t{1} << 22;

struct GenerateOptions {
  SupportsPredicate supports;
  // Dtypes that inputs may have: those of the operands that the backend under test takes.
  ir::DtypeMask input_dtypes = ir::kAnyMask;
  std::optional<Focus> focus;
  // Evaluates as it builds and steers (mostly) away from values that are all NaN, infinite or
  // constant.
  bool value_aware = true;
  // Also from values that are unbounded under the contract. Costs half as much again, and gains
  // something only where a contract is loose: under ours one element in 10,000 is unbounded.
  bool enclosures = false;
  // Of the backend under test; null: that of the fused CPU backend. Must outlive the call.
  const reference::Contract* contract = nullptr;
  // Errors on purpose (indices out of range) in one of so many programs; 0: never.
  uint32_t error_one_in = 40;
  // The canonical text is at most so many bytes, wherever that can be kept.
  int64_t text_bytes_max = 1 << 16;
};

// A verified program of work at most kWorkMax with at least one read.
ir::Program Generate(ChoiceStream& choices, const GenerateOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_GENERATE_H_
