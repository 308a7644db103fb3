// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Identities that a tensor engine keeps by itself: two programs, or a program and a fact, that have
// to agree whatever the values are. Nothing here asks the reference.

#ifndef TESTS_PROPERTY_METAMORPHIC_IDENTITY_H_
#define TESTS_PROPERTY_METAMORPHIC_IDENTITY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/backend/backend.h"
#include "ir/data.h"
#include "ir/program.h"

namespace faultline::harness {

using Broken = std::optional<std::string>;

struct Identity {
  std::string_view name;
  // The seeded fault of fusion/faults.def that it has to notice.
  std::string_view fault;
  // How the identity is broken for this seed; empty if it holds, nothing if the seed says nothing.
  Broken (*broken)(Backend& backend, uint64_t seed);
};

std::span<const Identity> ArrangementIdentities();
std::span<const Identity> EngineIdentities();
std::span<const Identity> OpIdentities();
std::span<const Identity> ShapeIdentities();

// What was read, by name, every NaN as the same one; nothing if some call failed (an index out of
// range, say).
using Results = std::map<std::string, ir::HostTensor>;
std::optional<Results> RunFor(const ir::Program& program, Backend& backend);

// The first value of `before` that differs in `after`, in words; empty if there is none. Values
// that only one of them has do not count.
std::string Difference(const Results& before, const Results& after);

// Case `seed` of the generator, for the backend, without errors on purpose.
ir::Program GenerateFor(const Backend& backend, uint64_t seed);
// Parsed and verified.
ir::Program ParseProgram(const std::string& body);

}  // namespace faultline::harness

#endif  // TESTS_PROPERTY_METAMORPHIC_IDENTITY_H_
