// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Whether data fit a type.

#include <cmath>
#include <string>

#include "ir/data.h"
#include "ir/data/scale_value.h"
#include "ir/element.h"
#include "ir/text/element.h"

namespace faultline::ir {
namespace {

Status Bad(std::string message) { return {StatusCode::kInvalidProgram, std::move(message)}; }

std::string Count(size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

Status NeedFloat(Dtype dtype, std::string_view form) {
  if (IsFloat(dtype)) return {};
  return Bad(std::string(form) + " gives floats, not " + std::string(DtypeName(dtype)));
}

Status NeedFinite(const DataSpec& data) {
  if (std::isfinite(data.parameters[0]) && std::isfinite(data.parameters[1])) return {};
  return Bad("the parameters of a generator form must be finite");
}

std::string Range(const DataSpec& data) {
  return "lo " + PrintElement(Dtype::kF64, FromDouble(Dtype::kF64, data.parameters[0])) +
         " and hi " + PrintElement(Dtype::kF64, FromDouble(Dtype::kF64, data.parameters[1]));
}

Status VerifyElements(const DataSpec& data, Dtype dtype) {
  for (size_t i = 0; i < data.elements.size(); ++i) {
    if (IsElement(dtype, data.elements[i])) continue;
    return Bad("element " + std::to_string(i) + " is no " + std::string(DtypeName(dtype)) +
               ": bits " + std::to_string(data.elements[i]));
  }
  return {};
}

Status VerifyCount(const DataSpec& data, const Type& type) {
  const size_t count = data.elements.size();
  switch (data.form) {
    case DataForm::kList:
      if (count == static_cast<size_t>(type.NumElements())) return {};
      return Bad("data have " + Count(count, "element") + ", but " + PrintType(type) + " has " +
                 std::to_string(type.NumElements()));
    case DataForm::kConstant:
      return count == 1 ? Status() : Bad("constant takes 1 element, not " + std::to_string(count));
    case DataForm::kCycle:
      return count >= 1 ? Status() : Bad("cycle takes at least 1 element");
    default:
      return count == 0 ? Status() : Bad("a generator form has no elements of its own");
  }
}

Status VerifyIota(const DataSpec& data, Dtype dtype) {
  if (dtype == Dtype::kBool) return Bad("iota gives numbers, not bool");
  FAULTLINE_RETURN_IF_ERROR(NeedFinite(data));
  if (IsFloat(dtype)) return {};
  // The step may be negative also where the elements are not: they wrap.
  const bool fits = IsRepresentable(dtype, data.parameters[0]) &&
                    (IsRepresentable(Dtype::kI64, data.parameters[1]) ||
                     IsRepresentable(Dtype::kU64, data.parameters[1]));
  if (fits) return {};
  return Bad("iota of " + std::string(DtypeName(dtype)) + " has a start or step that is none");
}

Status VerifyInts(const DataSpec& data, Dtype dtype) {
  FAULTLINE_RETURN_IF_ERROR(NeedFinite(data));
  const auto [lo, hi] = data.parameters;
  if (lo > hi) return Bad("ints has " + Range(data) + " in the wrong order");
  if (std::trunc(lo) != lo || std::trunc(hi) != hi) {
    return Bad("ints has " + Range(data) + ", which are not both integers");
  }
  bool fits = IsRepresentable(dtype, lo) && IsRepresentable(dtype, hi);
  if (IsFloat(dtype)) {
    // Beyond this not every integer between them is an element.
    const double dense = dtype == Dtype::kF64   ? 0x1p53
                         : dtype == Dtype::kF32 ? 0x1p24
                         : dtype == Dtype::kF16 ? 0x1p11
                                                : 0x1p8;
    fits = lo >= -dense && hi <= dense;
  }
  if (fits) return {};
  return Bad("ints has " + Range(data) + ", beyond the integers of " +
             std::string(DtypeName(dtype)));
}

Status VerifyUniform(const DataSpec& data, Dtype dtype) {
  FAULTLINE_RETURN_IF_ERROR(NeedFloat(dtype, "uniform"));
  FAULTLINE_RETURN_IF_ERROR(NeedFinite(data));
  const auto [lo, hi] = data.parameters;
  if (lo > hi) return Bad("uniform has " + Range(data) + " in the wrong order");
  if (!std::isfinite(hi - lo)) return Bad("uniform has " + Range(data) + " too far apart");
  return {};
}

Status VerifyLogscale(const DataSpec& data, Dtype dtype) {
  FAULTLINE_RETURN_IF_ERROR(NeedFloat(dtype, "logscale"));
  const auto [lo, hi] = data.parameters;
  // Exponents of f64.
  if (lo >= -1074 && lo <= hi && hi <= 1023 && std::trunc(lo) == lo && std::trunc(hi) == hi) {
    return {};
  }
  return Bad("logscale has " + Range(data) + ", which are no exponents in order");
}

Status VerifyForm(const DataSpec& data, Dtype dtype) {
  switch (data.form) {
    case DataForm::kList:
    case DataForm::kConstant:
    case DataForm::kCycle:
      return VerifyElements(data, dtype);
    case DataForm::kIota:
      return VerifyIota(data, dtype);
    case DataForm::kUniform:
      return VerifyUniform(data, dtype);
    case DataForm::kNormal:
      FAULTLINE_RETURN_IF_ERROR(NeedFloat(dtype, "normal"));
      FAULTLINE_RETURN_IF_ERROR(NeedFinite(data));
      return data.parameters[1] >= 0 ? Status() : Bad("normal has a std below 0");
    case DataForm::kInts:
      return VerifyInts(data, dtype);
    case DataForm::kLogscale:
      return VerifyLogscale(data, dtype);
    case DataForm::kQuantized:
      break;
  }
  return Bad("data are codes and scales, but the type is " + std::string(DtypeName(dtype)));
}

Status VerifyOverrides(const DataSpec& data, const Type& type) {
  int64_t last = -1;
  for (const auto& [index, bits] : data.overrides) {
    if (index <= last) {
      return Bad("override " + std::to_string(index) + " does not come after " +
                 std::to_string(last));
    }
    if (index >= type.NumElements()) {
      return Bad("override " + std::to_string(index) + " is beyond the " +
                 std::to_string(type.NumElements()) + " elements");
    }
    if (!IsElement(type.dtype(), bits)) {
      return Bad("override " + std::to_string(index) + " is no " +
                 std::string(DtypeName(type.dtype())));
    }
    last = index;
  }
  return {};
}

Status VerifyScales(const DataSpec& data, const Scheme& scheme) {
  for (size_t i = 0; i < data.scales.size(); ++i) {
    const int bits = 8 * ScaleBytes(scheme.scale);
    const double value = ScaleValue(scheme.scale, data.scales[i]);
    const bool fits = bits == 32 || data.scales[i] >> bits == 0;
    if (fits && value > 0 && std::isfinite(value)) continue;
    return Bad("scale " + std::to_string(i) + " is no positive finite " +
               std::string(ScaleDtypeName(scheme.scale)));
  }
  if (data.tensor_scale.has_value() != scheme.two_level) {
    return Bad(scheme.two_level ? "a two-level scheme needs a tensor scale"
                                : "data have a tensor scale, but the scheme has none");
  }
  if (!data.tensor_scale.has_value()) return {};
  const double value = ScaleValue(ScaleDtype::kF32, *data.tensor_scale);
  if (value > 0 && std::isfinite(value)) return {};
  return Bad("the tensor scale is not positive and finite");
}

Status VerifyCodes(const std::vector<int32_t>& codes, QValue value, std::string_view what) {
  // e2m1, e4m3 and e5m2 codes are bit patterns; every pattern is a code.
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] >= CodeMin(value) && codes[i] <= CodeMax(value)) continue;
    return Bad(std::string(what) + " " + std::to_string(i) + " is " + std::to_string(codes[i]) +
               ", outside " + std::to_string(CodeMin(value)) + " to " +
               std::to_string(CodeMax(value)) + " of " + std::string(QValueName(value)));
  }
  return {};
}

