// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 1: a read is a transaction over any mix of handles, in the order asked, all or nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"

namespace faultline::harness {
namespace {

using ir::Opcode;
using ir::StatusCode;

// Reads inputs of these types in this order and expects each back as it was given. Stream i makes
// input i and `reader` reads all.
Held ReadInputs(Backend& backend, const SessionOptions& options,
                std::span<const std::string_view> types, int streams, int reader) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  std::vector<Handle> handles;
  for (size_t i = 0; i < types.size(); ++i) {
    client.UseStream(static_cast<int>(i) % streams);
    FAULTLINE_ASSIGN_OR_RETURN(const Handle handle, client.Input(types[i]));
    handles.push_back(handle);
  }
  client.UseStream(reader);
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(handles));
  for (size_t i = 0; i < types.size(); ++i) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor(fmt::format("tensor {} of the read", i),
                                                      tensors[i], Client::Counting(types[i])));
  }
  return client.Close();
}

template <size_t N>
Held ReadInputs(Backend& backend, const SessionOptions& options,
                const std::array<std::string_view, N>& types) {
  return ReadInputs(backend, options, types, 1, 0);
}

Held ReadsEveryKind(Backend& backend, const SessionOptions& options) {
  constexpr std::array<std::string_view, 4> kKinds = {"q8s[3,5]", "f32[4]", "i32[2,2]", "bool[7]"};
  std::array<size_t, 4> order = {0, 1, 2, 3};
  do {
    std::array<std::string_view, 4> types;
    for (size_t i = 0; i < order.size(); ++i) types[i] = kKinds[order[i]];
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(StatusOf(ReadInputs(backend, options, types)));
  } while (std::next_permutation(order.begin(), order.end()));
  return Holds();
}

Held ReadsEveryDtype(Backend& backend, const SessionOptions& options) {
  return ReadInputs(backend, options,
                    std::to_array<std::string_view>(
                        {"f64[3]", "f32[3]", "f16[3]", "bf16[3]", "i64[3]", "i32[3]", "i16[3]",
                         "i8[3]", "u64[3]", "u32[3]", "u16[3]", "u8[3]", "bool[3]"}));
}

Held ReadsQuantizedOnly(Backend& backend, const SessionOptions& options) {
  return ReadInputs(
      backend, options,
      std::to_array<std::string_view>({"q8s[3,3]", "q4s[3,3]", "q2s[5]", "q8f<block=[4]>[2,8]",
                                       "q8s<store=native>[9]", "q4f<block=[2,3]>[4,7]"}));
}

Held ReadsNothing(Backend& backend, const SessionOptions& options) {
  return ReadInputs(backend, options, std::array<std::string_view, 0>{});
}

Held ReadsEmptyTensors(Backend& backend, const SessionOptions& options) {
  return ReadInputs(
      backend, options,
      std::to_array<std::string_view>({"f32[0]", "i64[2,0,3]", "f32[]", "q8s[0]", "bool[0,4]"}));
}

Held ReadsOtherStreams(Backend& backend, const SessionOptions& options) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"f32[5]", "q8s[4]", "i32[3]", "bool[2]", "f32[9]", "q4s[3,3]"});
  return ReadInputs(backend, options, kTypes, 3, 7);
}

Held ReadsManyAtOnce(Backend& backend, const SessionOptions& options) {
  constexpr std::array<std::string_view, 4> kKinds = {"f32[3]", "q8s[6]", "i64[2]", "bool[5]"};
  std::vector<std::string_view> types;
  for (int i = 0; i < ir::kReadValuesMax; ++i) types.push_back(kKinds[static_cast<size_t>(i % 4)]);
  return ReadInputs(backend, options, types, 2, 0);
}

Held ReadsDuplicates(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle q, client.Input("q8s[3,3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle f, client.Input("f32[3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle n, client.Apply(Opcode::kNeg, std::array{f}));
  const std::array<Handle, 6> order = {n, q, n, f, q, n};
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(order));
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (order[i] != order[j]) continue;
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
          ExpectTensor(fmt::format("tensor {}, which is tensor {}", i, j), tensors[i], tensors[j]));
    }
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor("%f", tensors[3], Client::Counting("f32[3]")));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("%q", tensors[1], Client::Counting("q8s[3,3]")));
  return client.Close();
}

Held ReadsPendingViews(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  ir::Attributes flip;
  flip.Set(ir::AttributeKey::kAxes, std::vector<int64_t>{1, 0});
  FAULTLINE_ASSIGN_OR_RETURN(const Handle f, client.Input("i32[2,3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle q, client.Input("q8s[2,3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle t, client.Apply(Opcode::kPermute, std::array{f}, flip));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle b, client.Apply(Opcode::kPermute, std::array{t}, flip));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle r,
                             client.Apply(Opcode::kReshape, std::array{q}, {}, "q8s[2,3]"));
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(std::array{r, b}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("a reshape to its own shape", tensors[0], Client::Counting("q8s[2,3]")));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("a permutation undone", tensors[1], Client::Counting("i32[2,3]")));
  return client.Close();
}

// A value spoiled by an index that is out of range.
ir::Result<Handle> SpoiledValue(Client& client) {
  FAULTLINE_ASSIGN_OR_RETURN(const Handle x, client.Input("f32[4]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle index, client.Input("i64[4]"));  // 1, 2, 3, 4
  ir::Attributes dim;
  dim.Set(ir::AttributeKey::kDim, 0);
  return client.Apply(Opcode::kSelect, std::array{x, index}, dim);
}

Held ReadsAllOrNothing(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle good, client.Input("q8s[5]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle bad, SpoiledValue(client));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle worse, client.Apply(Opcode::kNeg, std::array{bad}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Sync());
  for (const auto& handles : {std::vector{good, worse}, std::vector{bad}, std::vector{worse}}) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectCode("a read that names a spoiled value",
                                                    StatusOf(client.Read(handles)),
                                                    StatusCode::kIndexOutOfRange));
  }
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(std::array{good}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("a read of another value after that", tensors[0], Client::Counting("q8s[5]")));
  return client.Close();
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {1, "read_every_kind", "quantized, float, int and bool in each of their 24 orders",
     ReadsEveryKind},
    {1, "read_every_dtype", "the thirteen plain dtypes in one transaction", ReadsEveryDtype},
    {1, "read_quantized_only", "schemes, stores and blocks without a plain tensor",
     ReadsQuantizedOnly},
    {1, "read_nothing", "the empty transaction succeeds", ReadsNothing},
    {1, "read_empty_tensors", "tensors of no elements and of rank 0", ReadsEmptyTensors},
    {1, "read_other_streams", "handles of three streams, read on a fourth", ReadsOtherStreams},
    {1, "read_many", "64 handles at once", ReadsManyAtOnce},
    {1, "read_duplicates", "a handle named several times gives the same each time",
     ReadsDuplicates},
    {1, "read_pending_views", "views that nothing has forced yet", ReadsPendingViews},
    {1, "read_all_or_nothing", "a spoiled value fails its read alone", ReadsAllOrNothing},
});

}  // namespace

std::span<const ConformanceCheck> TransactionChecks() { return kChecks; }

}  // namespace faultline::harness
