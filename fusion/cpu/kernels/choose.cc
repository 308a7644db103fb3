// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <string_view>

#include "fusion/cpu/kernels/kernels.h"

namespace faultline::fusion::cpu {
namespace {

#define FAULTLINE_KERNEL_SET(isa)                                                                 \
  {                                                                                               \
#isa, {&isa::kF32, &isa::kF64, &isa::kI32, &isa::kU32, &isa::kI64, &isa::kU64, &isa::kMask }, \
           &isa::kMemory                                                                          \
  }

constexpr KernelSet kBaselineSet = FAULTLINE_KERNEL_SET(baseline);
constexpr KernelSet kAvx2Set = FAULTLINE_KERNEL_SET(avx2);
constexpr KernelSet kAvx512Set = FAULTLINE_KERNEL_SET(avx512);
#undef FAULTLINE_KERNEL_SET

bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

const KernelSet* ChooseKernels(const char* isa) {
  const std::string_view name = isa == nullptr ? "" : isa;
  const bool any = name.empty();
  if ((any || name == "avx512") && HasAvx512()) return &kAvx512Set;
  if ((any || name == "avx2") && HasAvx2()) return &kAvx2Set;
  if (any || name == "baseline") return &kBaselineSet;
  return nullptr;
}

}  // namespace faultline::fusion::cpu
