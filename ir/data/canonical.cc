// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/data/canonical.h"

#include <tuple>

namespace faultline::ir {
namespace {

using Overrides = std::vector<std::pair<int64_t, uint64_t>>;

// An override is about four times as long as an element, so more of them gain nothing.
constexpr size_t kOverridesPart = 8;

// Where `elements` differ from a cycle of their first `period` ones after it has been set to
// `cycle`; nothing if in more than one place of eight.
std::optional<Overrides> Differences(const std::vector<uint64_t>& elements,
                                     const std::vector<uint64_t>& cycle) {
  const size_t most = elements.size() / kOverridesPart;
  Overrides overrides;
  for (size_t i = 0, k = 0; i < elements.size(); ++i) {
    if (elements[i] != cycle[k]) {
      if (overrides.size() == most) return std::nullopt;
      overrides.emplace_back(static_cast<int64_t>(i), elements[i]);
    }
    if (++k == cycle.size()) k = 0;
  }
  return overrides;
}

// The element that more than half of every period-th one are, if there is one (majority vote).
uint64_t Majority(const std::vector<uint64_t>& elements, size_t from, size_t period) {
  uint64_t candidate = 0;
  size_t votes = 0;
  for (size_t i = from; i < elements.size(); i += period) {
    if (votes == 0) candidate = elements[i];
    if (elements[i] == candidate) {
      ++votes;
    } else {
      --votes;
    }
  }
  return candidate;
}

}  // namespace

DataSpec CanonicalData(const DataSpec& data) {
  const size_t count = data.elements.size();
  if (data.form != DataForm::kList || count <= kPrintedListMax || !data.wildcards.empty() ||
      !data.overrides.empty()) {
    return data;
  }
  DataSpec form;
  for (size_t period = 1; period <= kPrintedListMax && 2 * period <= count; ++period) {
    form.elements.clear();
    for (size_t k = 0; k < period; ++k) form.elements.push_back(Majority(data.elements, k, period));
    if (auto overrides = Differences(data.elements, form.elements)) {
      form.form = period == 1 ? DataForm::kConstant : DataForm::kCycle;
      form.overrides = *std::move(overrides);
      return form;
    }
  }
  return data;
}

bool SameFields(const DataSpec& a, const DataSpec& b) {
  const auto fields = [](const DataSpec& d) {
    return std::tie(d.form, d.elements, d.seed, d.parameters, d.overrides, d.codes, d.scales,
                    d.zeros, d.tensor_scale, d.wildcards);
  };
  return fields(a) == fields(b);
}

}  // namespace faultline::ir
