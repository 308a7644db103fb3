// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reduce/data_forms.h"

#include <memory>

#include "ir/element.h"

namespace faultline::harness {
namespace {

ir::DataPtr Constant(ir::Dtype dtype, int64_t value) {
  auto data = std::make_shared<ir::DataSpec>();
  data->form = ir::DataForm::kConstant;
  data->elements = {ir::IsFloat(dtype) ? ir::FromDouble(dtype, static_cast<double>(value))
                                       : ir::FromInt(dtype, value)};
  return data;
}

ir::DataPtr Form(ir::DataForm form, double first, double second) {
  auto data = std::make_shared<ir::DataSpec>();
  data->form = form;
  data->seed = 1;
  data->parameters = {first, second};
  return data;
}

// Codes that tell positions apart, all scales one.
std::vector<ir::DataPtr> QuantizedForms(const ir::Type& type) {
  std::vector<ir::DataPtr> forms;
  if (type.scheme().asymmetric() || type.scheme().scale != ir::ScaleDtype::kF32 ||
      type.scheme().two_level) {
    return forms;
  }
  const auto grid = ir::ScaleGrid(type.scheme(), type.shape).NumElements();
  const int highest = ir::IsIntegerCode(type.scheme().value) ? ir::CodeMax(type.scheme().value) : 1;
  for (int modulus : {1, highest + 1}) {
    auto data = std::make_shared<ir::DataSpec>();
    data->form = ir::DataForm::kQuantized;
    for (int64_t i = 0; i < type.NumElements(); ++i) {
      data->codes.push_back(static_cast<int32_t>(i % modulus));
    }
    data->scales.assign(static_cast<size_t>(grid), 0x3f800000u);
    forms.push_back(std::move(data));
  }
  return forms;
}

}  // namespace

std::vector<ir::DataPtr> SimpleForms(const ir::Type& type) {
  if (type.quantized()) return QuantizedForms(type);
  if (type.dtype() == ir::Dtype::kBool)
    return {Constant(type.dtype(), 0), Constant(type.dtype(), 1)};
  return {Constant(type.dtype(), 0), Constant(type.dtype(), 1), Form(ir::DataForm::kIota, 0, 1),
          Form(ir::DataForm::kInts, 0, 7)};
}

}  // namespace faultline::harness
