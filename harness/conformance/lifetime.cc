// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Law 5: after the last drop nothing is alive.

#include <array>
#include <vector>

#include "harness/conformance/client.h"
#include "harness/conformance/conformance.h"

namespace faultline::harness {
namespace {

using ir::Opcode;

Held NothingAtTheStart(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  return client.Close();
}

Held UnreadValuesDie(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(Handle value, client.Input("f32[33]"));
  for (int i = 0; i < 20; ++i) {
    FAULTLINE_ASSIGN_OR_RETURN(const Handle next, client.Apply(Opcode::kNeg, std::array{value}));
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Drop(value));
    value = next;
  }
  return client.Close();
}

Held ClonesCount(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle value, client.Input("q8s[4,4]"));
  std::vector<Handle> clones;
  for (int i = 0; i < 5; ++i) {
    client.UseStream(i);
    FAULTLINE_ASSIGN_OR_RETURN(const Handle clone, client.Clone(value));
    clones.push_back(clone);
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Drop(value));
  const LiveCounts live = client.session().Live();
  if (live.handles != 5 || live.bytes <= 0) {
    return std::unexpected(
        Broken("five clones are alive, but Live() counts another number of "
               "handles, or no bytes"));
  }
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(clones));
  for (const ir::HostTensor& tensor : tensors) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        ExpectTensor("a clone of a dropped handle", tensor, Client::Counting("q8s[4,4]")));
  }
  return client.Close();
}

// Dropped on another stream than it was made on, before anything forced it.
Held DropsFromOtherStreams(Backend& backend, const SessionOptions& options) {
  FAULTLINE_ASSIGN_OR_RETURN(Client client, Client::Open(backend, options));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle a, client.Input("f32[8]"));
  FAULTLINE_ASSIGN_OR_RETURN(const Handle n, client.Apply(Opcode::kNeg, std::array{a}));
  client.UseStream(3);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Drop(a));
  client.UseStream(5);
  FAULTLINE_ASSIGN_OR_RETURN(const Handle p, client.Apply(Opcode::kNeg, std::array{n}));
  client.UseStream(0);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(client.Drop(n));
  FAULTLINE_ASSIGN_OR_RETURN(const auto tensors, client.Read(std::array{p}));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      ExpectTensor("neg of neg", tensors[0], Client::Counting("f32[8]")));
  return client.Close();
}

constexpr auto kChecks = std::to_array<ConformanceCheck>({
    {5, "nothing_at_the_start", "a new session holds nothing", NothingAtTheStart},
    {5, "unread_values_die", "a chain that nothing reads leaves nothing behind", UnreadValuesDie},
    {5, "clones_count", "clones keep a value alive, each counts as a handle", ClonesCount},
    {5, "drops_from_other_streams", "a drop on another stream frees and overtakes nothing",
     DropsFromOtherStreams},
});

}  // namespace

std::span<const ConformanceCheck> LifetimeChecks() { return kChecks; }

}  // namespace faultline::harness
