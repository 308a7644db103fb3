// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/compare.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "ir/element.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

// A program, its evaluation under our contract, and the observation that agrees with it entirely;
// tests spoil the observation.
struct Case {
  ir::Program program;
  reference::Contract contract = reference::FusionCpuContract();
  reference::Evaluation evaluation;
  Observation seen;

  explicit Case(const std::string& body) {
    auto parsed = ir::ParseAndVerify("faultline 1\n" + body);
    INFO((parsed ? "" : parsed.error().Format("text")));
    REQUIRE(parsed.has_value());
    program = std::move(*parsed);
    evaluation = reference::Evaluate(program, contract);
    for (size_t i = 0; i < program.statements.size(); ++i) {
      if (program.statements[i].kind != ir::StatementKind::kRead) continue;
      ReadObservation& read = seen.reads.emplace_back();
      read.statement = static_cast<int>(i);
      for (ir::ValueId value : program.statements[i].operands) {
        read.tensors.push_back(evaluation.Naive(value));
      }
    }
  }

  Comparison Run(const CompareOptions& options = {}) const {
    return Compare(program, contract, evaluation, seen, options);
  }
  ir::HostTensor& Tensor(size_t read, size_t position) {
    return seen.reads[read].tensors[position];
  }
  void Set(size_t read, size_t position, int64_t index, uint64_t bits) {
    ir::HostTensor& tensor = Tensor(read, position);
    const ir::Dtype dtype = tensor.type.dtype();
    ir::StoreElement(dtype, bits, tensor.bytes.data() + index * ir::ByteSize(dtype));
  }
  uint64_t Get(size_t read, size_t position, int64_t index) {
    ir::HostTensor& tensor = Tensor(read, position);
    const ir::Dtype dtype = tensor.type.dtype();
    return ir::LoadElement(dtype, tensor.bytes.data() + index * ir::ByteSize(dtype));
  }
};

constexpr char kTwo[] =
    "%a: f32[3] = input [0x1p+0, 0x1.8p+0, 0x1p+1]\n"
    "%e: f32[3] = exp %a\n"
    "%n: f32[3] = neg %a\n"
    "read %e %n\n";

TEST_CASE("what the plain reference gives agrees") {
  const Comparison result = Case(kTwo).Run();
  CHECK(result.verdict.kind == VerdictKind::kAgree);
  CHECK(result.verdict.key == "agree");
  CHECK(result.statistics.compared == 6);
  CHECK(result.statistics.exact == 3);
  CHECK(result.statistics.vacuous == 0);
}

TEST_CASE("one ulp is inside a function's set, many are not, and evidence says so") {
  Case one(kTwo);
  const uint64_t bits = one.Get(0, 0, 1);
  // exp is within 1 ulp of the exact value, so that one of the neighbours is admissible too.
  int admissible = 0;
  for (uint64_t neighbour : {bits - 1, bits, bits + 1}) {
    one.Set(0, 0, 1, neighbour);
    admissible += one.Run().verdict.kind == VerdictKind::kAgree ? 1 : 0;
  }
  CHECK(admissible == 2);
  one.Set(0, 0, 1, bits + 40);
  const Verdict verdict = one.Run().verdict;
  CHECK(verdict.kind == VerdictKind::kDivergence);
  CHECK(verdict.aspect == Aspect::kNumber);
  CHECK(verdict.key == "divergence/number/elementwise/float");
  CHECK(verdict.statement == 3);
  CHECK(verdict.position == 0);
  CHECK(verdict.value == "e");
  CHECK(verdict.op == ir::Opcode::kExp);
  CHECK(verdict.pattern == MismatchPattern::kSingle);
  CHECK(verdict.mismatches == 1);
  REQUIRE(verdict.worst.size() == 1);
  CHECK(verdict.worst[0].index == 1);
  CHECK(verdict.worst[0].ulp >= 39);
  CHECK(verdict.worst[0].ulp <= 41);
  CHECK(verdict.wrong == std::vector<int64_t>{1});
}

