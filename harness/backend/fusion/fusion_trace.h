// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The engine's trace in the harness's neutral words.

#ifndef HARNESS_BACKEND_FUSION_FUSION_TRACE_H_
#define HARNESS_BACKEND_FUSION_FUSION_TRACE_H_

#include "fusion/trace.h"
#include "harness/backend/observation.h"

namespace faultline::harness {

PlanTrace TranslateTrace(const fusion::Trace& trace);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FUSION_FUSION_TRACE_H_
