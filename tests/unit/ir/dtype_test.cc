// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/dtype.h"

#include <catch2/catch.hpp>

namespace faultline::ir {
namespace {

TEST_CASE("every plain dtype is found by its name") {
  for (const Dtype dtype : kPlainDtypes) CHECK(FindDtype(DtypeName(dtype)) == dtype);
  CHECK_FALSE(FindDtype("quantized").has_value());
  CHECK_FALSE(FindDtype("f8").has_value());
  CHECK_FALSE(FindDtype("").has_value());
}

TEST_CASE("a dtype is in exactly one kind") {
  for (const Dtype dtype : kPlainDtypes) {
    CHECK(int{IsFloat(dtype)} + int{IsSigned(dtype)} + int{IsUnsigned(dtype)} +
              int{dtype == Dtype::kBool} ==
          1);
    CHECK(IsIn(dtype, kPlainMask));
  }
  CHECK_FALSE(IsIn(Dtype::kQuantized, kPlainMask));
  CHECK_FALSE(IsIn(Dtype::kF64, kQuantizableMask));
  CHECK(IsIn(Dtype::kBf16, kQuantizableMask));
}

TEST_CASE("integer ranges") {
  CHECK(IntMin(Dtype::kI8) == -128);
  CHECK(IntMax(Dtype::kI8) == 127);
  CHECK(IntMin(Dtype::kU16) == 0);
  CHECK(IntMax(Dtype::kU16) == 65535);
  CHECK(IntMin(Dtype::kI64) == INT64_MIN);
  CHECK(IntMax(Dtype::kI64) == static_cast<uint64_t>(INT64_MAX));
  CHECK(IntMax(Dtype::kU64) == UINT64_MAX);
  CHECK(IntMax(Dtype::kBool) == 1);
}

}  // namespace
}  // namespace faultline::ir
