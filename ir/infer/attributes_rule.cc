// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "ir/infer/rules.h"

namespace faultline::ir {
namespace {

std::string Name(AttributeKey key) { return std::string(InfoOf(key).name); }

Status CheckSpelling(AttributeKey key, std::span<const int64_t> values) {
  const AttributeInfo& info = InfoOf(key);
  switch (info.spelling) {
    case AttributeSpelling::kIntList:
      if (values.size() > static_cast<size_t>(kRankMax)) {
        return Invalid(Name(key) + " names " + std::to_string(values.size()) +
                       " axes, above the rank limit of " + std::to_string(kRankMax));
      }
      return {};
    case AttributeSpelling::kSliceList:
      if (values.size() % 3 != 0) return Invalid(Name(key) + " is no list of triples");
      return {};
    case AttributeSpelling::kInt:
    case AttributeSpelling::kBool:
    case AttributeSpelling::kWord:
      break;
  }
  if (values.size() != 1) {
    return Invalid(Name(key) + " is one value, not " + std::to_string(values.size()));
  }
  if (info.spelling == AttributeSpelling::kInt) return {};
  const auto words = static_cast<int64_t>(info.words.size());
  const int64_t choices = info.spelling == AttributeSpelling::kBool ? 2 : words;
  if (values[0] < 0 || values[0] >= choices) {
    return Invalid(Name(key) + " has no choice " + std::to_string(values[0]));
  }
  return {};
}

}  // namespace

Status CheckAttributes(const OpInfo& info, const Attributes& attributes) {
  for (const Attributes::Entry& entry : attributes.entries()) {
    if (static_cast<int>(entry.key) >= kAttributeKeyCount) return Invalid("unknown attribute");
    if (!info.Takes(entry.key)) return Invalid("takes no attribute " + Name(entry.key));
    FAULTLINE_RETURN_IF_ERROR(CheckSpelling(entry.key, entry.values));
  }
  for (const AttributeKey key : info.attributes()) {
    if (key == AttributeKey::kDimOptional || InfoOf(key).default_value.has_value()) continue;
    if (!attributes.Has(key)) return Invalid("needs the attribute " + Name(key));
  }
  return {};
}

Status CheckDim(int64_t dim, int rank) {
  if (dim >= 0 && dim < rank) return {};
  return Invalid("dim " + std::to_string(dim) + " is out of range for rank " +
                 std::to_string(rank));
}

}  // namespace faultline::ir