TEST_CASE("a point admits its own bits alone") {
  Case wrong(kTwo);
  wrong.Set(0, 1, 2, wrong.Get(0, 1, 2) + 1);
  CHECK(wrong.Run().verdict.key == "divergence/number/elementwise/float");
}

TEST_CASE("classes and zero signs are aspects of their own") {
  Case nan(kTwo);
  nan.Set(0, 0, 0, 0x7fc00000);
  CHECK(nan.Run().verdict.aspect == Aspect::kNonFinite);
  Case zero("%a: f32[1] = input [0x0p+0]\n%n: f32[1] = neg %a\nread %n\n");
  zero.Set(0, 0, 0, 0);
  CHECK(zero.Run().verdict.aspect == Aspect::kZeroSign);
}

TEST_CASE("wrong types, counts and orders are told from wrong values") {
  Case type(kTwo);
  type.Tensor(0, 1).type = ir::Type(ir::Dtype::kI32, {3});
  CHECK(type.Run().verdict.aspect == Aspect::kType);
  Case bytes(kTwo);
  bytes.Tensor(0, 1).bytes.pop_back();
  CHECK(bytes.Run().verdict.aspect == Aspect::kType);
  Case count(kTwo);
  count.seen.reads[0].tensors.pop_back();
  CHECK(count.Run().verdict.aspect == Aspect::kType);
  Case order(kTwo);
  std::swap(order.Tensor(0, 0), order.Tensor(0, 1));
  CHECK(order.Run().verdict.aspect == Aspect::kOrder);
}

TEST_CASE("a read has to fail exactly where it is predicted to") {
  Case fails(kTwo);
  fails.seen.reads[0].status = {ir::StatusCode::kDeviceLost, "gone"};
  fails.seen.reads[0].tensors.clear();
  const Verdict verdict = fails.Run().verdict;
  CHECK(verdict.aspect == Aspect::kStatus);
  CHECK(verdict.message.find("device_lost") != std::string::npos);
}

TEST_CASE("a call that fails is a divergence, unless memory was made to run out") {
  Case refused(kTwo);
  refused.seen.failures.push_back({1, {ir::StatusCode::kUnsupported, "no exp"}});
  CHECK(refused.Run().verdict.aspect == Aspect::kStatus);
  CHECK(refused.Run().verdict.statement == 1);
  Case starved(kTwo);
  const ir::Status status(ir::StatusCode::kOutOfMemory, "12 bytes");
  starved.seen.failures.push_back({1, status});
  starved.seen.reads[0].status = status;
  starved.seen.reads[0].tensors.clear();
  CHECK(starved.Run().verdict.kind == VerdictKind::kDivergence);
  CHECK(starved.Run({.memory_may_run_out = true}).verdict.kind == VerdictKind::kAgree);
}

// The order of near exponentials is open; that of far ones is not.
constexpr char kOrders[] =
    "%a: f32[4] = input [0x1p+0, 0x1p+0, 0x1p+1, 0x1p+2]\n"
    "%e: f32[4] = exp %a\n"
    "%y: f32[4], %i: i64[4] = sort_with_indices %e dim=0 descending=true\n"
    "read %y %i\n";

TEST_CASE("indices of one op are one order, and its values stand at them") {
  CHECK(Case(kOrders).Run().verdict.kind == VerdictKind::kAgree);
  // %a[0] and %a[1] have the same set: either may be the greater, not both at once.
  Case either(kOrders);
  either.Set(0, 1, 2, 1);
  CHECK(either.Run().verdict.kind == VerdictKind::kDivergence);
  CHECK(either.Run().verdict.value == "i");
  either.Set(0, 1, 3, 0);
  const uint64_t bits = either.Get(0, 0, 3);
  either.Set(0, 0, 2, bits + 1);
  either.Set(0, 0, 3, bits);
  CHECK(either.Run().verdict.kind == VerdictKind::kAgree);
  // Of equal values the first stands first.
  either.Set(0, 0, 2, bits);
  CHECK(either.Run().verdict.key == "divergence/number/sort/int");
}

