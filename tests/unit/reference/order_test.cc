// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Orders of elements that are sets: what may stand where, and which permutations are one.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ir/element.h"
#include "reference/certificate.h"
#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

// Elements that may be a or its neighbour: exp is within one ulp.
constexpr char kSets[] =
    "%a: f32[4] = input [0x1p+0, 0x1p+0, 0x1p+1, nan]\n"
    "%e: f32[4] = exp %a\n";

TEST_CASE("an element of unknown value may stand at several places") {
  CHECK(DescribeY(kSets + std::string("%y: i64[4] = argsort %e dim=0\n")) == "{0, 1} {0, 1} 2 3");
  CHECK(DescribeY(kSets + std::string("%y: i64[4] = argsort %e dim=0 descending=true\n")) ==
        "3 2 {0, 1} {0, 1}");
  CHECK(DescribeY(kSets + std::string("%y: i32[3] = argtopk %e dim=0 k=3\n")) == "3 2 {0, 1}");
}

TEST_CASE("scans of sets are sets, those of points are points") {
  CHECK(DescribeY("%a: f32[3] = input [0x1p+1, 0x1p-1, nan]\n%y: f32[3] = cummin %a dim=0\n") ==
        "0x1p+1 0x1p-1 nan");
  CHECK(DescribeY("%a: f32[2] = input [-0x0p+0, 0x1p+0]\n%y: f32[2] = cummax %a dim=0\n") ==
        "{-0x0p+0, 0x0p+0} 0x1p+0");
  CHECK(DescribeY("%a: f32[3] = input [0x1.8p+0, 0x1.8p+0, 0x1p+127]\n"
                  "%y: f32[3] = cumprod %a dim=0\n") == "0x1.8p+0 0x1.2p+1 inf");
}

std::optional<Uncertified> CheckArgsort(const std::string& op, const std::vector<int64_t>& order) {
  const ir::Program program = ParseOrFail(kSets + op);
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const ir::Statement& statement = program.statements.back();
  ir::HostTensor indices;
  indices.type = program.TypeOf(statement.results.back());
  indices.bytes.resize(order.size() * 8);
  for (size_t k = 0; k < order.size(); ++k) {
    ir::StoreElement(ir::Dtype::kI64, static_cast<uint64_t>(order[k]),
                     indices.bytes.data() + 8 * k);
  }
  std::vector<const ir::HostTensor*> results(statement.results.size(), nullptr);
  results.back() = &indices;
  return CheckOrder(statement, *evaluation.values[statement.operands[0]].consumed, results,
                    FusionCpuContract());
}

TEST_CASE("a certificate tells permutations that some execution gives from those that none does") {
  const std::string sort = "%y: i64[4] = argsort %e dim=0\n";
  CHECK_FALSE(CheckArgsort(sort, {0, 1, 2, 3}).has_value());
  CHECK_FALSE(CheckArgsort(sort, {1, 0, 2, 3}).has_value());
  CHECK(CheckArgsort(sort, {1, 1, 2, 3})->element == 1);
  CHECK(CheckArgsort(sort, {0, 2, 1, 3})->element == 2);
  CHECK(CheckArgsort(sort, {0, 1, 3, 2})->element == 3);
  CHECK(CheckArgsort(sort, {0, 1, 2, 4})->element == 3);
}

TEST_CASE("what is left out of the top k comes after it") {
  const std::string top = "%v: f32[2], %y: i64[2] = topk_with_indices %e dim=0 k=2\n";
  CHECK_FALSE(CheckArgsort(top, {3, 2}).has_value());
  CHECK(CheckArgsort(top, {3, 0}).has_value());
  const std::string max = "%v: f32[1], %y: i64[1] = max_dim_with_indices %e dim=0\n";
  CHECK_FALSE(CheckArgsort(max, {3}).has_value());
  CHECK(CheckArgsort(max, {2}).has_value());
  const std::string min = "%v: f32[1], %y: i64[1] = min_dim_with_indices %e dim=0\n";
  CHECK_FALSE(CheckArgsort(min, {3}).has_value());
}

}  // namespace
}  // namespace faultline::reference
