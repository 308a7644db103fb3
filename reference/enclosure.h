// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Points: a tensor as the naive evaluation sees it. Enclosure: a tensor of sets, stored as points
// (one array), boxes (two arrays) or pieces (boxes and a side table). Membership is decided here;
// how sets come about is in reference/algebra.h.

#ifndef REFERENCE_ENCLOSURE_H_
#define REFERENCE_ENCLOSURE_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/data.h"
#include "ir/type.h"
#include "reference/contract.h"
#include "reference/held.h"
#include "reference/sets.h"

namespace faultline::reference {

struct Points {
  ir::Type type;
  std::vector<Cell> cells;  // row-major; the codes if quantized
  // Quantized only: raw bits of the block scales, row-major in the grid; zero points; the tensor's
  // scale of a two-level scheme.
  std::vector<uint32_t> scales;
  std::vector<int32_t> zeros;
  std::optional<float> tensor_scale;

  double Float(int64_t i) const { return AsFloat(cells[static_cast<size_t>(i)]); }
  int64_t Int(int64_t i) const { return AsInt(cells[static_cast<size_t>(i)]); }
};
Points HoldTensor(const ir::HostTensor& tensor);
ir::HostTensor StoreTensor(const Points& points);

struct QuantizedSets;

class Enclosure {
 public:
  enum class Kind : uint8_t { kPoints, kBoxes, kPieces };

  Enclosure() = default;
  explicit Enclosure(std::shared_ptr<const Points> points);
  // Boxes to be filled by Put, one for each element, then Finish.
  static Enclosure ToFill(const ir::Type& type);

  Kind kind() const { return kind_; }
  const ir::Type& type() const { return type_; }
  // Dtype of the elements: codes of a quantized tensor count as i32.
  ir::Dtype dtype() const { return type_.quantized() ? ir::Dtype::kI32 : type_.dtype(); }
  bool is_float() const { return ir::IsFloat(dtype()); }
  int64_t size() const { return size_; }

  bool AllPoints() const { return kind_ == Kind::kPoints; }
  bool IsPoint(int64_t i) const {
    if (kind_ == Kind::kPoints) return true;
    const auto k = static_cast<size_t>(i);
    return lo_[k] == hi_[k] && (kind_ == Kind::kBoxes || side_[k] < 0);
  }
  // The cell of a point.
  Cell PointAt(int64_t i) const {
    return kind_ == Kind::kPoints ? points_->cells[static_cast<size_t>(i)]
                                  : lo_[static_cast<size_t>(i)];
  }
  // Floats: whether element i is one finite interval, or a finite point, and nothing else; its
  // ends.
  bool IsBox(int64_t i) const {
    const auto k = static_cast<size_t>(i);
    if (kind_ == Kind::kPoints) return std::isfinite(points_->Float(i));
    return (kind_ == Kind::kBoxes || side_[k] < 0) && std::isfinite(AsFloat(lo_[k]));
  }
  Interval BoxAt(int64_t i) const {
    const auto k = static_cast<size_t>(i);
    if (kind_ == Kind::kPoints) return {points_->Float(i), points_->Float(i)};
    return {AsFloat(lo_[k]), AsFloat(hi_[k])};
  }
  // Whether every finite interval that is no point holds integers only.
  bool integral() const { return kind_ != Kind::kPoints && integral_; }
  FloatSet FloatAt(int64_t i) const;
  IntSet IntAt(int64_t i) const;
  // kPoints only.
  const std::shared_ptr<const Points>& points() const { return points_; }

  // Whether storage bits are admissible at element i. An arithmetic NaN admits every NaN, a moved
  // one only its own bits; a number never passes for NaN nor NaN for a number.
  bool Contains(int64_t i, uint64_t storage_bits) const;
  // "0x1p+0", "[0x1p+0, 0x1.000002p+0]", "{3, 5}".
  std::string Describe(int64_t i) const;

  // For statistics. Nothing is ruled out but what the dtype cannot hold anyway: such an element
  // cannot fail (a bool that may be both counts).
  bool Unbounded(int64_t i) const;
  // Half the hull in ulp of its larger end; 0 for points, infinity where an infinity is a member
  // beside something else. Floats only.
  double RadiusUlp(int64_t i) const;
  int64_t CountPoints() const;

