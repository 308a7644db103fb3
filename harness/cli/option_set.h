// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The options of one subcommand: each is bound to a variable that already holds its default. A thin
// face of Boost.Program_options, which only option_set.cc includes.

#ifndef HARNESS_CLI_OPTION_SET_H_
#define HARNESS_CLI_OPTION_SET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"

namespace faultline::harness {

class OptionSet {
 public:
  OptionSet();
  ~OptionSet();
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  // `--name`
  void Flag(std::string_view name, bool* target, std::string_view doc);
  // `--name PLACEHOLDER`
  void Value(std::string_view name, std::string* target, std::string_view placeholder,
             std::string_view doc);
  void Value(std::string_view name, int64_t* target, std::string_view placeholder,
             std::string_view doc);
  void Value(std::string_view name, std::optional<uint64_t>* target, std::string_view placeholder,
             std::string_view doc);
  // `--name X`; may be given several times, and each X may be a list a,b,c.
  void List(std::string_view name, std::vector<std::string>* target, std::string_view placeholder,
            std::string_view doc);
  // `--name 90s`: seconds, or a number with s, m or h.
  void Duration(std::string_view name, double* seconds, std::string_view doc);
  // `--name` or `--name PLACEHOLDER`: without a value `implicit` is taken.
  void ValueOr(std::string_view name, std::string* target, std::string_view implicit,
               std::string_view placeholder, std::string_view doc);
  // What is left on the line; without a call nothing may be.
  void Positional(std::string_view placeholder, std::vector<std::string>* target);

  // kUsage, naming the option, if the arguments do not fit.
  ir::Status Parse(std::span<const std::string> arguments);
  // `--help` was among the arguments.
  bool help() const;
  // One line an option, sorted by name.
  std::string Describe() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "90", "90s", "10m", "1.5h" in seconds.
std::optional<double> ParseDuration(std::string_view text);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_OPTION_SET_H_
