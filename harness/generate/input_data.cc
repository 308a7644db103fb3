// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/input_data.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace faultline::harness {
namespace {

using ir::DataForm;
using ir::DataSpec;
using ir::Domain;
using ir::Dtype;
using ir::Type;

// Lists up to here are printed as lists anyway.
constexpr int64_t kListMax = 16;

// The magnitude up to which every integer is a value of the dtype.
int64_t ExactIntegerMax(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return 256;
    case Dtype::kF16:
      return 2048;
    case Dtype::kF32:
      return int64_t{1} << 24;
    case Dtype::kF64:
      return int64_t{1} << 53;
    case Dtype::kBool:
      return 1;
    default:
      return static_cast<int64_t>(std::min<uint64_t>(ir::IntMax(dtype), uint64_t{1} << 53));
  }
}

uint64_t BitsOf(Dtype dtype, double value) {
  return ir::IsFloat(dtype) ? ir::FromDouble(dtype, value)
                            : ir::FromInt(dtype, static_cast<int64_t>(value));
}

DataSpec Parametric(DataForm form, ChoiceStream& choices, double first, double second) {
  DataSpec data;
  data.form = form;
  if (form != DataForm::kIota) data.seed = choices.Below(10000);
  data.parameters = {first, second};
  return data;
}

DataSpec Cycle(Dtype dtype, std::span<const double> values) {
  DataSpec data;
  data.form = DataForm::kCycle;
  for (const double value : values) data.elements.push_back(BitsOf(dtype, value));
  return data;
}

// Most of it within the domain of functions that need one, a little beyond both ends.
DataSpec NearDomain(ChoiceStream& choices, Dtype dtype, Domain domain) {
  if (domain == Domain::kUnit) {
    if (choices.Percent(70)) return Parametric(DataForm::kUniform, choices, -1, 1);
    return Cycle(dtype, std::array<double, 8>{-1, 1, 0.5, -0.5, 0.0, -0.0, 1.25, -0.9375});
  }
  if (choices.Percent(70))
    return Parametric(DataForm::kUniform, choices, 1, choices.Percent(50) ? 2 : 64);
  return Cycle(dtype, std::array<double, 6>{1, 1.5, 2, 0.75, 256, 1.0078125});
}

DataSpec CancellingFloats(ChoiceStream& choices, Dtype dtype) {
  // A large term and its negative around small ones: the order of a sum matters, and a sum of
  // squares minus a square of a mean has nothing left.
  const double large = dtype == Dtype::kF16 ? 1024 : dtype == Dtype::kBf16 ? 512 : 65536;
  const double small = choices.Percent(50) ? 0.25 : 1;
  const std::array<double, 5> values = {large, small, -large, small, small * 3};
  return Cycle(dtype, std::span(values).first(3 + choices.Below(3)));
}

