// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Holds observed tensors against enclosures, element by element, codes and scales apart (rule R7 of
// the oracle for quantized tensors).

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ir/element.h"
#include "reference/enclosure.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

size_t At(int64_t i) { return static_cast<size_t>(i); }

double DistanceUlp(ir::Dtype dtype, const FloatSet& set, double actual) {
  if (!std::isfinite(actual) || set.count == 0) return kInfinity;
  double distance = kInfinity;
  for (size_t i = 0; i < At(set.count); ++i) {
    const auto [lo, hi] = set.intervals[i];
    const double gap = actual < lo ? lo - actual : actual > hi ? actual - hi : 0;
    const double end = actual < lo ? lo : hi;
    distance = std::min(distance, gap / UlpOf(dtype, std::max(std::fabs(end), std::fabs(actual))));
  }
  return distance;
}

// Whether each cell, stored as an element of type `Bits`, is what lies at `data`.
template <typename Bits, typename StoreCell>
bool AllStored(const std::vector<Cell>& cells, const std::byte* data, StoreCell store) {
  bool same = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    Bits bits = 0;
    std::memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
    same &= bits == store(cells[i]);
  }
  return same;
}

// Most tensors are points, and right: one plain loop finds that out. False also where the loop
// cannot tell (narrow floats, an f32 NaN): then elements are looked at one by one.
bool IsStored(const Points& points, const std::byte* data) {
  const ir::Dtype dtype = points.type.dtype();
  const std::vector<Cell>& cells = points.cells;
  if (dtype == ir::Dtype::kF32) {
    bool nan = false;
    const bool same = AllStored<uint32_t>(cells, data, [&nan](Cell cell) {
      nan |= std::isnan(AsFloat(cell));
      return std::bit_cast<uint32_t>(static_cast<float>(AsFloat(cell)));
    });
    return same && !nan;
  }
  if (ir::IsFloat(dtype) && dtype != ir::Dtype::kF64) return false;
  switch (ir::ByteSize(dtype)) {
    case 1:
      return AllStored<uint8_t>(cells, data, [](Cell cell) { return static_cast<uint8_t>(cell); });
    case 2:
      return AllStored<uint16_t>(cells, data,
                                 [](Cell cell) { return static_cast<uint16_t>(cell); });
    case 4:
      return AllStored<uint32_t>(cells, data,
                                 [](Cell cell) { return static_cast<uint32_t>(cell); });
    default:
      return AllStored<uint64_t>(cells, data, [](Cell cell) { return cell; });
  }
}

class Checker {
 public:
  explicit Checker(Membership& membership) : membership_(membership) {}

  void Elements(const Enclosure& enclosure, const ir::HostTensor& observed) {
    const ir::Dtype dtype = enclosure.dtype();
    const size_t bytes = At(ir::ByteSize(dtype));
    const std::byte* data = observed.bytes.data();
    if (enclosure.AllPoints() && IsStored(*enclosure.points(), data)) {
      membership_.compared += enclosure.size();
      membership_.exact += enclosure.size();
      return;
    }
    for (int64_t i = 0; i < enclosure.size(); ++i) {
      const uint64_t bits = ir::LoadElement(dtype, data + At(i) * bytes);
      Count(enclosure, i);
      if (enclosure.Contains(i, bits)) continue;
      Outside outside{Part::kElement, i, bits, enclosure.Describe(i), 0};
      if (enclosure.is_float()) {
        outside.distance_ulp = DistanceUlp(dtype, enclosure.FloatAt(i), AsFloat(Hold(dtype, bits)));
      }
      Note(std::move(outside));
    }
  }

  void Scales(const Enclosure& codes, const ir::QuantizedParts& parts, const Contract& contract) {
    if (codes.AllPoints()) return PointScales(*codes.points(), parts);
    const ir::Scheme& scheme = codes.type().scheme();
    const QuantizedSets& sets = *codes.quantized();
    const float tensor_scale = TensorScaleOf(parts);
    if (parts.tensor_scale) {
      CountSet(sets.tensor_scale.IsPoint());
      if (!sets.tensor_scale.Contains(double{tensor_scale})) {
        NoteScale(Part::kTensorScale, 0, *parts.tensor_scale, tensor_scale, sets.tensor_scale);
      }
    }
    for (size_t i = 0; i < parts.scales.size(); ++i) {
      const auto block = static_cast<int64_t>(i);
      const float actual = DecodeScale(scheme.scale, parts.scales[i]);
      const FloatSet set = sets.unrounded == nullptr
                               ? sets.scales->FloatAt(block)
                               : StoredScaleSet(scheme, contract, sets.unrounded->FloatAt(block),
                                                FloatSet::Of(double{tensor_scale}));
      CountSet(set.IsPoint());
      if (!set.Contains(double{actual})) {
        NoteScale(Part::kScale, block, parts.scales[i], actual, set);
      }
      if (parts.zeros.empty()) continue;
      const IntSet zeros = sets.least == nullptr
                               ? sets.zeros[i]
                               : ZeroSet(scheme.value, contract, sets.least->FloatAt(block),
                                         FloatSet::Of(double{actual}));
      CountSet(zeros.IsPoint());
      if (!zeros.Contains(ir::Dtype::kI32, parts.zeros[i])) {
        Note({Part::kZeroPoint, block, ToCell(int64_t{parts.zeros[i]}),
              Describe(ir::Dtype::kI32, zeros), 0});
      }
    }
  }

