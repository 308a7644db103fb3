// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One function a composite, each in the file of its group: writes the primitives and finishes.

#ifndef FUSION_COMPOSITES_COMPOSITES_H_
#define FUSION_COMPOSITES_COMPOSITES_H_

#include "fusion/composites/writer.h"

namespace faultline::fusion {

// movement.cc
void Narrow(ExpansionWriter& w);
void Roll(ExpansionWriter& w);
void Diag(ExpansionWriter& w);
void Stack(ExpansionWriter& w);
void Tril(ExpansionWriter& w);
void Triu(ExpansionWriter& w);
void OneHot(ExpansionWriter& w);
void Embedding(ExpansionWriter& w);
void Split(ExpansionWriter& w);
void Chunk(ExpansionWriter& w);
void Meshgrid(ExpansionWriter& w);

// normalization.cc
void LayerNorm(ExpansionWriter& w);
void RmsNorm(ExpansionWriter& w);
void GroupNorm(ExpansionWriter& w);
void BatchNorm(ExpansionWriter& w);

// product.cc
void Cross(ExpansionWriter& w);
void Linear(ExpansionWriter& w);

// reduction.cc
void LogSoftmax(ExpansionWriter& w);
void Softmin(ExpansionWriter& w);
void Logsumexp(ExpansionWriter& w);
void Var(ExpansionWriter& w);
void Std(ExpansionWriter& w);
void Norm(ExpansionWriter& w);

}  // namespace faultline::fusion

#endif  // FUSION_COMPOSITES_COMPOSITES_H_