DataSpec FloatData(ChoiceStream& choices, Regime regime, Dtype dtype, Domain domain) {
  const bool positive = domain == Domain::kPositive;
  const bool bounded = domain == Domain::kUnit || domain == Domain::kAtLeastOne;
  if (bounded && choices.Percent(65)) return NearDomain(choices, dtype, domain);
  switch (regime) {
    case Regime::kPosition:
      if (domain == Domain::kExponent) return Parametric(DataForm::kIota, choices, -4, 0.125);
      return Parametric(DataForm::kIota, choices, positive || domain == Domain::kNonZero ? 1 : 0,
                        choices.Percent(70)   ? 1
                        : choices.Percent(50) ? 0.5
                                              : 0.125);
    case Regime::kGrid: {
      const int64_t high = choices.Percent(70) ? 8 : 100;
      const int64_t low = positive ? 1 : -high;
      return Parametric(DataForm::kInts, choices, static_cast<double>(low),
                        static_cast<double>(domain == Domain::kExponent ? 8 : high));
    }
    case Regime::kUniform:
      if (positive) return Parametric(DataForm::kUniform, choices, 0.0625, 4);
      return Parametric(DataForm::kUniform, choices, choices.Percent(50) ? -1 : -4,
                        choices.Percent(50) ? 1 : 4);
    case Regime::kNormal:
      if (positive) return Parametric(DataForm::kUniform, choices, 0.5, 16);
      return Parametric(DataForm::kNormal, choices, choices.Percent(80) ? 0 : 64,
                        choices.Percent(70) ? 1 : 0.125);
    case Regime::kLogscale:
      // All of the format once in a while; f16 has no more than 2^-24 to 2^15.
      if (choices.OneIn(6)) {
        return Parametric(DataForm::kLogscale, choices, dtype == Dtype::kF16 ? -24 : -140,
                          dtype == Dtype::kF16 ? 14 : 120);
      }
      return Parametric(DataForm::kLogscale, choices, choices.Percent(50) ? -8 : -2,
                        choices.Percent(50) ? 2 : 6);
    case Regime::kCancelling:
      return CancellingFloats(choices, dtype);
    case Regime::kTies:
      if (choices.Percent(40)) return Parametric(DataForm::kIota, choices, -3.5, 1);
      return Cycle(dtype, std::array<double, 8>{0.5, 1.5, 2.5, 2.5, -0.5, -1.5, 2, 0.5});
    case Regime::kExtreme: {
      DataSpec data;
      data.form = DataForm::kCycle;
      const auto values = choices.OneIn(3) ? SpecialValues(dtype) : FiniteSpecialValues(dtype);
      const uint32_t count = 2 + choices.Below(7);
      for (uint32_t i = 0; i < count; ++i) data.elements.push_back(choices.Pick(values));
      return data;
    }
    case Regime::kConstant: {
      DataSpec data;
      data.form = DataForm::kConstant;
      data.elements.push_back(BitsOf(dtype, choices.Pick({0.0, 1.0, 2.0, 0.5, 3.0})));
      return data;
    }
  }
  return {};
}

DataSpec IntData(ChoiceStream& choices, Regime regime, Dtype dtype, Domain domain) {
  const auto max = static_cast<int64_t>(std::min<uint64_t>(ir::IntMax(dtype), INT64_MAX));
  const int64_t min = ir::IntMin(dtype);
  const bool positive = domain == Domain::kPositive || domain == Domain::kNonZero;
  switch (regime) {
    case Regime::kPosition:
      return Parametric(DataForm::kIota, choices, positive ? 1 : 0, choices.Percent(80) ? 1 : 3);
    case Regime::kExtreme:
    case Regime::kCancelling: {
      DataSpec data;
      data.form = DataForm::kCycle;
      const uint32_t count = 2 + choices.Below(7);
      for (uint32_t i = 0; i < count; ++i) {
        data.elements.push_back(choices.Pick(SpecialValues(dtype)));
      }
      return data;
    }
    case Regime::kLogscale:
    case Regime::kNormal: {
      // The whole range, as far as a parameter holds it.
      const int64_t exact = ExactIntegerMax(dtype);
      return Parametric(DataForm::kInts, choices, static_cast<double>(std::max(min, -exact)),
                        static_cast<double>(std::min(max, exact)));
    }
    case Regime::kConstant: {
      DataSpec data;
      data.form = DataForm::kConstant;
      data.elements.push_back(ir::FromInt(dtype, choices.Between(positive ? 1 : 0, 5)));
      return data;
    }
    case Regime::kTies:
      return Parametric(DataForm::kInts, choices, positive ? 1 : 0, 2);
    case Regime::kGrid:
    case Regime::kUniform: {
      const int64_t high = std::min<int64_t>(max, choices.Percent(60) ? 9 : 100);
      const int64_t low = positive ? 1 : std::max<int64_t>(min, -high);
      return Parametric(DataForm::kInts, choices, static_cast<double>(low),
                        static_cast<double>(high));
    }
  }
  return {};
}

