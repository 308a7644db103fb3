// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/enclosure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "ir/base/check.h"
#include "ir/element.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

template <class Element, class Held>
void HoldEach(const std::byte* data, std::vector<Cell>& cells, const Held& held) {
  for (size_t i = 0; i < cells.size(); ++i) {
    Element element;
    std::memcpy(&element, data + i * sizeof(Element), sizeof(Element));
    cells[i] = held(element);
  }
}

// Hold of every element, with the dtype looked at once.
void HoldElements(ir::Dtype dtype, const std::byte* data, std::vector<Cell>& cells) {
  const auto value = [](auto element) { return ToCell(static_cast<int64_t>(element)); };
  const auto slowly = [dtype](auto bits) { return Hold(dtype, bits); };
  switch (dtype) {
    case ir::Dtype::kF64:
    case ir::Dtype::kI64:
    case ir::Dtype::kU64:
      return HoldEach<int64_t>(data, cells, value);
    case ir::Dtype::kF32:
      return HoldEach<float>(data, cells, [](float element) {
        return std::isnan(element) ? Hold(ir::Dtype::kF32, std::bit_cast<uint32_t>(element))
                                   : ToCell(double{element});
      });
    case ir::Dtype::kI32:
      return HoldEach<int32_t>(data, cells, value);
    case ir::Dtype::kI16:
      return HoldEach<int16_t>(data, cells, value);
    case ir::Dtype::kI8:
      return HoldEach<int8_t>(data, cells, value);
    case ir::Dtype::kU32:
      return HoldEach<uint32_t>(data, cells, value);
    case ir::Dtype::kU16:
      return HoldEach<uint16_t>(data, cells, value);
    case ir::Dtype::kU8:
      return HoldEach<uint8_t>(data, cells, value);
    case ir::Dtype::kF16:
    case ir::Dtype::kBf16:
      return HoldEach<uint16_t>(data, cells, slowly);
    case ir::Dtype::kBool:
      return HoldEach<uint8_t>(data, cells, slowly);
    case ir::Dtype::kQuantized:
      break;
  }
  FAULTLINE_CHECK(false, "a quantized tensor is more than its elements");
}

}  // namespace

Points HoldTensor(const ir::HostTensor& tensor) {
  Points points;
  points.type = tensor.type;
  const size_t n = At(tensor.type.NumElements());
  points.cells.resize(n);
  if (tensor.type.quantized()) {
    ir::QuantizedParts parts = ir::DecodeQuantized(tensor);
    for (size_t i = 0; i < n; ++i) points.cells[i] = ToCell(int64_t{parts.codes[i]});
    points.scales = std::move(parts.scales);
    points.zeros = std::move(parts.zeros);
    if (parts.tensor_scale) points.tensor_scale = std::bit_cast<float>(*parts.tensor_scale);
    return points;
  }
  HoldElements(tensor.type.dtype(), tensor.bytes.data(), points.cells);
  return points;
}

ir::HostTensor StoreTensor(const Points& points) {
  if (points.type.quantized()) {
    ir::QuantizedParts parts;
    for (const Cell cell : points.cells) {
      parts.codes.push_back(static_cast<int32_t>(AsInt(cell)));
    }
    parts.scales = points.scales;
    parts.zeros = points.zeros;
    if (points.tensor_scale) parts.tensor_scale = std::bit_cast<uint32_t>(*points.tensor_scale);
    return ir::EncodeQuantized(points.type, parts);
  }
  ir::HostTensor tensor;
  tensor.type = points.type;
  const ir::Dtype dtype = points.type.dtype();
  const size_t bytes = At(ir::ByteSize(dtype));
  tensor.bytes.resize(points.cells.size() * bytes);
  for (size_t i = 0; i < points.cells.size(); ++i) {
    ir::StoreElement(dtype, Store(dtype, points.cells[i]), tensor.bytes.data() + i * bytes);
  }
  return tensor;
}

Enclosure::Enclosure(std::shared_ptr<const Points> points)
    : type_(points->type), size_(type_.NumElements()), points_(std::move(points)) {}

Enclosure Enclosure::ToFill(const ir::Type& type) {
  Enclosure enclosure;
  enclosure.type_ = type;
  enclosure.kind_ = Kind::kBoxes;
  enclosure.integral_ = true;
  enclosure.size_ = type.NumElements();
  enclosure.lo_.resize(At(enclosure.size_));
  enclosure.hi_.resize(At(enclosure.size_));
  return enclosure;
}

void Enclosure::Put(int64_t i, const FloatSet& set) {
  // Put a second time, as where an index is not known, it may be no piece any more.
  if (kind_ == Kind::kPieces) side_[At(i)] = -1;
  if (set.IsPoint()) {
    PutCell(i, ToCell(set.Value()));
    return;
  }
  integral_ = integral_ && (set.integral || set.count == 0);
  if (set.simple()) {
    lo_[At(i)] = ToCell(set.intervals[0].lo);
    hi_[At(i)] = ToCell(set.intervals[0].hi);
    return;
  }
  if (kind_ == Kind::kBoxes) {
    kind_ = Kind::kPieces;
    side_.assign(At(size_), -1);
  }
  side_[At(i)] = static_cast<int32_t>(float_sets_.size());
  float_sets_.push_back(set);
}

