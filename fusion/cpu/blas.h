// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// OpenBLAS, opened at run time. It picks its kernels when it is loaded and does not know newer
// CPUs, so the core type is set (if the user has not) before that; hence no link-time dependency.

#ifndef FUSION_CPU_BLAS_H_
#define FUSION_CPU_BLAS_H_

#include <string>

namespace faultline::fusion::cpu {

inline constexpr int kBlasRowMajor = 101;
inline constexpr int kBlasAsIs = 111;
inline constexpr int kBlasTransposed = 112;

struct Blas {
  using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                         float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                         float* c, int ldc);
  using Dgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                         double alpha, const double* a, int lda, const double* b, int ldb,
                         double beta, double* c, int ldc);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  std::string description;  // "gemm: openblas SkylakeX"
};

// Opened at the first call. Without a library the functions are null and the description says so.
const Blas& GetBlas();

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_BLAS_H_