DataSpec BoolData(ChoiceStream& choices, Regime regime) {
  DataSpec data;
  switch (regime) {
    case Regime::kConstant:
      data.form = DataForm::kConstant;
      data.elements.push_back(choices.Below(2));
      return data;
    case Regime::kPosition:
    case Regime::kTies: {
      data.form = DataForm::kCycle;
      const uint32_t count = 2 + choices.Below(6);
      for (uint32_t i = 0; i < count; ++i) data.elements.push_back(choices.Below(2));
      data.elements[0] = 1;
      data.elements[1] = 0;
      return data;
    }
    default:
      return Parametric(DataForm::kInts, choices, 0, 1);
  }
}

// Bits of a positive scale between 2^-8 and 2^3, which every scale dtype has: a power of two, or
// one with a full significand.
uint32_t DrawScale(ChoiceStream& choices, ir::ScaleDtype dtype) {
  struct Format {
    int bias;
    int fraction_bits;
    int exponent_min;  // ue4m3 has no normal numbers below 2^-6
  };
  constexpr Format kFormats[] = {
      {127, 23, -8}, {15, 10, -8}, {127, 7, -8}, {127, 0, -8}, {7, 3, -6}};
  const Format& format = kFormats[static_cast<size_t>(dtype)];
  const auto exponent =
      static_cast<uint32_t>(choices.Between(format.exponent_min, 2) + format.bias);
  const uint32_t fraction = choices.Percent(50) ? 0 : choices.Below(1u << format.fraction_bits);
  return exponent << format.fraction_bits | fraction;
}

DataSpec QuantizedData(ChoiceStream& choices, const Type& type) {
  const ir::Scheme& scheme = type.scheme();
  const int low = ir::CodeMin(scheme.value);
  const int high = ir::CodeMax(scheme.value);
  DataSpec data;
  data.form = DataForm::kQuantized;
  const auto count = static_cast<size_t>(type.NumElements());
  data.codes.resize(count);
  const uint32_t kind = choices.Below(6);
  for (size_t i = 0; i < count; ++i) {
    // Position-revealing, all zero, or drawn.
    const int span = high - low + 1;
    data.codes[i] = kind == 0   ? low + static_cast<int>(i % static_cast<size_t>(span))
                    : kind == 1 ? 0
                                : static_cast<int32_t>(choices.Between(low, high));
  }
  // One outlier in zeros.
  if (kind == 1 && count > 0 && choices.Percent(50)) {
    data.codes[choices.Below(static_cast<uint32_t>(count))] = high;
  }
  data.scales.resize(static_cast<size_t>(ir::ScaleGrid(scheme, type.shape).NumElements()));
  for (uint32_t& scale : data.scales) scale = DrawScale(choices, scheme.scale);
  if (scheme.two_level) data.tensor_scale = DrawScale(choices, ir::ScaleDtype::kF32);
  if (!scheme.asymmetric()) return data;
  // Zero in the middle, at an end, or anywhere.
  const uint32_t place = choices.Below(3);
  for (size_t i = 0; i < data.scales.size(); ++i) {
    data.zeros.push_back(place == 0   ? (low + high + 1) / 2
                         : place == 1 ? low
                                      : static_cast<int32_t>(choices.Between(low, high)));
  }
  return data;
}

// Where a few elements do, a list shows them.
void PreferList(const Type& type, DataSpec& data) {
  const int64_t count = type.NumElements();
  if (data.form == DataForm::kCycle && count <= static_cast<int64_t>(data.elements.size())) {
    data.elements.resize(static_cast<size_t>(count));
    data.form = DataForm::kList;
  }
}

}  // namespace

void SetOverride(DataSpec& data, int64_t index, uint64_t bits) {
  const auto at =
      std::ranges::lower_bound(data.overrides, index, {}, &std::pair<int64_t, uint64_t>::first);
  if (at != data.overrides.end() && at->first == index) {
    at->second = bits;
  } else {
    data.overrides.insert(at, {index, bits});
  }
}

