// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Edits of programs that keep them whole: what an edit leaves dangling goes too, types downstream
// are inferred again. A result may still fail to verify; whoever proposes it checks.

#ifndef HARNESS_REDUCE_EDIT_H_
#define HARNESS_REDUCE_EDIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ir/program.h"

namespace faultline::harness {

// Without the statements marked, and without what depends on values that are then not made:
// applications go, reads lose the value (and go if none is left), other uses go.
ir::Program WithoutStatements(const ir::Program& program, const std::vector<bool>& removed);

// Uses of `from` become uses of `to`; the statement that makes `from` goes if it makes nothing
// else. Requires equal types.
ir::Program WithReplacedValue(const ir::Program& program, ir::ValueId from, ir::ValueId to);

// The application at `index` becomes inputs of the types of its results, with the given data.
ir::Program WithInputsAt(const ir::Program& program, int index, std::span<const ir::DataPtr> data);

// Maps every extent that is written down (types of inputs, declared types, slice bounds), then
// infers all other types again. Nothing where inference fails.
using ExtentMap = std::function<int64_t(int64_t extent)>;
std::optional<ir::Program> WithMappedExtents(const ir::Program& program, const ExtentMap& map);

// The same with one input's axis changed to `extent`, and whatever follows from it.
std::optional<ir::Program> WithInputExtent(const ir::Program& program, int index, int axis,
                                           int64_t extent);

// Data for `to` that agrees with `data` of type `from` where both have elements.
ir::DataPtr ResizeData(const ir::DataSpec& data, const ir::Type& from, const ir::Type& to);

}  // namespace faultline::harness

#endif  // HARNESS_REDUCE_EDIT_H_