  // Filling. A point of cells, or a set.
  void PutCell(int64_t i, Cell cell) {
    lo_[static_cast<size_t>(i)] = hi_[static_cast<size_t>(i)] = cell;
  }
  // Finite floats from lo to hi.
  void PutBox(int64_t i, Interval box) {
    lo_[static_cast<size_t>(i)] = ToCell(box.lo);
    hi_[static_cast<size_t>(i)] = ToCell(box.hi);
    integral_ = integral_ && ToCell(box.lo) == ToCell(box.hi);
  }
  void Put(int64_t i, const FloatSet& set);
  void Put(int64_t i, const IntSet& set);
  // Closes the filling: if every element is a point the tensor becomes points (`naive`, which has
  // the same values, lends its bits).
  void Finish(const std::shared_ptr<const Points>& naive);

  // result[i] = sources[which[i]][at[i]], for movement; `which` empty means sources[0]. Fills the
  // enclosure of `type` (not the scales of a quantized one).
  static Enclosure Move(const ir::Type& type, const std::vector<const Enclosure*>& sources,
                        const std::vector<int32_t>& which, const std::vector<int64_t>& at);

  // Quantized tensors: this enclosure is over the codes, with the sets of scales beside it (points
  // have theirs from Points).
  void SetQuantized(QuantizedSets sets);
  const QuantizedSets* quantized() const { return quantized_.get(); }
  // Whether a quantized tensor has one possible value for each scale and zero point.
  bool HasPointScales() const;

 private:
  ir::Type type_;
  Kind kind_ = Kind::kPoints;
  bool integral_ = false;  // boxes and pieces: every finite interval holds integers only
  int64_t size_ = 0;
  std::shared_ptr<const Points> points_;
  // A box: lo <= hi finite; a point of any class: equal cells.
  std::vector<Cell> lo_;
  std::vector<Cell> hi_;
  std::vector<int32_t> side_;  // kPieces: index into the table of sets, -1 for a box
  std::vector<FloatSet> float_sets_;
  std::vector<IntSet> int_sets_;
  std::shared_ptr<const QuantizedSets> quantized_;
};

// Scales of a quantized tensor that are not all points, and what they followed from: with a scale
// observed, the sets of what depends on it are sharper than the sets here, which hold for any.
struct QuantizedSets {
  std::shared_ptr<const Enclosure> scales;  // values of the stored block scales; shape of the grid
  FloatSet tensor_scale = FloatSet::Of(1);  // two-level
  std::vector<IntSet> zeros;                // asymmetric, one a scale
  // Null where it is not known, or where nothing depends on it.
  std::shared_ptr<const Enclosure> source;     // what was quantized
  std::shared_ptr<const Enclosure> unrounded;  // two-level: before the division by tensor_scale
  std::shared_ptr<const Enclosure> least;      // asymmetric: each block's least element, at most 0

  bool AllPoints() const;
};

// One element that is not admissible, for evidence.
enum class Part : uint8_t { kElement, kScale, kZeroPoint, kTensorScale, kPadding };
struct Outside {
  Part part = Part::kElement;
  int64_t index = 0;    // in row-major order of the tensor, or of the block grid
  uint64_t actual = 0;  // storage bits (integer codes: two's complement)
  std::string admissible;
  double distance_ulp = 0;  // to the nearest admissible value; floats; infinity between classes
};
struct Membership {
  bool same_type = true;  // type and byte length
  int64_t compared = 0;   // elements, codes and scales
  int64_t exact = 0;      // of these, points
  int64_t vacuous = 0;    // of these, could not fail
  int64_t outside_count = 0;
  std::vector<int64_t> outside_elements;  // every outside index of Part::kElement, ascending
  std::vector<Outside> worst;             // at most kWorstMax, in order of position
  bool ok() const { return same_type && outside_count == 0; }
};
inline constexpr int kWorstMax = 16;
// Holds an observed tensor against an enclosure.
Membership Check(const Enclosure& enclosure, const ir::HostTensor& observed,
                 const Contract& contract);

}  // namespace faultline::reference

#endif  // REFERENCE_ENCLOSURE_H_
