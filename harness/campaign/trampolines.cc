// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/trampolines.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "ir/print.h"

// Neither inlined nor merged with each other: each is a frame of its own.
#define FAULTLINE_TRAMPOLINE(n)                  \
  extern "C" [[noreturn]] void divergence_##n(); \
  extern "C" [[noreturn]] __attribute__((noinline, optnone)) void divergence_##n() { std::abort(); }
#define FAULTLINE_TRAMPOLINE_ROWS(each) \
  FAULTLINE_TRAMPOLINE_ROW(each, 0)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 1)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 2)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 3)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 4)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 5)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 6)     \
  FAULTLINE_TRAMPOLINE_ROW(each, 7)
#define FAULTLINE_TRAMPOLINE_ROW(each, high)                                          \
  each(high##0) each(high##1) each(high##2) each(high##3) each(high##4) each(high##5) \
      each(high##6) each(high##7)

FAULTLINE_TRAMPOLINE_ROWS(FAULTLINE_TRAMPOLINE)

namespace faultline::harness {
namespace {

#define FAULTLINE_TRAMPOLINE_ADDRESS(n) &divergence_##n,
constexpr std::array<void (*)(), kTrampolineCount> kTrampolines = {
    FAULTLINE_TRAMPOLINE_ROWS(FAULTLINE_TRAMPOLINE_ADDRESS)};
#undef FAULTLINE_TRAMPOLINE_ADDRESS

size_t BucketOf(std::string_view key) { return ir::HashText(key) % kTrampolineCount; }

}  // namespace

std::string TrampolineOf(std::string_view key) {
  return fmt::format("divergence_{:02o}", BucketOf(key));
}

void DieOfFinding(std::string_view title, std::string_view key) {
  fmt::print(stderr, "finding: {}\nDEDUP_TOKEN: {}\ndies in {}\n", title, key, TrampolineOf(key));
  std::fflush(stderr);
  kTrampolines[BucketOf(key)]();
  std::abort();
}

}  // namespace faultline::harness