  // Codes that the enclosure holds by itself: the scales are points, or there is no telling which
  // values were quantized.
  void Codes(const Enclosure& codes, const ir::QuantizedParts& parts) {
    for (int64_t i = 0; i < codes.size(); ++i) {
      Count(codes, i);
      const int64_t actual = parts.codes[At(i)];
      if (codes.Contains(i, ToCell(actual))) continue;
      Note({Part::kElement, i, ToCell(actual), codes.Describe(i), 0});
    }
  }

  // With the observed scales taken as given, the codes of the quantized values at the ends of their
  // sets, and what lies between.
  void CodesGivenScales(const Enclosure& codes, const ir::QuantizedParts& parts,
                        const Contract& contract) {
    const ir::Scheme& scheme = codes.type().scheme();
    const Enclosure& source = *codes.quantized()->source;
    const std::vector<int64_t> scale_of = ScaleIndices(scheme, codes.type().shape);
    const float tensor_scale = TensorScaleOf(parts);
    for (int64_t i = 0; i < codes.size(); ++i) {
      const size_t block = At(scale_of[At(i)]);
      const float scale = EffectiveScale(scheme, parts.scales[block], tensor_scale);
      const int32_t zero = parts.zeros.empty() ? 0 : parts.zeros[block];
      const IntSet ranks = AdmissibleRanks(scheme.value, contract, source.FloatAt(i),
                                           FloatSet::Of(double{scale}), IntSet::Of(zero));
      const int32_t actual = parts.codes[At(i)];
      CountSet(ranks.IsPoint());
      if (ranks.Contains(ir::Dtype::kI32, RankOfCode(scheme.value, actual))) continue;
      const auto print = [&](int64_t rank) {
        return std::to_string(CodeOfRank(scheme.value, static_cast<int32_t>(rank)));
      };
      std::string admissible = "[" + print(ranks.lo) + ", " + print(ranks.hi) + "]";
      if (ranks.IsPoint()) admissible = print(ranks.lo);
      Note({Part::kElement, i, ToCell(int64_t{actual}), std::move(admissible), 0});
    }
  }

 private:
  static float TensorScaleOf(const ir::QuantizedParts& parts) {
    return parts.tensor_scale ? std::bit_cast<float>(*parts.tensor_scale) : 1.0f;
  }

  // Bit by bit.
  void PointScales(const Points& points, const ir::QuantizedParts& parts) {
    const ir::ScaleDtype dtype = points.type.scheme().scale;
    for (size_t i = 0; i < parts.scales.size(); ++i) {
      const auto block = static_cast<int64_t>(i);
      CountSet(true);
      if (parts.scales[i] != points.scales[i]) {
        NoteScale(Part::kScale, block, parts.scales[i], DecodeScale(dtype, parts.scales[i]),
                  FloatSet::Of(double{DecodeScale(dtype, points.scales[i])}));
      }
      if (parts.zeros.empty()) continue;
      CountSet(true);
      if (parts.zeros[i] == points.zeros[i]) continue;
      Note({Part::kZeroPoint, block, ToCell(int64_t{parts.zeros[i]}),
            std::to_string(points.zeros[i]), 0});
    }
    if (!parts.tensor_scale) return;
    CountSet(true);
    const float expected = points.tensor_scale.value_or(0);
    if (*parts.tensor_scale == std::bit_cast<uint32_t>(expected)) return;
    NoteScale(Part::kTensorScale, 0, *parts.tensor_scale, TensorScaleOf(parts),
              FloatSet::Of(double{expected}));
  }

  void NoteScale(Part part, int64_t index, uint32_t bits, float actual, const FloatSet& set) {
    Note({part, index, bits, Describe(ir::Dtype::kF32, set),
          DistanceUlp(ir::Dtype::kF32, set, double{actual})});
  }

  void CountSet(bool point) {
    ++membership_.compared;
    if (point) ++membership_.exact;
  }

  void Count(const Enclosure& enclosure, int64_t i) {
    ++membership_.compared;
    if (enclosure.IsPoint(i)) {
      ++membership_.exact;
    } else if (enclosure.Unbounded(i)) {
      ++membership_.vacuous;
    }
  }

  void Note(Outside outside) {
    ++membership_.outside_count;
    if (outside.part == Part::kElement) membership_.outside_elements.push_back(outside.index);
    if (membership_.worst.size() < kWorstMax) membership_.worst.push_back(std::move(outside));
  }

  Membership& membership_;
};

}  // namespace

Membership Check(const Enclosure& enclosure, const ir::HostTensor& observed,
                 const Contract& contract) {
  Membership membership;
  Checker checker(membership);
  if (observed.type != enclosure.type() ||
      std::ssize(observed.bytes) != enclosure.type().HostBytes()) {
    membership.same_type = false;
    return membership;
  }
  if (!enclosure.type().quantized()) {
    checker.Elements(enclosure, observed);
    return membership;
  }
  const ir::QuantizedParts parts = ir::DecodeQuantized(observed);
  checker.Scales(enclosure, parts, contract);
  if (!enclosure.AllPoints() && enclosure.quantized()->source != nullptr) {
    checker.CodesGivenScales(enclosure, parts, contract);
  } else {
    checker.Codes(enclosure, parts);
  }
  // Unused fields and alignment bytes are written as 0.
  const ir::HostTensor clean = ir::EncodeQuantized(observed.type, parts);
  if (clean.bytes != observed.bytes) {
    ++membership.outside_count;
    const auto at = std::ranges::mismatch(clean.bytes, observed.bytes).in2;
    const int64_t byte = at - observed.bytes.begin();
    membership.worst.push_back(
        {Part::kPadding, byte, std::to_integer<uint64_t>(*at), "unused bits of 0", 0});
  }
  return membership;
}

}  // namespace faultline::reference
