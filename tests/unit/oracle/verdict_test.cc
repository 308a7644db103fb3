// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/verdict.h"

#include <catch2/catch.hpp>
#include <csignal>

namespace faultline::harness {
namespace {

TEST_CASE("names of verdicts and aspects are read back") {
  for (int i = 0; i <= static_cast<int>(VerdictKind::kVacuous); ++i) {
    CHECK(FindVerdict(VerdictName(static_cast<VerdictKind>(i))) == static_cast<VerdictKind>(i));
  }
  for (int i = 0; i <= static_cast<int>(Aspect::kExpect); ++i) {
    CHECK(FindAspect(AspectName(static_cast<Aspect>(i))) == static_cast<Aspect>(i));
  }
  CHECK_FALSE(FindVerdict("ok").has_value());
}

TEST_CASE("a key groups by aspect, kind of op and class of dtype") {
  Verdict verdict;
  verdict.kind = VerdictKind::kDivergence;
  verdict.aspect = Aspect::kNumber;
  verdict.op = ir::Opcode::kExp;
  verdict.dtype_class = "float";
  CHECK(KeyOf(verdict) == "divergence/number/elementwise/float");
  verdict.op = ir::Opcode::kTanh;
  verdict.value = "other";
  CHECK(KeyOf(verdict) == "divergence/number/elementwise/float");
  verdict.op = ir::Opcode::kSumDim;
  CHECK(KeyOf(verdict) == "divergence/number/reduction/float");
  verdict.op.reset();
  CHECK(KeyOf(verdict) == "divergence/number/input/float");
}

TEST_CASE("a crash is keyed by what died, not by where in memory") {
  const Verdict check =
      CrashVerdict(SIGABRT, 0, "noise\nplan.cc:12: check failed: a == b: sizes differ\nmore\n");
  CHECK(check.kind == VerdictKind::kCrash);
  CHECK(check.key == "crash/check failed: a == b: sizes differ");

  constexpr char kReport[] =
      "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x55\n"
      "READ of size 4 at 0x602 thread T0\n"
      "    #0 0x5591 in __asan_memcpy (bin/x+0x1)\n"
      "    #1 0x5592 in faultline::fusion::Copy(void const*) fusion/copy.cc:12:3\n"
      "    #2 0x5593 in faultline::fusion::Launch::Run() fusion/launch.cc:40:5\n"
      "    #3 0x5594 in main main.cc:3\n"
      "    #4 0x5595 in start crt.cc:3\n";
  const Verdict sanitizer = CrashVerdict(0, 1, kReport);
  CHECK(sanitizer.key == "crash/heap-buffer-overflow in Copy < Run < main");

  CHECK(CrashVerdict(SIGSEGV, 0, "").key == "crash/signal 11 (Segmentation fault)");
  CHECK(CrashVerdict(0, 77, "").key == "crash/exit code 77");
  // A code is no signal of the same number.
  CHECK(CrashVerdict(0, SIGABRT, "").key == "crash/exit code 6");
  CHECK(CrashVerdict(0, 1, "a.cc:3:4: runtime error: shift exponent -1 is negative\n").key ==
        "crash/runtime error: shift exponent -1 is negative");
}

TEST_CASE("findings are what a correct backend never gives") {
  CHECK(IsFinding(VerdictKind::kDivergence));
  CHECK(IsFinding(VerdictKind::kCrash));
  CHECK(IsFinding(HangVerdict(3).kind));
  CHECK(IsFinding(VerdictKind::kLeak));
  CHECK_FALSE(IsFinding(VerdictKind::kAgree));
  CHECK_FALSE(IsFinding(VerdictKind::kUnsupported));
  CHECK_FALSE(IsFinding(VerdictKind::kVacuous));
}

}  // namespace
}  // namespace faultline::harness
