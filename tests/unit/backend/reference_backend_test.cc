// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/reference/reference_backend.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/backend/run.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

Observation Run(const std::string& body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program ? "" : program.error().Format("text")));
  REQUIRE(program.has_value());
  const auto backend = MakeReferenceBackend();
  return RunProgram(*program, *backend, {});
}

TEST_CASE("the reference reads an input of any layout as its logical elements") {
  const Observation seen =
      Run("%a: i8[2,3] = input [1, 2, 3, 4, 5, 6] strides=[1, -2] offset=5 storage=9\n"
          "%b: i8[3,2] = input cycle([7, 8]) strides=[0, 1]\n"
          "read %a %b\n");
  REQUIRE(seen.reads.size() == 1);
  REQUIRE(seen.reads[0].status.ok());
  const auto bytes = [&](size_t i) {
    std::string text;
    for (std::byte byte : seen.reads[0].tensors[i].bytes) {
      text += static_cast<char>('0' + std::to_integer<int>(byte));
    }
    return text;
  };
  CHECK(bytes(0) == "123456");
  CHECK(bytes(1) == "787878");
}

TEST_CASE("the reference counts a value once, however many handles it has") {
  const auto backend = MakeReferenceBackend();
  const auto session = backend->Open({});
  REQUIRE(session.has_value());
  const ir::Type type(ir::Dtype::kF32, {4});
  const std::vector<std::byte> bytes(16);
  const auto a = (*session)->Create(0, "a", type, {}, bytes);
  REQUIRE(a.has_value());
  const auto c = (*session)->Clone(0, *a, "c");
  REQUIRE(c.has_value());
  CHECK((*session)->Live() == LiveCounts{.handles = 2, .bytes = 16});
  CHECK((*session)->Drop(0, *a).ok());
  CHECK((*session)->Live() == LiveCounts{.handles = 1, .bytes = 16});
  CHECK((*session)->Drop(0, *c).ok());
  CHECK((*session)->Live() == LiveCounts{});
}

}  // namespace
}  // namespace faultline::harness
