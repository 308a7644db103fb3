// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace faultline::fusion::cpu {
namespace {

template <typename Function>
Function Find(void* library, const char* name) {
  void* address = dlsym(library, name);
  Function function = nullptr;
  static_assert(sizeof(function) == sizeof(address));
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

void SetCoreType() {
  const char* core = nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    core = "SKYLAKEX";
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    core = "HASWELL";
  }
  if (core != nullptr) setenv("OPENBLAS_CORETYPE", core, /*overwrite=*/0);
}

Blas Open() {
  Blas blas;
  blas.description = "gemm: own kernels (libopenblas.so.0 was not found)";
  SetCoreType();
  void* library = nullptr;
  // The serial build first: threads are ours.
  for (const char* name :
       {"/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0", "libopenblas.so.0"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return blas;
  blas.sgemm = Find<Blas::Sgemm>(library, "cblas_sgemm");
  blas.dgemm = Find<Blas::Dgemm>(library, "cblas_dgemm");
  if (blas.sgemm == nullptr || blas.dgemm == nullptr) {
    blas.sgemm = nullptr;
    blas.dgemm = nullptr;
    return blas;
  }
  if (auto threads = Find<void (*)(int)>(library, "openblas_set_num_threads"); threads != nullptr) {
    threads(1);
  }
  const auto core = Find<char* (*)()>(library, "openblas_get_corename");
  blas.description =
      std::string("gemm: openblas ") + (core == nullptr ? "of unknown core" : core());
  return blas;
}

}  // namespace

const Blas& GetBlas() {
  static const Blas blas = Open();
  return blas;
}

}  // namespace faultline::fusion::cpu
