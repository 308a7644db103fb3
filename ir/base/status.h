// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Status and Result<T>: how bad input and failed work are reported. Messages are lower case,
// without a full stop, and name both values that disagree. Not for broken invariants
// (ir/base/check.h).

#ifndef IR_BASE_STATUS_H_
#define IR_BASE_STATUS_H_

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace faultline::ir {

// The snake_case name of an enumerator (StatusCodeName) is what `expect-error` lines spell.
enum class StatusCode : uint8_t {
  kOk,
  kSyntax,           // text that does not parse
  kInvalidProgram,   // text that parses and does not verify, or a misused session call
  kIndexOutOfRange,  // an index operand outside its axis; spoils values
  kOutOfMemory,
  kUnsupported,  // a backend's own decision, with a reason
  kDeviceLost,
  kUsage,     // command line
  kIo,        // files
  kInternal,  // a fault of ours that did not need an abort
};

std::string_view StatusCodeName(StatusCode code);
std::optional<StatusCode> FindStatusCode(std::string_view name);

// 1-based line and column; line 0 means "no position".
struct SourcePosition {
  int line = 0;
  int column = 0;
  bool operator==(const SourcePosition&) const = default;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message, SourcePosition where = {})
      : code_(code), message_(std::move(message)), where_(where) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  SourcePosition where() const { return where_; }
  // The same status with `where` filled in if it had none.
  Status At(SourcePosition where) const;
  // `path:line:col: error: message` (parts that are absent are left out).
  std::string Format(std::string_view path) const;

  bool operator==(const Status&) const = default;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
  SourcePosition where_;
};

template <typename T>
using Result = std::expected<T, Status>;

// Shorthand for `std::unexpected(Status(...))`.
inline std::unexpected<Status> Error(StatusCode code, std::string message,
                                     SourcePosition where = {}) {
  return std::unexpected<Status>(Status(code, std::move(message), where));
}

}  // namespace faultline::ir

#define FAULTLINE_CONCAT_INNER(a, b) a##b
#define FAULTLINE_CONCAT(a, b) FAULTLINE_CONCAT_INNER(a, b)

// In a function that returns Status.
#define FAULTLINE_RETURN_IF_ERROR(expression)                                              \
  do {                                                                                     \
    if (::faultline::ir::Status faultline_status = (expression); !faultline_status.ok()) { \
      return faultline_status;                                                             \
    }                                                                                      \
  } while (false)

// In a function that returns Result<T>: propagates a failed Status.
#define FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(expression)                                   \
  do {                                                                                     \
    if (::faultline::ir::Status faultline_status = (expression); !faultline_status.ok()) { \
      return std::unexpected(std::move(faultline_status));                                 \
    }                                                                                      \
  } while (false)

#define FAULTLINE_ASSIGN_OR_RETURN_INNER(result, target, expression)          \
  auto result = (expression);                                                 \
  if (!result.has_value()) return std::unexpected(std::move(result).error()); \
  target = std::move(*result)

// In a function that returns Result<T>: `FAULTLINE_ASSIGN_OR_RETURN(auto x, MakeX());`.
#define FAULTLINE_ASSIGN_OR_RETURN(target, expression)                                    \
  FAULTLINE_ASSIGN_OR_RETURN_INNER(FAULTLINE_CONCAT(faultline_result_, __LINE__), target, \
                                   expression)

#endif  // IR_BASE_STATUS_H_
