// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/plugin/plugin_call.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::harness {

static_assert(FAULTLINE_RANK_MAX == ir::kRankMax);
static_assert(static_cast<int>(ir::Dtype::kQuantized) == FAULTLINE_QUANTIZED);
static_assert(static_cast<int>(ir::Dtype::kBool) == FAULTLINE_BOOL);
static_assert(static_cast<int>(ir::Dtype::kI64) == FAULTLINE_I64);

void PluginTypes::Add(const ir::Type& type) {
  faultline_type& target = types_.emplace_back();
  target.dtype = static_cast<faultline_dtype>(type.dtype());
  target.rank = type.shape.rank();
  std::ranges::copy(type.shape.extents(), target.extents);
  if (type.quantized()) {
    target.scheme = schemes_.emplace_back(ir::PrintScheme(type.scheme())).c_str();
  }
}

PluginCall::PluginCall(ir::Opcode op, const ir::Attributes& attributes) : op_(ir::Mnemonic(op)) {
  for (const ir::Attributes::Entry& entry : attributes.entries()) {
    attributes_.push_back({names_.emplace_back(ir::InfoOf(entry.key).name).c_str(),
                           static_cast<int32_t>(entry.values.size()), entry.values.data()});
  }
}

void PluginCall::SetScalars(std::span<const ir::Scalar> scalars) {
  for (const ir::Scalar& scalar : scalars) {
    scalars_.push_back({static_cast<faultline_dtype>(scalar.dtype), scalar.bits});
  }
}

const faultline_application* PluginCall::Finish() {
  application_ = {.op = op_.c_str(),
                  .operand_count = operands_.size(),
                  .operand_types = operands_.data(),
                  .operands = handles_,
                  .scalar_count = static_cast<int32_t>(scalars_.size()),
                  .scalars = scalars_.data(),
                  .attribute_count = static_cast<int32_t>(attributes_.size()),
                  .attributes = attributes_.data(),
                  .result_count = results_.size(),
                  .result_types = results_.data()};
  return &application_;
}

ir::Status PluginMessage::ToStatus(faultline_status status, std::string_view what) const {
  constexpr ir::StatusCode kCodes[] = {ir::StatusCode::kOk,
                                       ir::StatusCode::kInvalidProgram,
                                       ir::StatusCode::kIndexOutOfRange,
                                       ir::StatusCode::kOutOfMemory,
                                       ir::StatusCode::kUnsupported,
                                       ir::StatusCode::kDeviceLost,
                                       ir::StatusCode::kInternal};
  if (status == FAULTLINE_OK) return {};
  const auto index = static_cast<size_t>(status);
  // A plug-in in another language may return anything.
  if (index >= std::size(kCodes)) {
    return {ir::StatusCode::kInternal,
            fmt::format("{}: the plug-in returned the unknown status {}", what, index)};
  }
  const auto end = std::ranges::find(text_, '\0');
  const std::string_view text(text_.data(), static_cast<size_t>(end - text_.begin()));
  return {kCodes[index], fmt::format("{}: {}", what, text.empty() ? "no message" : text)};
}

}  // namespace faultline::harness
