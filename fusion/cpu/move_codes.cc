// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Layout ops that move codes and scales as they are.

#include <array>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 512;

}  // namespace

ir::Status RunMoveCodes(const MoveCodesLaunch& launch, const MoveCodesBinding& binding,
                        const Context& context) {
  CodeView to(launch.result, binding.shape, static_cast<CpuBuffer*>(binding.to)->data());
  to.Clear();
  const int64_t count = to.elements();
  BoundAccesses accesses;
  accesses.Bind(launch.accesses, binding.accesses, binding.buffers, 1, count);
  const BoundAccess& from = accesses[0];
  IndexContext index;
  std::array<int64_t, kTile> offsets;
  std::array<int64_t, kTile> indices;
  index.offsets = offsets.data();
  index.indices = indices.data();
  auto find = [&](int64_t element, const BoundAccess** leaf) {
    int64_t source = 0;
    *leaf = &accesses.LeafAt(from, element);
    accesses.Offsets(**leaf, element, 1, 1, &source, &index);
    return source;
  };
  for (int64_t element = 0; element < count; ++element) {
    const BoundAccess* leaf = nullptr;
    const int64_t source = find(element, &leaf);
    if (leaf->codes.elements() > 0) to.WriteCode(element, leaf->codes.ReadCode(source));
  }
  if (count == 0) {
    // Nothing to move but the scale of a whole tensor.
    const BoundAccess& any = from.access->map == MapKind::kPieces
                                 ? accesses[static_cast<size_t>(from.access->pieces[0])]
                                 : from;
    if (to.scale_count() == 1 && !FAULT(empty_moved_scale_unwritten)) to.CopyScale(0, any.codes, 0);
    if (launch.result.two_level) to.SetTensorScale(any.codes.TensorScale());
  } else {
    for (int64_t block = 0; block < to.scale_count(); ++block) {
      std::array<int64_t, ir::kRankMax> first = {};
      std::array<int64_t, ir::kRankMax> extents = {};
      to.BlockBounds(block, first.data(), extents.data());
      const BoundAccess* leaf = nullptr;
      const int64_t source = find(LinearOf(binding.shape, first), &leaf);
      const int64_t scale =
          FAULT(moved_codes_keep_first_scale) ? 0 : leaf->codes.ScaleIndex(source);
      to.CopyScale(block, leaf->codes, scale);
      if (launch.result.two_level) to.SetTensorScale(leaf->codes.TensorScale());
    }
  }
  Report(index.error, context.options);
  return {};
}

}  // namespace faultline::fusion::cpu
