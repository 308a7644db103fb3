// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The program `faultline`. What it can do is in command.h and the cmd_*.cc files.

#include <string>
#include <vector>

#include "harness/cli/command.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(faultline::harness::RunFaultline(arguments));
}
