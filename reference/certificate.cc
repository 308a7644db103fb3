// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/certificate.h"

#include <memory>
#include <vector>

#include "reference/order.h"
#include "reference/quantized.h"
#include "reference/rows.h"
#include "reference/seen_operands.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// The least key beyond; nothing is beyond the last one.
std::optional<SortKey> Next(SortKey key) {
  if (key.number < INT64_MAX) return SortKey{key.nan, key.number + 1};
  if (key.nan) return std::nullopt;
  return SortKey{true, INT64_MIN};
}

// The least key at which element i can stand behind the one before it, which has `key` at position
// `before`: equal keys stand in the order of their positions.
std::optional<SortKey> LeastBehind(SortKey key, int64_t before, int64_t i) {
  if (i > before) return key;
  return Next(key);
}

std::vector<Row> RowsOf(const ir::Shape& shape, const ir::Attributes& attributes) {
  std::vector<Row> rows;
  if (attributes.has_dim()) {
    ForEachRowAlong(shape, attributes.dim(), [&](int64_t, const Row& row) { rows.push_back(row); });
  } else {
    rows.push_back({0, 1, shape.NumElements()});
  }
  return rows;
}

class OrderCheck {
 public:
  OrderCheck(const ir::Statement& application, const Enclosure& operand)
      : direction_(DirectionOf(application.op, application.attributes)), operand_(operand) {}

  // Elements `indices` of the row, in this order, come before all the others; their values, if
  // given, are those observed. Returns the reason why not, and at which of them.
  //
  // Each element in turn takes the least key that it can have behind the one before: if an order
  // exists at all, it exists with these keys, for a lesser key never hinders what comes later.
  std::optional<std::string> Check(const Row& row, std::span<const int64_t> indices,
                                   std::span<const SortKey> values, int64_t* place) {
    std::vector<bool> taken(At(row.count), false);
    std::optional<SortKey> key;
    int64_t before = 0;
    for (size_t k = 0; k < indices.size(); ++k) {
      *place = static_cast<int64_t>(k);
      const int64_t i = indices[k];
      if (i < 0 || i >= row.count) return "names no element";
      if (taken[At(i)]) return "names an element a second time";
      taken[At(i)] = true;
      KeyRange range = KeyRangeOf(operand_, row[i], direction_);
      if (!values.empty()) {
        if (values[k] < range.lo || range.hi < values[k]) return "is not where the value stands";
        range = {values[k], values[k]};
      }
      SortKey least = range.lo;
      if (key.has_value()) {
        const auto behind = LeastBehind(*key, before, i);
        if (!behind.has_value()) return "comes too late";
        least = std::max(least, *behind);
      }
      if (range.hi < least) return "comes too late";
      key = least;
      before = i;
    }
    if (!key.has_value()) return std::nullopt;
    for (int64_t i = 0; i < row.count; ++i) {
      if (taken[At(i)]) continue;
      const auto behind = LeastBehind(*key, before, i);
      if (!behind.has_value() || KeyRangeOf(operand_, row[i], direction_).hi < *behind) {
        return "stands where element " + std::to_string(i) + " of the row must come first";
      }
    }
    return std::nullopt;
  }

 private:
  Direction direction_;
  const Enclosure& operand_;
};

// Whether values are moved or compared as they are read, so that they can be held against the
// elements they come from.
bool MovesWhatIsRead(const Contract& contract) {
  return contract.one_value && !contract.contraction && !contract.wider_intermediates &&
         !contract.may_flush && contract.nan_rule == NanRule::kPropagate;
}

// Of floats, as the op may see them, or of ints.
std::optional<Uncertified> CheckOrderOfSeen(const ir::Statement& application,
                                            const Enclosure& operand,
                                            std::span<const ir::HostTensor* const> results,
                                            const Contract& contract) {
  const size_t last = results.size() - 1;
  const Points indices = HoldTensor(*results[last]);
  std::optional<Points> values;
  const bool compares = last > 0 && results[0] != nullptr && !results[0]->type.quantized();
  if (compares && MovesWhatIsRead(contract)) {
    values = HoldTensor(*results[0]);
  }
  const Direction direction = DirectionOf(application.op, application.attributes);
  const std::vector<Row> from = RowsOf(operand.type().shape, application.attributes);
  const std::vector<Row> to = RowsOf(indices.type.shape, application.attributes);
  OrderCheck check(application, operand);
  std::vector<int64_t> row_indices;
  std::vector<SortKey> row_values;
  for (size_t r = 0; r < from.size(); ++r) {
    row_indices.clear();
    row_values.clear();
    for (int64_t k = 0; k < to[r].count; ++k) {
      row_indices.push_back(indices.Int(to[r][k]));
      if (!values.has_value()) continue;
      row_values.push_back(KeyOf(values->type.dtype(), values->cells[At(to[r][k])], direction));
    }
    int64_t place = 0;
    const auto reason = check.Check(from[r], row_indices, row_values, &place);
    if (reason.has_value()) return Uncertified{last, to[r][place], *reason};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Uncertified> CheckOrder(const ir::Statement& application, const Enclosure& operand,
                                      std::span<const ir::HostTensor* const> results,
                                      const Contract& contract) {
  const size_t last = results.size() - 1;
  if (!ir::IsIndexResult(application.op, last) || results[last] == nullptr) return std::nullopt;
  // From points every result is a point.
  if (operand.AllPoints() && !contract.may_flush) return std::nullopt;
  if (operand.type().quantized()) {
    // The op orders what the codes decode to.
    auto unused = std::make_shared<Points>();
    unused->type = {ir::Dtype::kF32, operand.type().shape};
    unused->cells.resize(At(operand.size()));
    return CheckOrder(application, Decoded(contract, operand, unused), results, contract);
  }
  if (contract.may_flush && operand.is_float()) {
    return CheckOrderOfSeen(application, Flushed(contract, operand), results, contract);
  }
  return CheckOrderOfSeen(application, operand, results, contract);
}

}  // namespace faultline::reference
