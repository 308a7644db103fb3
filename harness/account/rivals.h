// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How other harnesses decide whether a tensor is right: one expected value and a tolerance. They
// are here to be compared with, not to be used.

#ifndef HARNESS_ACCOUNT_RIVALS_H_
#define HARNESS_ACCOUNT_RIVALS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "ir/data.h"

namespace faultline::harness {

enum class Rival : uint8_t {
  kAllclose,     // |a - e| <= 1e-3 + 1e-2 |e|
  kAssertClose,  // torch.testing.assert_close with its defaults by dtype
  kOnnx,         // the ONNX backend test: |a - e| <= 1e-7 + 1e-3 |e|
  kNmse,         // normalised mean squared error of the tensor at most 5e-4
  kSum,          // the sum of the tensor within 5 %
};
inline constexpr std::array kRivals = {Rival::kAllclose, Rival::kAssertClose, Rival::kOnnx,
                                       Rival::kNmse, Rival::kSum};
std::string_view RivalName(Rival rival);

// Whether `actual` passes for `expected`. NaN passes for NaN and an infinity for the same one. Of
// quantized tensors codes and scales are compared, each as numbers.
bool Accepts(Rival rival, const ir::HostTensor& expected, const ir::HostTensor& actual);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_RIVALS_H_