void AddSpecialValues(ChoiceStream& choices, const Type& type, DataSpec& data) {
  const int64_t count = type.NumElements();
  if (count == 0 || type.quantized()) return;
  const auto values =
      choices.OneIn(3) ? FiniteSpecialValues(type.dtype()) : SpecialValues(type.dtype());
  const uint32_t places = 1 + choices.Below(choices.OneIn(4) ? 8 : 3);
  for (uint32_t i = 0; i < places; ++i) {
    int64_t index = choices.Below(static_cast<uint32_t>(count));
    if (choices.OneIn(5)) index = choices.Percent(50) ? count - 1 : 0;
    const uint64_t bits = choices.Pick(values);
    if (data.form == DataForm::kList) {
      // The list of a draft may be shorter than its type: that is repaired later.
      if (index < static_cast<int64_t>(data.elements.size())) {
        data.elements[static_cast<size_t>(index)] = bits;
      }
    } else {
      SetOverride(data, index, bits);
    }
  }
}

ir::DataPtr DrawData(ChoiceStream& choices, const Swarm& swarm, const Type& type, Domain domain) {
  auto data = std::make_shared<DataSpec>();
  if (type.quantized()) {
    *data = QuantizedData(choices, type);
    return data;
  }
  const auto regime = static_cast<Regime>(choices.Weighted(swarm.regimes));
  const Dtype dtype = type.dtype();
  if (dtype == Dtype::kBool) {
    *data = BoolData(choices, regime);
  } else if (ir::IsFloat(dtype)) {
    *data = FloatData(choices, regime, dtype, domain);
  } else {
    *data = IntData(choices, regime, dtype, domain);
  }
  PreferList(type, *data);
  if (choices.Percent(swarm.special_percent)) AddSpecialValues(choices, type, *data);
  return data;
}

ir::DataPtr DrawIndices(ChoiceStream& choices, const Type& type, int64_t low, int64_t high) {
  auto data = std::make_shared<DataSpec>();
  const int64_t count = type.NumElements();
  if (count <= kListMax) {
    data->form = DataForm::kList;
    for (int64_t i = 0; i < count; ++i) {
      data->elements.push_back(ir::FromInt(type.dtype(), choices.Between(low, high)));
    }
    return data;
  }
  *data = Parametric(DataForm::kInts, choices, static_cast<double>(low), static_cast<double>(high));
  return data;
}

ir::DataPtr DrawExponents(ChoiceStream& choices, const Type& type) {
  auto data = std::make_shared<DataSpec>();
  data->form = DataForm::kCycle;
  const uint32_t count = 2 + choices.Below(7);
  for (uint32_t i = 0; i < count; ++i) {
    data->elements.push_back(ir::FromInt(type.dtype(), DrawExponent(choices, type.dtype())));
  }
  PreferList(type, *data);
  return data;
}

bool BoundsOfData(const DataSpec& data, const Type& type, int64_t* low, int64_t* high) {
  if (!ir::IsInt(type.dtype()) || type.NumElements() == 0) return false;
  std::vector<int64_t> values;
  switch (data.form) {
    case DataForm::kList:
    case DataForm::kConstant:
    case DataForm::kCycle:
      for (const uint64_t bits : data.elements) values.push_back(ir::ToInt(type.dtype(), bits));
      break;
    case DataForm::kInts:
      values = {static_cast<int64_t>(data.parameters[0]), static_cast<int64_t>(data.parameters[1])};
      break;
    default:
      return false;
  }
  for (const auto& [index, bits] : data.overrides) {
    values.push_back(ir::ToInt(type.dtype(), bits));
  }
  if (values.empty()) return false;
  *low = std::ranges::min(values);
  *high = std::ranges::max(values);
  return true;
}

}  // namespace faultline::harness
