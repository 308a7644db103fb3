// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The first op whose value leaves its set when everything is read. Reading everything changes what
// a backend fuses: this is a second run, evidence beside a verdict and never the verdict.

#ifndef HARNESS_ORACLE_LOCALISE_H_
#define HARNESS_ORACLE_LOCALISE_H_

#include <string>
#include <string_view>

#include "harness/oracle/judge.h"
#include "ir/program.h"

namespace faultline::harness {

enum class Localised : uint8_t {
  kYes,       // at the value of the verdict, or at one it derives from
  kVanished,  // with everything read nothing is wrong
  kMoved,     // something else is wrong
};
std::string_view LocalisedName(Localised localised);

struct Localisation {
  Localised localised = Localised::kVanished;
  std::string value;      // the first wrong one, without '%'; empty if kVanished
  std::string statement;  // that makes it, as text
};

// The program with a read of each value right after the statement that makes it.
ir::Program ReadEverything(const ir::Program& program);

// Requires that judge(program, options) gave `verdict`, a divergence of a value.
Localisation Localise(const ir::Program& program, const Verdict& verdict, const Judge& judge,
                      const RunOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_LOCALISE_H_
