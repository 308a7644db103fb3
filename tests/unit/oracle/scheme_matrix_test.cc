// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The scheme matrix is true: what works is quantized, moved, decoded and read byte for byte by the
// reference and by fusion-cpu; what is refused is refused by the verifier, in the same words.

#include "ir/scheme_matrix.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "harness/backend/registry.h"
#include "harness/oracle/judge.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

std::string ProgramOf(const ir::Scheme& scheme) {
  const std::string type = ir::PrintScheme(scheme);
  ir::Scheme turned = scheme;
  if (scheme.store != ir::QStore::kNative) turned.packed_dim = scheme.packed_dim == 0 ? 1 : 0;
  if (!scheme.per_tensor()) {
    turned.block_rank = 2;
    turned.block = {3, 1};
  }
  return "faultline 1\n"
         "%x: f32[4,8] = input normal(seed=7, mean=0x1p-2, std=0x1p+1) with {3: 0x1.8p+6, 9: "
         "-0x0p+0}\n"
         "%q: " +
         type +
         "[4,8] = quantize %x\n"
         "%t: " +
         ir::PrintScheme(turned) +
         "[8,4] = permute %q axes=[1,0]\n"
         "%s: " +
         type +
         "[3,5] = slice %q slices=[1:4:1, 2:7:1]\n"
         "%y: f32[4,8] = dequantize %q\n"
         "%h: f16[8,4] = dequantize %t\n"
         "%z: " +
         type +
         "[4,8] = add %q %x\n"
         "%m: f32[4,4] = q_matmul %q %t\n"
         "read %q %x %t %s %y\n"
         "read %h %z %m\n";
}

TEST_CASE("every scheme of the matrix works or is refused with its reason") {
  int works = 0;
  for (const std::string name : {"reference", "fusion-cpu"}) {
    const auto backend = MakeBackend({.name = name});
    REQUIRE(backend.has_value());
    for (const ir::SchemeCase& it : ir::SchemeMatrix()) {
      const bool written = it.scheme.asymmetric() == (it.mode == ir::QuantMode::kAsymmetric) &&
                           it.mode != ir::QuantMode::kLookup;
      if (!written) {
        CHECK_FALSE(it.refusal.ok());
        continue;
      }
      const std::string text = ProgramOf(it.scheme);
      INFO(text);
      const auto program = ir::ParseAndVerify(text);
      REQUIRE(program.has_value() == it.refusal.ok());
      if (!program.has_value()) {
        CHECK(program.error().message().find(it.refusal.message()) != std::string::npos);
        continue;
      }
      const Judgement judgement = JudgeProgram(*program, **backend, {});
      INFO(judgement.verdict.message);
      CHECK(judgement.verdict.kind == VerdictKind::kAgree);
      ++works;
    }
  }
  CHECK(works > 0);
}

}  // namespace
}  // namespace faultline::harness