TEST_CASE("two reads of one value give the same bits, clones included") {
  const std::string body =
      "%a: f32[1] = input [0x1.8p+0]\n"
      "%e: f32[1] = exp %a\n"
      "%c: f32[1] = clone %e\n"
      "read %e\n"
      "read %c\n";
  Case same(body);
  const uint64_t bits = same.Get(0, 0, 0);
  CHECK(same.Run().verdict.kind == VerdictKind::kAgree);
  // Find the other admissible value: it is fine for both reads, but not for one of them.
  for (uint64_t other : {bits - 1, bits + 1}) {
    Case both(body);
    both.Set(0, 0, 0, other);
    both.Set(1, 0, 0, other);
    if (both.Run().verdict.kind != VerdictKind::kAgree) continue;
    Case differ(body);
    differ.Set(1, 0, 0, other);
    CHECK(differ.Run().verdict.aspect == Aspect::kOneValue);
    differ.contract.one_value = false;
    CHECK(differ.Run().verdict.kind == VerdictKind::kAgree);
    return;
  }
  FAIL("exp has one admissible value here");
}

TEST_CASE("a value that was read is taken as given for what follows from it") {
  const std::string body =
      "%a: f32[4] = input [0x1.8p+0, 0x1.1p+0, 0x1.7p-1, 0x1.3p+1]\n"
      "%e: f32[4] = exp %a\n"
      "%n: f32[4] = neg %e\n"
      "read %e %n\n";
  Case split(body);
  const Comparison agreed = split.Run();
  CHECK(agreed.verdict.kind == VerdictKind::kAgree);
  CHECK(agreed.statistics.pinned_values == 2);
  CHECK(agreed.statistics.exact == 4);  // neg of what was read is a point
  // Admissible by itself, but not beside what was read of %e.
  for (int64_t i = 0; i < 4; ++i) {
    for (const int delta : {-1, 1}) {
      Case alone(body);
      const uint64_t other = alone.Get(0, 1, i) + static_cast<uint64_t>(delta);
      alone.Set(0, 0, i, other ^ 0x80000000);
      alone.Set(0, 1, i, other);
      if (alone.Run().verdict.kind != VerdictKind::kAgree) continue;
      Case beside(body);
      beside.Set(0, 1, i, other);
      CHECK(beside.Run().verdict.key == "divergence/number/elementwise/float");
      return;
    }
  }
  FAIL("no element of exp has two admissible values");
}

TEST_CASE("what is alive at the end leaks") {
  Case leak(kTwo);
  leak.seen.live.handles = 1;
  CHECK(leak.Run().verdict.kind == VerdictKind::kLeak);
  leak.seen.live = {.handles = 0, .bytes = 64};
  CHECK(leak.Run().verdict.kind == VerdictKind::kLeak);
}

TEST_CASE("a comparison that could not fail is vacuous") {
  CHECK(Case("%a: f32[1] = input [0x1p+0]\n%b: f32[1] = neg %a\n").Run().verdict.kind ==
        VerdictKind::kVacuous);
  // An empty transaction and an empty tensor are compared for status and type.
  CHECK(Case("read\n").Run().verdict.kind == VerdictKind::kAgree);
  CHECK(Case("%a: f32[0] = input []\nread %a\n").Run().verdict.kind == VerdictKind::kAgree);
}

TEST_CASE("a session that cannot be opened for want of support is no divergence") {
  Case closed(kTwo);
  closed.seen.opened = {ir::StatusCode::kUnsupported, "no AVX-512 here"};
  CHECK(closed.Run().verdict.kind == VerdictKind::kUnsupported);
  closed.seen.opened = {ir::StatusCode::kInternal, "plan cache is corrupt"};
  CHECK(closed.Run().verdict.kind == VerdictKind::kDivergence);
}

}  // namespace
}  // namespace faultline::harness
