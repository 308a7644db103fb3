// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/conformance/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ir/base/check.h"
#include "ir/element.h"
#include "ir/infer.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

using ir::HostTensor;
using ir::Result;
using ir::Status;
using ir::StatusCode;

ir::Type TypeFromText(std::string_view text) {
  Result<ir::Type> type = ir::ParseType(text);
  FAULTLINE_CHECK(type.has_value(), "a check names a type that does not parse");
  return *type;
}

}  // namespace

Result<Client> Client::Open(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, backend.Open(options));
  return Client(std::move(session));
}

HostTensor Client::Counting(std::string_view text) {
  const ir::Type type = TypeFromText(text);
  const int64_t count = type.NumElements();
  if (type.quantized()) {
    ir::QuantizedParts parts;
    const int span = ir::CodeMax(type.scheme().value) - ir::CodeMin(type.scheme().value) + 1;
    for (int64_t i = 0; i < count; ++i) {
      parts.codes.push_back(ir::CodeMin(type.scheme().value) + static_cast<int32_t>(i % span));
    }
    const int64_t scales = ir::LayoutOf(type.scheme(), type.shape).scale_count;
    for (int64_t i = 0; i < scales; ++i) {
      parts.scales.push_back(static_cast<uint32_t>(
          ir::FloatScalar(ir::Dtype::kF32, 0.5 + static_cast<double>(i)).bits));
    }
    return ir::EncodeQuantized(type, parts);
  }
  HostTensor tensor{type, std::vector<std::byte>(static_cast<size_t>(type.HostBytes()))};
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = ir::IsFloat(type.dtype())
                              ? ir::FromDouble(type.dtype(), static_cast<double>(i + 1))
                          : type.dtype() == ir::Dtype::kBool ? static_cast<uint64_t>(i % 2)
                                                             : ir::FromInt(type.dtype(), i + 1);
    ir::StoreElement(type.dtype(), bits, tensor.bytes.data() + i * ir::ByteSize(type.dtype()));
  }
  return tensor;
}

Result<Handle> Client::Input(std::string_view type) { return Input(Counting(type)); }

Result<Handle> Client::Input(const HostTensor& tensor) {
  FAULTLINE_ASSIGN_OR_RETURN(const Handle handle,
                             session_->Create(stream_, "x", tensor.type, {}, tensor.bytes));
  alive_.push_back({handle, tensor.type});
  return handle;
}

Result<Handle> Client::Apply(ir::Opcode op, std::span<const Handle> inputs,
                             const ir::Attributes& attributes, std::string_view declared) {
  std::vector<ir::Type> operands;
  for (Handle handle : inputs) operands.push_back(TypeOf(handle));
  std::vector<ir::Type> written;
  if (!declared.empty()) written.push_back(TypeFromText(declared));
  FAULTLINE_ASSIGN_OR_RETURN(const std::vector<ir::Type> types,
                             ir::InferTypes(op, operands, {}, attributes, written));
  const std::array<const ir::Type*, 1> result_types = {&types.front()};
  const std::array<std::string_view, 1> names = {"y"};
  FAULTLINE_ASSIGN_OR_RETURN(const std::vector<Handle> handles,
                             session_->Apply(stream_, {.op = op,
                                                       .attributes = attributes,
                                                       .scalars = {},
                                                       .inputs = inputs,
                                                       .result_types = result_types,
                                                       .result_names = names}));
  alive_.push_back({handles.front(), types.front()});
  return handles.front();
}

Result<Handle> Client::Clone(Handle handle) {
  FAULTLINE_ASSIGN_OR_RETURN(const Handle clone, session_->Clone(stream_, handle, "c"));
  alive_.push_back({clone, TypeOf(handle)});
  return clone;
}

Status Client::Drop(Handle handle) {
  std::erase_if(alive_, [&](const Named& named) { return named.handle == handle; });
  return session_->Drop(stream_, handle);
}

Result<std::vector<HostTensor>> Client::Read(std::span<const Handle> handles) {
  FAULTLINE_ASSIGN_OR_RETURN(std::vector<HostTensor> tensors, session_->Read(stream_, handles));
  if (tensors.size() != handles.size()) {
    return ir::Error(StatusCode::kInternal, fmt::format("a read of {} handles returned {} tensors",
                                                        handles.size(), tensors.size()));
  }
  return tensors;
}

Held Client::Close() {
  while (!alive_.empty()) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(Drop(alive_.back().handle));
  }
  const LiveCounts live = session_->Live();
  if (live.handles == 0 && live.bytes == 0) return Holds();
  return std::unexpected(Broken(fmt::format("{} handles and {} bytes are alive after the last drop",
                                            live.handles, live.bytes)));
}

const ir::Type& Client::TypeOf(Handle handle) const {
  const auto found = std::ranges::find(alive_, handle, &Named::handle);
  FAULTLINE_CHECK(found != alive_.end(), "a check uses a handle that it has dropped");
  return found->type;
}

Status ExpectTensor(std::string_view what, const HostTensor& actual, const HostTensor& expected) {
  if (actual.type != expected.type || actual.bytes.size() != expected.bytes.size()) {
    return Broken(fmt::format("{}: got {} of {} bytes, expected {} of {} bytes", what,
                              ir::PrintType(actual.type), actual.bytes.size(),
                              ir::PrintType(expected.type), expected.bytes.size()));
  }
  const auto [a, e] = std::ranges::mismatch(actual.bytes, expected.bytes);
  if (a == actual.bytes.end()) return {};
  return Broken(fmt::format("{}: byte {} of {} is 0x{:02x}, expected 0x{:02x}", what,
                            a - actual.bytes.begin(), ir::PrintType(actual.type),
                            std::to_integer<int>(*a), std::to_integer<int>(*e)));
}

Status Broken(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

Status ExpectCode(std::string_view what, const Status& status, StatusCode code) {
  if (status.code() == code) return {};
  return Broken(fmt::format("{}: got {}{}{}, expected {}", what, ir::StatusCodeName(status.code()),
                            status.ok() ? "" : ": ", status.message(), ir::StatusCodeName(code)));
}

}  // namespace faultline::harness
