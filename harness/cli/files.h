// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Program files in, reports out.

#ifndef HARNESS_CLI_FILES_H_
#define HARNESS_CLI_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"
#include "ir/program.h"

namespace faultline::harness {

inline constexpr std::string_view kProgramSuffix = ".fl";

// The text of a file of at most kTextBytesMax. kSyntax if it cannot be read (a program that cannot
// be read is bad input), is empty or too long.
ir::Result<std::string> ReadProgramText(const std::string& path);
// ... parsed and verified.
ir::Result<ir::Program> LoadProgram(const std::string& path);

// The program files that a path names: itself, or the *.fl files below it, sorted. kSyntax if there
// is no such file, or no program below the directory.
ir::Result<std::vector<std::string>> ListPrograms(const std::string& path);

// Writes the whole file, or stdout for "-". kIo, naming the path and the reason, if it did not all
// arrive: the disk may be full.
ir::Status WriteText(const std::string& path, std::string_view text);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_FILES_H_
