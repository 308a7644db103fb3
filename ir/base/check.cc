// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace faultline::ir {

void CheckFailed(const char* file, int line, const char* condition, const char* message) {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, message);
  std::abort();
}

}  // namespace faultline::ir