// What a form does not use stays at its default, so that what is printed is all.
Status VerifyUnused(const DataSpec& data) {
  using enum DataForm;
  const DataForm form = data.form;
  const bool listed = form == kList || form == kConstant || form == kCycle;
  const bool seeded =
      form == kUniform || form == kNormal || form == kInts || form == kLogscale;
  if (data.seed != 0 && !seeded) return Bad("data without a draw have a seed");
  if (data.parameters != std::array<double, 2>{} && (listed || form == kQuantized)) {
    return Bad("data without a formula have parameters");
  }
  const bool codes = !data.codes.empty() || !data.scales.empty() || !data.zeros.empty() ||
                     data.tensor_scale.has_value();
  if (codes && form != kQuantized) return Bad("elements have codes or scales");
  if (data.wildcards.empty()) return {};
  if (form != kList || data.wildcards.size() != data.elements.size()) {
    return Bad("wildcards stand in a list, one an element");
  }
  bool any = false;
  for (size_t i = 0; i < data.elements.size(); ++i) {
    any = any || data.wildcards[i];
    if (data.wildcards[i] && data.elements[i] != 0) return Bad("a wildcard has a value");
  }
  return any ? Status() : Bad("a list has wildcards of which none is set");
}

Status VerifyQuantized(const DataSpec& data, const Type& type) {
  if (data.form != DataForm::kQuantized) {
    return Bad(PrintType(type) + " takes codes and scales as data");
  }
  const Scheme& scheme = type.scheme();
  if (data.codes.size() != static_cast<size_t>(type.NumElements())) {
    return Bad("data have " + Count(data.codes.size(), "code") + ", but " + PrintType(type) +
               " has " + Count(static_cast<size_t>(type.NumElements()), "element"));
  }
  const auto scales = static_cast<size_t>(ScaleGrid(scheme, type.shape).NumElements());
  if (data.scales.size() != scales) {
    return Bad("data have " + Count(data.scales.size(), "scale") + ", but " + PrintType(type) +
               " has " + std::to_string(scales));
  }
  const size_t zeros = scheme.asymmetric() ? scales : 0;
  if (data.zeros.size() != zeros) {
    return Bad("data have " + Count(data.zeros.size(), "zero point") + ", but " + PrintType(type) +
               " has " + std::to_string(zeros));
  }
  if (!data.elements.empty() || !data.overrides.empty()) {
    return Bad("quantized data have neither elements nor overrides");
  }
  FAULTLINE_RETURN_IF_ERROR(VerifyCodes(data.codes, scheme.value, "code"));
  FAULTLINE_RETURN_IF_ERROR(VerifyCodes(data.zeros, scheme.value, "zero point"));
  return VerifyScales(data, scheme);
}

}  // namespace

Status VerifyData(const DataSpec& data, const Type& type) {
  if (data.form > DataForm::kQuantized) return Bad("data have no known form");
  FAULTLINE_RETURN_IF_ERROR(VerifyUnused(data));
  if (type.quantized()) return VerifyQuantized(data, type);
  FAULTLINE_RETURN_IF_ERROR(VerifyCount(data, type));
  FAULTLINE_RETURN_IF_ERROR(VerifyForm(data, type.dtype()));
  return VerifyOverrides(data, type);
}

}  // namespace faultline::ir
