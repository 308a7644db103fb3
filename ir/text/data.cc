// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/text/data.h"

#include <cmath>
#include <string_view>

#include "ir/data/canonical.h"
#include "ir/data/scale_value.h"
#include "ir/element.h"
#include "ir/text/element.h"
#include "ir/text/number.h"

namespace faultline::ir {
namespace {

void AppendKey(std::string& out, std::string_view key) {
  out += key;
  out += '=';
}

template <typename Range>
void AppendIntList(std::string& out, std::string_view key, const Range& values) {
  AppendKey(out, key);
  char before = '[';
  for (const auto value : values) {
    out += before;
    AppendInt(out, value);
    before = ',';
  }
  out += values.empty() ? "[]" : "]";
}

void AppendElements(std::string& out, const DataSpec& data, Dtype dtype) {
  out += '[';
  for (size_t i = 0; i < data.elements.size(); ++i) {
    if (i > 0) out += ", ";
    if (!data.wildcards.empty() && data.wildcards[i]) {
      out += '_';
    } else {
      AppendElement(out, dtype, data.elements[i]);
    }
  }
  out += ']';
}

// Integers as such, because `mean=0` reads better than a hexfloat.
void AppendParameter(std::string& out, std::string_view key, double value) {
  AppendKey(out, key);
  if (std::trunc(value) == value && std::fabs(value) < 0x1p53 &&
      !(value == 0 && std::signbit(value))) {
    AppendInt(out, static_cast<int64_t>(value));
  } else {
    AppendElement(out, Dtype::kF64, FromDouble(Dtype::kF64, value));
  }
}

void AppendForm(std::string& out, const DataSpec& data, std::string_view name,
                std::string_view first, std::string_view second, bool seeded) {
  out += name;
  out += '(';
  if (seeded) {
    AppendKey(out, "seed");
    AppendUnsigned(out, data.seed);
    out += ", ";
  }
  AppendParameter(out, first, data.parameters[0]);
  out += ", ";
  AppendParameter(out, second, data.parameters[1]);
  out += ')';
}

void AppendScale(std::string& out, ScaleDtype dtype, uint32_t bits) {
  AppendElement(out, Dtype::kF64, FromDouble(Dtype::kF64, ScaleValue(dtype, bits)));
}

void AppendQuantized(std::string& out, const DataSpec& data, const Scheme& scheme) {
  AppendIntList(out, "codes", data.codes);
  out += " scales=[";
  for (size_t i = 0; i < data.scales.size(); ++i) {
    if (i > 0) out += ',';
    AppendScale(out, scheme.scale, data.scales[i]);
  }
  out += ']';
  if (data.tensor_scale.has_value()) {
    out += " tensor=";
    AppendScale(out, ScaleDtype::kF32, *data.tensor_scale);
  }
  if (!data.zeros.empty()) {
    out += ' ';
    AppendIntList(out, "zeros", data.zeros);
  }
}

void AppendOverrides(std::string& out, const DataSpec& data, Dtype dtype) {
  if (data.overrides.empty()) return;
  out += " with {";
  bool first = true;
  for (const auto& [index, bits] : data.overrides) {
    if (!first) out += ", ";
    first = false;
    AppendInt(out, index);
    out += ": ";
    AppendElement(out, dtype, bits);
  }
  out += '}';
}

}  // namespace

void AppendData(std::string& out, const DataSpec& data, const ElementType& element) {
  const Dtype dtype = element.dtype;
  switch (data.form) {
    case DataForm::kList:
      if (data.elements.size() > kPrintedListMax) {
        const DataSpec canonical = CanonicalData(data);
        if (canonical.form != DataForm::kList) return AppendData(out, canonical, element);
      }
      AppendElements(out, data, dtype);
      break;
    case DataForm::kConstant:
      out += "constant(";
      for (const uint64_t bits : data.elements) AppendElement(out, dtype, bits);
      out += ')';
      break;
    case DataForm::kIota:
      AppendForm(out, data, "iota", "start", "step", false);
      break;
    case DataForm::kCycle:
      out += "cycle(";
      AppendElements(out, data, dtype);
      out += ')';
      break;
    case DataForm::kUniform:
      AppendForm(out, data, "uniform", "lo", "hi", true);
      break;
    case DataForm::kNormal:
      AppendForm(out, data, "normal", "mean", "std", true);
      break;
    case DataForm::kInts:
      AppendForm(out, data, "ints", "lo", "hi", true);
      break;
    case DataForm::kLogscale:
      AppendForm(out, data, "logscale", "lo", "hi", true);
      break;
    case DataForm::kQuantized:
      return AppendQuantized(out, data, element.scheme);
  }
  AppendOverrides(out, data, dtype);
}

void AppendLayout(std::string& out, const Layout& layout) {
  if (!layout.strides.empty()) {
    out += ' ';
    AppendIntList(out, "strides", layout.strides);
  }
  if (layout.offset != 0) {
    out += " offset=";
    AppendInt(out, layout.offset);
  }
  if (layout.storage >= 0) {
    out += " storage=";
    AppendInt(out, layout.storage);
  }
}

}  // namespace faultline::ir
