// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Rows whose kernel is still being written. Delete a line when its kernel lands; the file goes with
// the last line.

#include "ir/base/check.h"
#include "reference/kernel.h"

namespace faultline::reference {

#define FAULTLINE_MISSING(name) \
  FAULTLINE_KERNEL(name) { FAULTLINE_CHECK(false, "no reference kernel yet: " #name); }

FAULTLINE_MISSING(Reshape)
FAULTLINE_MISSING(Permute)
FAULTLINE_MISSING(SwapDims)
FAULTLINE_MISSING(Expand)
FAULTLINE_MISSING(Slice)
FAULTLINE_MISSING(Flip)
FAULTLINE_MISSING(Cat)
FAULTLINE_MISSING(RepeatDim)
FAULTLINE_MISSING(Select)
FAULTLINE_MISSING(Gather)
FAULTLINE_MISSING(Scatter)
FAULTLINE_MISSING(SliceAssign)
FAULTLINE_MISSING(Any)
FAULTLINE_MISSING(All)
FAULTLINE_MISSING(AnyDim)
FAULTLINE_MISSING(AllDim)
FAULTLINE_MISSING(Sum)
FAULTLINE_MISSING(SumDim)
FAULTLINE_MISSING(Mean)
FAULTLINE_MISSING(MeanDim)
FAULTLINE_MISSING(Prod)
FAULTLINE_MISSING(ProdDim)
FAULTLINE_MISSING(Max)
FAULTLINE_MISSING(MaxDim)
FAULTLINE_MISSING(Min)
FAULTLINE_MISSING(MinDim)
FAULTLINE_MISSING(Argmax)
FAULTLINE_MISSING(Argmin)
FAULTLINE_MISSING(Cumsum)
FAULTLINE_MISSING(Sort)
FAULTLINE_MISSING(Matmul)
FAULTLINE_MISSING(Quantize)
FAULTLINE_MISSING(Dequantize)
FAULTLINE_MISSING(Softmax)

}  // namespace faultline::reference
