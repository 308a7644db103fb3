// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <string_view>

#include "fusion/cpu/kernels/kernels.h"

namespace faultline::fusion::cpu {
namespace {

#define FAULTLINE_KERNEL_SET(isa, product)                                                \
  {#isa,                                                                                  \
   {&isa::kF32, &isa::kF64, &isa::kI32, &isa::kU32, &isa::kI64, &isa::kU64, &isa::kMask}, \
   &isa::kMemory,                                                                         \
   &isa::kBytes,                                                                          \
   &product::kByteProduct}

constexpr KernelSet kBaselineSet = FAULTLINE_KERNEL_SET(baseline, baseline);
constexpr KernelSet kAvx2Set = FAULTLINE_KERNEL_SET(avx2, avx2);
constexpr KernelSet kAvx2VnniSet = FAULTLINE_KERNEL_SET(avx2, avx2_vnni);
constexpr KernelSet kAvx512Set = FAULTLINE_KERNEL_SET(avx512, avx512);
constexpr KernelSet kAvx512VnniSet = FAULTLINE_KERNEL_SET(avx512, avx512_vnni);
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
  if ((any || name == "avx512") && HasAvx512()) {
    return __builtin_cpu_supports("avx512vnni") ? &kAvx512VnniSet : &kAvx512Set;
  }
  if ((any || name == "avx2") && HasAvx2()) {
    return __builtin_cpu_supports("avxvnni") ? &kAvx2VnniSet : &kAvx2Set;
  }
  if (any || name == "baseline") return &kBaselineSet;
  return nullptr;
}

}  // namespace faultline::fusion::cpu
