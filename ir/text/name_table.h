// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Names of values that are made so far, while a text is parsed. Views into the text, no allocation
// a name.

#ifndef IR_TEXT_NAME_TABLE_H_
#define IR_TEXT_NAME_TABLE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/program.h"

namespace faultline::ir {

class NameTable {
 public:
  NameTable() : slots_(64) {}

  std::optional<ValueId> Find(std::string_view name) const {
    const Slot& slot = slots_[SlotOf(name)];
    if (slot.value == kNoValue) return std::nullopt;
    return slot.value;
  }

  // Requires that the name is not there.
  void Add(std::string_view name, ValueId value) {
    if (2 * ++count_ > slots_.size()) Grow();
    slots_[SlotOf(name)] = {name, value};
  }

 private:
  struct Slot {
    std::string_view name;
    ValueId value = kNoValue;
  };

  // Where the name is, or where it would be added. The table is never full.
  size_t SlotOf(std::string_view name) const {
    size_t at = HashText(name) & (slots_.size() - 1);
    while (slots_[at].value != kNoValue && slots_[at].name != name) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  void Grow() {
    std::vector<Slot> old(2 * slots_.size());
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.value != kNoValue) slots_[SlotOf(slot.name)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two
  size_t count_ = 0;
};

}  // namespace faultline::ir

#endif  // IR_TEXT_NAME_TABLE_H_
