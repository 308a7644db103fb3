// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/scheme_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "ir/data.h"
#include "ir/element.h"
#include "ir/parse.h"
#include "ir/scheme_matrix.h"

namespace faultline::harness {
namespace {

constexpr int64_t kRows = 32;
constexpr int64_t kColumns = 128;
constexpr int32_t kBlock = 16;

// Of a normal distribution of deviation 1; then with one element in 256 a hundred times as great.
constexpr std::string_view kNormal = "normal(seed=11, mean=0x0p+0, std=0x1p+0)";

std::string OutlierData() {
  std::string data(kNormal);
  for (int64_t at = 100; at < kRows * kColumns; at += 256) {
    data += at == 100 ? " with {" : ", ";
    data += fmt::format("{}: {}", at, at % 512 < 256 ? "0x1.9p+6" : "-0x1.9p+6");
  }
  return data + "}";
}

struct Errors {
  double rms = 0;
  double max = 0;
};

double At(const ir::HostTensor& tensor, int64_t i) {
  return ir::ToDouble(ir::Dtype::kF32,
                      ir::LoadElement(ir::Dtype::kF32, tensor.bytes.data() + 4 * i));
}

// What the scale of elements [begin, end) follows from.
double RangeOf(const ir::Scheme& scheme, const ir::HostTensor& x, int64_t begin, int64_t end) {
  double least = 0;
  double greatest = 0;
  for (int64_t i = begin; i < end; ++i) {
    least = std::min(least, At(x, i));
    greatest = std::max(greatest, At(x, i));
  }
  return scheme.asymmetric() ? greatest - least : std::max(-least, greatest);
}

// Errors as parts of the range of their block.
ir::Result<Errors> Measure(Backend& backend, const ir::Scheme& scheme, const std::string& data) {
  const std::string shape = fmt::format("[{},{}]", kRows, kColumns);
  FAULTLINE_ASSIGN_OR_RETURN(
      const ir::Program program,
      ir::ParseAndVerify(fmt::format("faultline 1\n%x: f32{} = input {}\n%q: {}{} = quantize %x\n"
                                     "%y: f32{} = dequantize %q\nread %x %y\n",
                                     shape, data, ir::PrintScheme(scheme), shape, shape)));
  const Observation observation = RunProgram(program, backend, {});
  if (observation.reads.size() != 1 || observation.reads[0].tensors.size() != 2) {
    return ir::Error(ir::StatusCode::kInternal, "the reference did not read what it quantized");
  }
  const ir::HostTensor& x = observation.reads[0].tensors[0];
  const ir::HostTensor& y = observation.reads[0].tensors[1];
  Errors errors;
  const int64_t block = scheme.per_tensor() ? kRows * kColumns : kBlock;
  for (int64_t begin = 0; begin < kRows * kColumns; begin += block) {
    const double range = RangeOf(scheme, x, begin, begin + block);
    for (int64_t i = begin; i < begin + block; ++i) {
      const double error = std::fabs(At(y, i) - At(x, i)) / range;
      errors.rms += error * error;
      errors.max = std::max(errors.max, error);
    }
  }
  errors.rms = std::sqrt(errors.rms / static_cast<double>(kRows * kColumns));
  return errors;
}

// What an element may be off by, as a part of the range: half the widest step between codes (the f
// forms clip their greatest element by as much), and a scale that may be rounded up. A zero point
// that is rounded may clip as much again at an end.
double HalfStep(ir::QValue value) {
  switch (value) {
    case ir::QValue::kE4m3:
      return 16 / ir::ScaleDivisor(value);
    case ir::QValue::kE5m2:
      return 4096 / ir::ScaleDivisor(value);
    case ir::QValue::kE2m1:
      return 1 / ir::ScaleDivisor(value);
    default:
      return 0.5 / ir::ScaleDivisor(value);
  }
}

// Of scales that are normal numbers of their dtype: small ones of ue4m3 are rounded up by more.
double BoundOf(const ir::Scheme& scheme) {
  constexpr double kRoundedUp[] = {1 + 0x1p-23, 1 + 0x1p-10, 1 + 0x1p-7, 2, 1 + 0x1p-3};
  const double step = HalfStep(scheme.value) * kRoundedUp[static_cast<size_t>(scheme.scale)];
  return scheme.asymmetric() ? 2 * step : step;
}

}  // namespace

ir::Result<std::string> SchemeErrorTable() {
  FAULTLINE_ASSIGN_OR_RETURN(const std::unique_ptr<Backend> backend,
                             MakeBackend({.name = "reference"}));
  const std::string outliers = OutlierData();
  std::string text =
      "| value | level | scale | rms, normal | max, normal | rms, outliers | max, outliers | bound "
      "|\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const ir::SchemeCase& it : ir::SchemeMatrix()) {
    ir::Scheme scheme = it.scheme;
    const std::string name =
        fmt::format("| `{}` | {} | {} |", ir::QValueName(scheme.value),
                    ir::ScaleLevelName(it.level), ir::ScaleDtypeName(scheme.scale));
    if (!it.refusal.ok() || text.find(name) != std::string::npos) continue;
    if (!scheme.per_tensor()) scheme.block[0] = kBlock;
    FAULTLINE_ASSIGN_OR_RETURN(const Errors normal,
                               Measure(*backend, scheme, std::string(kNormal)));
    FAULTLINE_ASSIGN_OR_RETURN(const Errors outlier, Measure(*backend, scheme, outliers));
    text += fmt::format("{} {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.2e} |\n", name, normal.rms,
                        normal.max, outlier.rms, outlier.max, BoundOf(scheme));
  }
  return text;
}

}  // namespace faultline::harness
