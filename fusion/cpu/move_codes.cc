// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Layout ops that move codes and scales as they are: codes a tile at a time, then the scale of each
// block.

#include <algorithm>
#include <array>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 512;

class Move {
 public:
  Move(const MoveCodesLaunch& launch, const MoveCodesBinding& binding)
      : shape_(binding.shape),
        to_(launch.result, binding.shape, static_cast<CpuBuffer*>(binding.to)->data()) {
    accesses_.Bind(launch.accesses, binding.accesses, binding.buffers, 1, to_.elements());
    index_.offsets = offsets_.data();
    index_.indices = indices_.data();
  }

  void Run() {
    to_.Clear();
    if (to_.elements() == 0) return MoveScaleOfNothing();
    for (int64_t at = 0; at < to_.elements(); at += kTile) {
      const int64_t count = std::min(kTile, to_.elements() - at);
      accesses_.ForLeaves(
          From(), at, 1, count,
          [&](const BoundAccess& leaf, int64_t begin, int64_t run) { MoveTile(leaf, begin, run); });
    }
    MoveScales();
  }

  const LaunchError& error() const { return index_.error; }

 private:
  void MoveTile(const BoundAccess& leaf, int64_t begin, int64_t count) {
    const BoundAccess& from = FAULT(joined_codes_of_first_part) ? FirstLeaf() : leaf;
    if (from.access->map == MapKind::kStrided && from.whole.contiguous()) {
      from.codes.ReadCodes(from.whole.offset + begin, count, codes_.data());
    } else {
      accesses_.Offsets(from, begin, 1, count, offsets_.data(), &index_);
      if (from.codes.elements() == 0) return;  // every index was out of range
      from.codes.ReadCodesAt(offsets_.data(), count, codes_.data());
    }
    to_.WriteCodes(begin, count, codes_.data());
  }

  void MoveScales() {
    const bool first_scale = FAULT(moved_codes_keep_first_scale);
    const CodeView* codes = nullptr;
    for (int64_t block = 0; block < to_.scale_count(); ++block) {
      std::array<int64_t, ir::kRankMax> first = {};
      std::array<int64_t, ir::kRankMax> extents = {};
      to_.BlockBounds(block, first.data(), extents.data());
      const auto move = [&](const BoundAccess& leaf, int64_t element, int64_t) {
        int64_t source = 0;
        accesses_.Offsets(leaf, element, 1, 1, &source, &index_);
        codes = &leaf.codes;
        if (codes->elements() == 0) return;
        to_.CopyScale(block, *codes, first_scale ? 0 : codes->ScaleIndex(source));
      };
      accesses_.ForLeaves(From(), LinearOf(shape_, first), 1, 1, move);
    }
    // At two levels all codes come from one tensor.
    if (to_.scheme().two_level) to_.SetTensorScale(codes->TensorScale());
  }

  // Nothing to move but the scale of a whole tensor.
  void MoveScaleOfNothing() {
    const CodeView& codes = FirstLeaf().codes;
    if (to_.scale_count() == 1 && !FAULT(empty_moved_scale_unwritten)) to_.CopyScale(0, codes, 0);
    if (to_.scheme().two_level) to_.SetTensorScale(codes.TensorScale());
  }

  const BoundAccess& From() const { return accesses_[0]; }
  const BoundAccess& FirstLeaf() const {
    if (From().access->map != MapKind::kPieces) return From();
    return accesses_[static_cast<size_t>(From().access->pieces[0])];
  }

  const ir::Shape shape_;
  CodeView to_;
  BoundAccesses accesses_;
  IndexContext index_;
  std::array<int64_t, kTile> offsets_;
  std::array<int64_t, kTile> indices_;
  std::array<int8_t, kTile> codes_;
};

}  // namespace

ir::Status RunMoveCodes(const MoveCodesLaunch& launch, const MoveCodesBinding& binding,
                        const Context& context) {
  Move move(launch, binding);
  move.Run();
  Report(move.error(), context.options);
  return {};
}

}  // namespace faultline::fusion::cpu
