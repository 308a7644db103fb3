// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/form.h"

#include <algorithm>

#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

// Numbers of values stay below this, so that an operand word tells old from new.
constexpr uint32_t kNewMark = 0x80000000u;

constexpr uint32_t Pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a | (b << 8) | (c << 16) | (d << 24);
}
constexpr uint32_t Byte(uint32_t word, int index) { return (word >> (8 * index)) & 0xff; }

}  // namespace

bool SymbolicShape::operator==(const SymbolicShape& other) const {
  return rank == other.rank &&
         std::equal(extents.begin(), extents.begin() + rank, other.extents.begin());
}

void FormWriter::Begin(bool fusion, uint64_t chaos) {
  words_.clear();
  words_.push_back(fusion ? 1 : 0);
  words_.push_back(static_cast<uint32_t>(chaos));
  words_.push_back(static_cast<uint32_t>(chaos >> 32));
  bindings_.extents.assign({0, 1});
  bindings_.scalars.clear();
  bindings_.slices.clear();
  value_count_ = 0;
}

Symbol FormWriter::SymbolOf(int64_t extent) {
  if (extent <= 1) return static_cast<Symbol>(extent);
  Symbol& guess = memo_[static_cast<size_t>(extent) % memo_.size()];
  std::vector<int64_t>& extents = bindings_.extents;
  if (guess < extents.size() && extents[guess] == extent) return guess;
  const auto it = std::find(extents.begin() + 2, extents.end(), extent);
  guess = static_cast<Symbol>(it - extents.begin());
  if (it == extents.end()) extents.push_back(extent);
  return guess;
}

void FormWriter::Element(const ir::ElementType& element) {
  if (!element.quantized()) return;
  const ir::Scheme& scheme = element.scheme;
  words_.push_back(Pack(static_cast<uint32_t>(scheme.value), static_cast<uint32_t>(scheme.store),
                        FAULT(packed_axis_left_out_of_key) ? 0u : scheme.packed_dim,
                        static_cast<uint32_t>(scheme.scale)));
  words_.push_back(Pack(scheme.two_level ? 1 : 0, scheme.block_rank, 0, 0));
  for (int i = 0; i < scheme.block_rank; ++i) {
    words_.push_back(static_cast<uint32_t>(scheme.block[static_cast<size_t>(i)]));
  }
}

void FormWriter::Extents(const ir::Shape& shape) {
  for (int64_t extent : shape) words_.push_back(SymbolOf(extent));
}

void FormWriter::BeginOp(ir::Opcode op, int operand_count, bool moves_codes, bool sibling) {
  words_.push_back(Pack(static_cast<uint32_t>(op), static_cast<uint32_t>(operand_count),
                        moves_codes ? 1 : 0, sibling ? 1 : 0));
}

uint32_t FormWriter::NewOperand(const ir::Type& type, LayoutClass layout, uint8_t broadcast_axes,
                                bool sole_owner, bool survives) {
  if (FAULT(layout_left_out_of_key)) layout = LayoutClass::kContiguous;
  words_.push_back(kNewMark | static_cast<uint32_t>(type.dtype()) |
                   (static_cast<uint32_t>(type.shape.rank()) << 8) |
                   (static_cast<uint32_t>(layout) << 12) | (sole_owner ? 1u << 14 : 0) |
                   (survives ? 1u << 15 : 0) | (static_cast<uint32_t>(broadcast_axes) << 16));
  Element(type.element);
  Extents(type.shape);
  return value_count_++;
}

void FormWriter::Attributes(std::span<const int64_t> runs) {
  const size_t count_at = words_.size();
  words_.push_back(0);
  for (size_t i = 0; i < runs.size();) {
    const auto key = static_cast<ir::AttributeKey>(runs[i]);
    const auto count = static_cast<size_t>(runs[i + 1]);
    const std::span<const int64_t> values = runs.subspan(i + 2, count);
    i += 2 + count;
    ++words_[count_at];
    words_.push_back(static_cast<uint32_t>(key));
    if (key == ir::AttributeKey::kSlices) {
      words_.push_back(static_cast<uint32_t>(count / 3));
      for (size_t j = 0; j < count; j += 3) {
        bindings_.slices.push_back({values[j], values[j + 1], values[j + 2]});
      }
      continue;
    }
    words_.push_back(static_cast<uint32_t>(count));
    for (int64_t value : values) {
      const auto bits = static_cast<uint64_t>(value);
      if (FAULT(attribute_left_out_of_key) && key == ir::AttributeKey::kDescending) {
        words_.push_back(0);
      } else {
        words_.push_back(static_cast<uint32_t>(bits));
      }
      words_.push_back(static_cast<uint32_t>(bits >> 32));
    }
  }
}

