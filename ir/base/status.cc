// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/status.h"

#include <array>

namespace faultline::ir {
namespace {

constexpr std::array<std::string_view, 10> kNames = {"ok",
                                                     "syntax",
                                                     "invalid_program",
                                                     "index_out_of_range",
                                                     "out_of_memory",
                                                     "unsupported",
                                                     "device_lost",
                                                     "usage",
                                                     "io",
                                                     "internal"};

}  // namespace

std::string_view StatusCodeName(StatusCode code) { return kNames[static_cast<size_t>(code)]; }

std::optional<StatusCode> FindStatusCode(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<StatusCode>(i);
  }
  return std::nullopt;
}

Status Status::At(SourcePosition where) const {
  return where_.line != 0 ? *this : Status(code_, message_, where);
}

std::string Status::Format(std::string_view path) const {
  std::string out(path);
  if (where_.line != 0) {
    if (!out.empty()) out += ':';
    out += std::to_string(where_.line) + ":" + std::to_string(where_.column);
  }
  if (!out.empty()) out += ": ";
  out += "error: " + message_;
  return out;
}

}  // namespace faultline::ir
