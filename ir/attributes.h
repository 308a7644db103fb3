// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Attributes of a statement: what is part of a plan's key, as against scalars, which are run-time
// parameters. Every attribute is a list of integers; its key says how it is spelled.

#ifndef IR_ATTRIBUTES_H_
#define IR_ATTRIBUTES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace faultline::ir {

enum class Update : uint8_t { kAssign, kAdd, kMul, kMin, kMax, kOr };
enum class Range : uint8_t { kMinMax, kAbsMean };
enum class NormOrder : uint8_t { kOne, kTwo, kInfinity };

// One axis of a slice, as written. Bounds are normalised as Python does for a positive step; a
// negative step walks the set [start, stop) from stop - 1 downward.
struct SliceTriple {
  int64_t start = 0;
  int64_t stop = 0;
  int64_t step = 1;
  bool operator==(const SliceTriple&) const = default;
};

// A slice axis against an extent: first element, element step, number of elements.
struct SliceWalk {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
};
SliceWalk NormalizeSlice(const SliceTriple& slice, int64_t extent);

// How the value of a key is spelled: `dim=1`, `axes=[1,0]`, `slices=[0:4:1]`, `descending=true`,
// `update=add`.
enum class AttributeSpelling : uint8_t { kInt, kIntList, kSliceList, kBool, kWord };

struct AttributeInfo {
  AttributeKey key;
  std::string_view name;
  AttributeSpelling spelling;
  // Without a default the attribute must be written (kDimOptional: may be absent). A value equal to
  // the default is not printed.
  std::optional<int64_t> default_value;
  std::span<const std::string_view> words;  // kWord: spelling of 0, 1, ...
};
const AttributeInfo& InfoOf(AttributeKey key);

// Values by key; absent keys read as their default.
class Attributes {
 public:
  bool Has(AttributeKey key) const;
  // Value of an int, bool or word key; the default if absent (0 where there is none).
  int64_t Int(AttributeKey key) const;
  std::span<const int64_t> List(AttributeKey key) const;
  std::vector<SliceTriple> Slices() const;
  void Set(AttributeKey key, int64_t value);
  void Set(AttributeKey key, std::vector<int64_t> values);
  void SetSlices(std::span<const SliceTriple> slices);
  void Clear(AttributeKey key);
  bool empty() const { return entries_.empty(); }

  // dim of a reduction, scan, ...: kDim or kDimOptional.
  int64_t dim() const {
    return Has(AttributeKey::kDim) ? Int(AttributeKey::kDim) : Int(AttributeKey::kDimOptional);
  }
  bool has_dim() const { return Has(AttributeKey::kDim) || Has(AttributeKey::kDimOptional); }

  // Sorted by key; defaults are not stored, so equality is equality of meaning.
  struct Entry {
    AttributeKey key;
    std::vector<int64_t> values;
    bool operator==(const Entry&) const = default;
  };
  std::span<const Entry> entries() const { return entries_; }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace faultline::ir

#endif  // IR_ATTRIBUTES_H_
