// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/support.h"

#include <catch2/catch.hpp>
#include <string>

namespace faultline::harness {
namespace {

// What has no sample would be missing from every table of support without a word.
TEST_CASE("every op x dtype of the op table has a sample") {
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (int i = 0; i <= ir::kPlainDtypeCount; ++i) {
      const auto dtype = static_cast<ir::Dtype>(i);
      INFO(info.mnemonic << " " << ir::DtypeName(dtype));
      CHECK(MakeSample(info.op, dtype).has_value() == ir::IsIn(dtype, ir::OperandDtypes(info.op)));
    }
  }
}

}  // namespace
}  // namespace faultline::harness
