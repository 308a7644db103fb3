// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 6: a value has one value. Here the values may be inexact: what is compared is one value with
// itself, seen by several readers and consumers.

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"
#include "ir/element.h"

namespace faultline::harness {
namespace {

using ir::HostTensor;
using ir::Opcode;

// exp of counting numbers: nothing that is exact by accident.
ir::Result<Handle> Inexact(Client& client, std::string_view type) {
  FAULTLINE_ASSIGN_OR_RETURN(const Handle x, client.Input(type));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle r, client.Apply(Opcode::kRecip, std::array{x}));
  return client.Apply(Opcode::kExp, std::array{r});
}

Held ReadTwice(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle e, Inexact(client, "f32[37]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle c, client.Clone(e));
  FAULTLINE_ASSIGN_OR_RETURN(const auto first, client.Read(std::array{e}));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle s, client.Apply(Opcode::kSum, std::array{e}));
  FAULTLINE_ASSIGN_OR_RETURN(const auto second, client.Read(std::array{s, c, e}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor("a clone, later", second[1], first[0]));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor("the handle, later", second[2], first[0]));
  return client.Close();
}

// neg is exact: what its consumer saw is what the reader sees, with the sign turned.
Held ConsumedAsRead(Backend& backend, const SessionOptions& options) {
  for (const std::string_view type : {"f32[37]", "f16[37]", "bf16[37]", "f64[37]"}) {
    FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
    FAULTLINE_ASSIGN_OR_RETURN(const Handle e, Inexact(client, type));
    FAULTLINE_ASSIGN_OR_RETURN(const Handle n, client.Apply(Opcode::kNeg, std::array{e}));
    FAULTLINE_ASSIGN_OR_RETURN(auto tensors, client.Read(std::array{n, e}));
    HostTensor turned = tensors[0];
    const ir::Dtype dtype = turned.type.dtype();
    for (int64_t i = 0; i < turned.type.NumElements(); ++i) {
      std::byte* at = turned.bytes.data() + i * ir::ByteSize(dtype);
      const uint64_t sign = uint64_t{1} << (ir::BitWidth(dtype) - 1);
      ir::StoreElement(dtype, ir::LoadElement(dtype, at) ^ sign, at);
    }
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        ExpectTensor(fmt::format("{}, as neg saw it", type), turned, tensors[1]));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(StatusOf(client.Close()));
  }
  return Holds();
}

// A narrow value that a wider consumer takes was rounded first: widening it is exact.
Held ConsumedRounded(Backend& backend, const SessionOptions& options) {
  for (const std::string_view type : {"f16[37]", "bf16[37]"}) {
    FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
    FAULTLINE_ASSIGN_OR_RETURN(const Handle e, Inexact(client, type));
    FAULTLINE_ASSIGN_OR_RETURN(const Handle w,
                               client.Apply(Opcode::kCast, std::array{e}, {}, "f64[37]"));
    FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(std::array{w, e}));
    const HostTensor& narrow = tensors[1];
    HostTensor widened = tensors[0];
    const ir::Dtype dtype = narrow.type.dtype();
    for (int64_t i = 0; i < narrow.type.NumElements(); ++i) {
      const double value = ir::ToDouble(
          dtype, ir::LoadElement(dtype, narrow.bytes.data() + i * ir::ByteSize(dtype)));
      ir::StoreElement(ir::Dtype::kF64, ir::FromDouble(ir::Dtype::kF64, value),
                       widened.bytes.data() + i * 8);
    }
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        ExpectTensor(fmt::format("{}, widened by a consumer", type), tensors[0], widened));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(StatusOf(client.Close()));
  }
  return Holds();
}

Held QuantizedAsDequantized(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle e, Inexact(client, "f32[5,8]"));
  FAULTLINE_ASSIGN_OR_RETURN(
      const Handle q, client.Apply(Opcode::kQuantize, std::array{e}, {}, "q8s<block=[4]>[5,8]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle d,
                             client.Apply(Opcode::kDequantize, std::array{q}, {}, "f32[5,8]"));
  FAULTLINE_ASSIGN_OR_RETURN(const auto first, client.Read(std::array{d, q}));
  FAULTLINE_ASSIGN_OR_RETURN(const auto second, client.Read(std::array{q, d}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor("codes, read again", second[0], first[1]));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor("floats, read again", second[1], first[0]));
  return client.Close();
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {6, "read_twice", "a handle and its clone give the same bits, before and after other work",
     ReadTwice},
    {6, "consumed_as_read", "a consumer sees the bits that a reader sees", ConsumedAsRead},
    {6, "consumed_rounded", "a narrow value is rounded before a wider consumer takes it",
     ConsumedRounded},
    {6, "quantized_read_again", "a quantized read changes nothing", QuantizedAsDequantized},
});

}  // namespace

std::span<const ConformanceCheck> OneValueChecks() { return kChecks; }

}  // namespace faultline::harness