void Enclosure::Put(int64_t i, const IntSet& set) {
  if (kind_ == Kind::kPieces) side_[At(i)] = -1;
  const uint64_t width = std::bit_cast<uint64_t>(set.hi) - std::bit_cast<uint64_t>(set.lo);
  if (!set.enumerated() || width + 1 == static_cast<uint64_t>(set.count)) {
    lo_[At(i)] = ToCell(set.lo);
    hi_[At(i)] = ToCell(set.hi);
    return;
  }
  if (kind_ == Kind::kBoxes) {
    kind_ = Kind::kPieces;
    side_.assign(At(size_), -1);
  }
  side_[At(i)] = static_cast<int32_t>(int_sets_.size());
  int_sets_.push_back(set);
}

void Enclosure::Finish(const std::shared_ptr<const Points>& naive) {
  if (kind_ != Kind::kBoxes || lo_ != hi_) return;
  if (!HasPointScales()) return;
  kind_ = Kind::kPoints;
  points_ = naive;
  if (lo_ != naive->cells) {
    // Naive bits that are no member: an index out of range spoils them, where another execution
    // stays inside.
    auto points = std::make_shared<Points>(*naive);
    points->cells = lo_;
    points_ = std::move(points);
  }
  lo_.clear();
  hi_.clear();
  quantized_.reset();
}

FloatSet Enclosure::FloatAt(int64_t i) const {
  if (kind_ == Kind::kPoints) return FloatSet::Of(points_->Float(i));
  if (kind_ == Kind::kPieces && side_[At(i)] >= 0) return float_sets_[At(side_[At(i)])];
  const double lo = AsFloat(lo_[At(i)]);
  if (lo_[At(i)] == hi_[At(i)]) return FloatSet::Of(lo);
  FloatSet set = FloatSet::Between(lo, AsFloat(hi_[At(i)]));
  set.integral = integral_;
  return set;
}

IntSet Enclosure::IntAt(int64_t i) const {
  if (kind_ == Kind::kPoints) return IntSet::Of(points_->Int(i));
  if (kind_ == Kind::kPieces && side_[At(i)] >= 0) return int_sets_[At(side_[At(i)])];
  return IntSet::Between(dtype(), AsInt(lo_[At(i)]), AsInt(hi_[At(i)]));
}

bool Enclosure::Contains(int64_t i, uint64_t storage_bits) const {
  // As an input any byte but 0 is true; a result is written as 0 or 1.
  if (type_.dtype() == ir::Dtype::kBool && storage_bits > 1) return false;
  const Cell cell = type_.quantized() ? storage_bits : Hold(dtype(), storage_bits);
  if (IsPoint(i)) {
    const Cell point = PointAt(i);
    if (is_float() && point == kFreeNan) return std::isnan(AsFloat(cell));
    return cell == point;
  }
  if (is_float()) return FloatAt(i).Contains(AsFloat(cell));
  return IntAt(i).Contains(dtype(), AsInt(cell));
}

std::string Enclosure::Describe(int64_t i) const {
  if (!is_float()) return reference::Describe(dtype(), IntAt(i));
  if (IsPoint(i) && PointAt(i) != kFreeNan) {
    return ir::PrintElement(dtype(), Store(dtype(), PointAt(i)));
  }
  return reference::Describe(dtype(), FloatAt(i));
}

bool Enclosure::Unbounded(int64_t i) const {
  if (IsPoint(i)) return false;
  if (type_.quantized() && ir::IsIntegerCode(type_.scheme().value)) {
    const ir::QValue value = type_.scheme().value;
    const IntSet codes = IntAt(i);
    return codes.lo <= ir::CodeMin(value) && codes.hi >= ir::CodeMax(value) &&
           (!codes.enumerated() || codes.count == codes.hi - codes.lo + 1);
  }
  if (!is_float()) return IntAt(i).IsFull(dtype());
  const FloatSet set = FloatAt(i);
  const double max = FormatOf(dtype()).max;
  return set.count == 1 && set.lo() <= -max && set.hi() >= max;
}

double Enclosure::RadiusUlp(int64_t i) const {
  if (IsPoint(i) || !is_float()) return 0;
  const FloatSet set = FloatAt(i);
  if (!set.finite_only()) return std::numeric_limits<double>::infinity();
  const double larger = std::max(std::fabs(set.lo()), std::fabs(set.hi()));
  return (set.hi() / 2 - set.lo() / 2) / UlpOf(dtype(), larger);
}

int64_t Enclosure::CountPoints() const {
  if (AllPoints()) return size_;
  int64_t count = 0;
  for (int64_t i = 0; i < size_; ++i) count += IsPoint(i) ? 1 : 0;
  return count;
}

Enclosure Enclosure::Move(const ir::Type& type, const std::vector<const Enclosure*>& sources,
                          const std::vector<int32_t>& which, const std::vector<int64_t>& at) {
  Enclosure moved = ToFill(type);
  for (int64_t i = 0; i < moved.size_; ++i) {
    const Enclosure& source = *sources[which.empty() ? 0 : At(which[At(i)])];
    const int64_t from = at[At(i)];
    if (source.IsPoint(from)) {
      moved.PutCell(i, source.PointAt(from));
    } else if (moved.is_float()) {
      moved.Put(i, source.FloatAt(from));
    } else {
      moved.Put(i, source.IntAt(from));
    }
  }
  return moved;
}

void Enclosure::SetQuantized(QuantizedSets sets) {
  quantized_ = std::make_shared<const QuantizedSets>(std::move(sets));
}

bool Enclosure::HasPointScales() const { return quantized_ == nullptr || quantized_->AllPoints(); }

bool QuantizedSets::AllPoints() const {
  return scales->AllPoints() && tensor_scale.IsPoint() &&
         std::ranges::all_of(zeros, &IntSet::IsPoint);
}

}  // namespace faultline::reference
