// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/variation.h"

#include <catch2/catch.hpp>
#include <string_view>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kText = R"(faultline 1
%a: f32[4,8] = input iota(start=0x0p+0, step=0x1p+0)
%i: i64[3] = input ints(seed=1, lo=0, hi=3)
%s: f32[4,8] = mul_scalar %a 0x1p+1
%g: f32[3,8] = select %s %i dim=0
%t: f32[2,8] = slice %g slices=[0:2:1, 0:8:1]
%q: q8s[2,8] = quantize %t
read %q
)";

ir::Program Draft() {
  auto program = ir::ParseAndVerify(kText);
  REQUIRE(program.has_value());
  return *program;
}

TEST_CASE("an extent changes everywhere, with slices and index bounds") {
  bool moved_bound = false;
  bool moved_slice = false;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    ir::Program draft = Draft();
    ChoiceStream choices(seed);
    if (!VaryExtents(draft, 0, draft.statements.size(), choices)) continue;
    const ir::Shape& a = draft.values[0].type.shape;
    CHECK(draft.values[2].type.shape == a);
    if (a[0] != 4 && a[0] > 0) {
      CHECK(draft.statements[1].data->parameters[1] == static_cast<double>(a[0] - 1));
      moved_bound = true;
    }
    if (a[1] != 8) {
      CHECK(draft.statements[4].attributes.Slices()[1].stop == a[1]);
      moved_slice = true;
    }
  }
  CHECK(moved_bound);
  CHECK(moved_slice);
}

TEST_CASE("each variation changes what it names and little else") {
  const ir::Program original = Draft();
  const size_t end = original.statements.size();
  int scalars = 0;
  int slices = 0;
  int attributes = 0;
  int dtypes = 0;
  int data = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ir::Program draft = original;
    ChoiceStream choices(seed);
    if (VaryScalars(draft, 0, end, choices)) ++scalars;
    CHECK(draft.values == original.values);
    draft = original;
    if (VarySlices(draft, 0, end, choices)) ++slices;
    CHECK(draft.values == original.values);
    draft = original;
    if (VaryAttribute(draft, 0, end, choices) && !(draft == original)) ++attributes;
    draft = original;
    if (VaryDtype(draft, 0, end, choices)) {
      ++dtypes;
      CHECK_FALSE(draft.values == original.values);
    }
    draft = original;
    if (VaryData(draft, 0, end, choices)) {
      ++data;
      CHECK(draft.values == original.values);
    }
  }
  CHECK(scalars > 20);
  CHECK(slices > 20);
  CHECK(attributes > 20);
  CHECK(dtypes > 10);
  CHECK(data > 20);
}

TEST_CASE("shrinking takes the largest extent") {
  ir::Program draft = Draft();
  ChoiceStream choices(uint64_t{3});
  REQUIRE(ShrinkExtents(draft, 0, draft.statements.size(), choices));
  CHECK(draft.values[0].type.shape[1] < 8);
  CHECK(draft.values[0].type.shape[0] == 4);
}

TEST_CASE("data keep their values in another dtype where they can") {
  ChoiceStream choices(uint64_t{1});
  ir::DataSpec data;
  data.form = ir::DataForm::kList;
  data.elements = {ir::FromDouble(ir::Dtype::kF32, 3), ir::FromDouble(ir::Dtype::kF32, -0.5)};
  const ir::Type from(ir::Dtype::kF32, ir::Shape{2});
  const ir::Type to(ir::Dtype::kI8, ir::Shape{2});
  const ir::DataPtr retyped = RetypeData(data, from, to, choices);
  CHECK(retyped->elements[0] == 3);
  CHECK(ir::VerifyData(*retyped, to).ok());
  const ir::Type wide(ir::Dtype::kF64, ir::Shape{2});
  CHECK(ir::ToDouble(ir::Dtype::kF64, RetypeData(data, from, wide, choices)->elements[1]) == -0.5);
}

}  // namespace
}  // namespace faultline::harness
