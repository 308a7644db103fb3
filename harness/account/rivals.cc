// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/rivals.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ir/data/scale_value.h"
#include "ir/element.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, kRivals.size()> kNames = {
    "allclose 1e-2, 1e-3", "torch assert_close", "ONNX 1e-3, 1e-7", "NMSE 5e-4", "sum 5 %"};

constexpr double kNmseMax = 5e-4;
constexpr double kSumMax = 0.05;

struct Tolerance {
  double relative;
  double absolute;
};

// The table of torch.testing.assert_close; dtypes it does not name are compared exactly.
Tolerance AssertCloseOf(ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF64:
      return {1e-7, 1e-7};
    case ir::Dtype::kF32:
    case ir::Dtype::kQuantized:  // scales; codes are far enough apart
      return {1.3e-6, 1e-5};
    case ir::Dtype::kF16:
      return {1e-3, 1e-5};
    case ir::Dtype::kBf16:
      return {1.6e-2, 1e-5};
    default:
      return {0, 0};
  }
}

// Elements as numbers; of a quantized tensor its codes and then its scales.
std::vector<double> NumbersOf(const ir::HostTensor& tensor) {
  std::vector<double> numbers;
  if (tensor.type.quantized()) {
    const ir::QuantizedParts parts = ir::DecodeQuantized(tensor);
    numbers.assign(parts.codes.begin(), parts.codes.end());
    for (const uint32_t scale : parts.scales) {
      numbers.push_back(ir::ScaleValue(tensor.type.scheme().scale, scale));
    }
    return numbers;
  }
  const ir::Dtype dtype = tensor.type.dtype();
  const auto bytes = static_cast<size_t>(ir::ByteSize(dtype));
  for (size_t at = 0; at < tensor.bytes.size(); at += bytes) {
    const uint64_t bits = ir::LoadElement(dtype, tensor.bytes.data() + at);
    numbers.push_back(ir::IsFloat(dtype) ? ir::ToDouble(dtype, bits)
                                         : static_cast<double>(ir::ToInt(dtype, bits)));
  }
  return numbers;
}

// Of one class, and if infinite the same one.
bool SameClass(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return true;
}

bool IsClose(std::span<const double> expected, std::span<const double> actual,
             Tolerance tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!SameClass(expected[i], actual[i])) return false;
    if (!std::isfinite(expected[i])) continue;
    const double most = tolerance.absolute + tolerance.relative * std::fabs(expected[i]);
    if (!(std::fabs(actual[i] - expected[i]) <= most)) return false;
  }
  return true;
}

bool IsNmseSmall(std::span<const double> expected, std::span<const double> actual) {
  double error = 0;
  double power = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!SameClass(expected[i], actual[i])) return false;
    if (!std::isfinite(expected[i])) continue;
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    power += expected[i] * expected[i];
  }
  return !(error > kNmseMax * power);
}

bool IsSumClose(std::span<const double> expected, std::span<const double> actual) {
  double expected_sum = 0;
  double actual_sum = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    expected_sum += expected[i];
    actual_sum += actual[i];
  }
  if (!SameClass(expected_sum, actual_sum)) return false;
  if (!std::isfinite(expected_sum)) return true;
  return std::fabs(actual_sum - expected_sum) <= kSumMax * std::fabs(expected_sum);
}

}  // namespace

std::string_view RivalName(Rival rival) { return kNames[static_cast<size_t>(rival)]; }

bool Accepts(Rival rival, const ir::HostTensor& expected, const ir::HostTensor& actual) {
  if (expected.type != actual.type || expected.bytes.size() != actual.bytes.size()) return false;
  const std::vector<double> wanted = NumbersOf(expected);
  const std::vector<double> got = NumbersOf(actual);
  switch (rival) {
    case Rival::kAllclose:
      return IsClose(wanted, got, {1e-2, 1e-3});
    case Rival::kAssertClose:
      return IsClose(wanted, got, AssertCloseOf(expected.type.dtype()));
    case Rival::kOnnx:
      return IsClose(wanted, got, {1e-3, 1e-7});
    case Rival::kNmse:
      return IsNmseSmall(wanted, got);
    case Rival::kSum:
      return IsSumClose(wanted, got);
  }
  return false;
}

}  // namespace faultline::harness