uint32_t FormWriter::Result(const ir::Type& type, bool sole_owner, bool survives) {
  words_.push_back(static_cast<uint32_t>(type.dtype()) |
                   (static_cast<uint32_t>(type.shape.rank()) << 8) | (sole_owner ? 1u << 14 : 0) |
                   (survives ? 1u << 15 : 0));
  Element(type.element);
  Extents(type.shape);
  return value_count_++;
}

uint64_t FormWriter::Hash() const {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ words_.size();
  for (uint32_t word : words_) {
    if (FAULT(hash_taken_for_key) && (word & kNewMark) != 0) continue;
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

namespace {

class Reader {
 public:
  explicit Reader(std::span<const uint32_t> words) : words_(words) {}
  bool done() const { return at_ == words_.size(); }
  uint32_t Next() {
    FAULTLINE_CHECK(at_ < words_.size(), "a form ends within an item");
    return words_[at_++];
  }
  ir::ElementType Element(ir::Dtype dtype) {
    if (dtype != ir::Dtype::kQuantized) return dtype;
    const uint32_t first = Next();
    const uint32_t second = Next();
    ir::Scheme scheme;
    scheme.value = static_cast<ir::QValue>(Byte(first, 0));
    scheme.store = static_cast<ir::QStore>(Byte(first, 1));
    scheme.packed_dim = static_cast<uint8_t>(Byte(first, 2));
    scheme.scale = static_cast<ir::ScaleDtype>(Byte(first, 3));
    scheme.two_level = Byte(second, 0) != 0;
    scheme.block_rank = static_cast<uint8_t>(Byte(second, 1));
    for (int i = 0; i < scheme.block_rank; ++i) {
      scheme.block[static_cast<size_t>(i)] = static_cast<int32_t>(Next());
    }
    return ir::ElementType(scheme);
  }
  // What NewOperand and Result have in common.
  FormValue Value(uint32_t word) {
    FormValue value;
    value.sole_owner = (word & (1u << 14)) != 0;
    value.survives = (word & (1u << 15)) != 0;
    value.element = Element(static_cast<ir::Dtype>(word & 0xff));
    value.shape.rank = static_cast<int>((word >> 8) & 0xf);
    for (int i = 0; i < value.shape.rank; ++i) value.shape[i] = Next();
    return value;
  }

 private:
  std::span<const uint32_t> words_;
  size_t at_ = 0;
};

void DecodeAttributes(Reader& reader, FormOp& op, uint32_t& slices) {
  const uint32_t runs = reader.Next();
  for (uint32_t i = 0; i < runs; ++i) {
    const auto key = static_cast<ir::AttributeKey>(reader.Next());
    const uint32_t count = reader.Next();
    if (key == ir::AttributeKey::kSlices) {
      op.first_slice = slices;
      slices += count;
      continue;
    }
    std::vector<int64_t> values;
    values.reserve(count);
    for (uint32_t j = 0; j < count; ++j) {
      const uint64_t low = reader.Next();
      values.push_back(static_cast<int64_t>(low | (static_cast<uint64_t>(reader.Next()) << 32)));
    }
    op.attributes.Set(key, std::move(values));
  }
}

}  // namespace

Segment DecodeForm(std::span<const uint32_t> words) {
  Reader reader(words);
  Segment segment;
  segment.fusion = reader.Next() != 0;
  segment.chaos = reader.Next();
  segment.chaos |= static_cast<uint64_t>(reader.Next()) << 32;
  // An op with its result is some eight words.
  segment.ops.reserve(words.size() / 8);
  segment.values.reserve(words.size() / 8);
  segment.operands.reserve(words.size() / 8);
  uint32_t scalars = 0;
  uint32_t slices = 0;
  while (!reader.done()) {
    const uint32_t head = reader.Next();
    FormOp op;
    op.op = static_cast<ir::Opcode>(Byte(head, 0));
    op.operand_count = Byte(head, 1);
    op.moves_codes = Byte(head, 2) != 0;
    op.sibling = Byte(head, 3) != 0;
    op.first_operand = static_cast<uint32_t>(segment.operands.size());
    for (uint32_t i = 0; i < op.operand_count; ++i) {
      const uint32_t word = reader.Next();
      if ((word & kNewMark) == 0) {
        segment.operands.push_back(word);
        continue;
      }
      FormValue value = reader.Value(word);
      value.layout = static_cast<LayoutClass>((word >> 12) & 3);
      value.broadcast_axes = static_cast<uint8_t>((word >> 16) & 0xff);
      segment.operands.push_back(static_cast<uint32_t>(segment.values.size()));
      segment.values.push_back(value);
    }
    DecodeAttributes(reader, op, slices);
    op.first_scalar = scalars;
    scalars += static_cast<uint32_t>(ir::InfoOf(op.op).scalar_count());
    FormValue result = reader.Value(reader.Next());
    result.producer = static_cast<int32_t>(segment.ops.size());
    op.result = static_cast<uint32_t>(segment.values.size());
    segment.values.push_back(result);
    segment.ops.push_back(std::move(op));
  }
  return segment;
}

}  // namespace faultline::fusion
