// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/dtype.h"

namespace faultline::ir {
namespace {

constexpr std::array<std::string_view, kPlainDtypeCount + 1> kNames = {
    "f64", "f32", "f16", "bf16", "i64", "i32",  "i16",
    "i8",  "u64", "u32", "u16",  "u8",  "bool", "quantized"};

}  // namespace

std::string_view DtypeName(Dtype dtype) { return kNames[static_cast<size_t>(dtype)]; }

std::optional<Dtype> FindDtype(std::string_view name) {
  for (const Dtype dtype : kPlainDtypes) {
    if (DtypeName(dtype) == name) return dtype;
  }
  return std::nullopt;
}

}  // namespace faultline::ir
