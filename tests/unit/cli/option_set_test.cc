// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/option_set.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

struct Line {
  bool flag = false;
  std::string text = "default";
  int64_t number = 7;
  std::optional<uint64_t> seed;
  std::vector<std::string> list = {"default"};
  double seconds = 1;
  std::string json;
  std::vector<std::string> files;
  OptionSet set;

  Line() {
    set.Flag("flag", &flag, "a flag");
    set.Value("text", &text, "TEXT", "a text");
    set.Value("number", &number, "N", "a number");
    set.Value("seed", &seed, "N", "a seed");
    set.List("list", &list, "A,B", "a list");
    set.Duration("time", &seconds, "a time");
    set.ValueOr("json", &json, "-", "[FILE]", "a file or nothing");
    set.Positional("FILE...", &files);
  }
  ir::Status Parse(const std::vector<std::string>& arguments) { return set.Parse(arguments); }
};

TEST_CASE("options that are not given keep their defaults") {
  Line line;
  REQUIRE(line.Parse({}).ok());
  CHECK_FALSE(line.flag);
  CHECK(line.text == "default");
  CHECK(line.number == 7);
  CHECK_FALSE(line.seed.has_value());
  CHECK(line.list == std::vector<std::string>{"default"});
  CHECK(line.json.empty());
}

TEST_CASE("options of every kind, with and without '=', between arguments") {
  Line line;
  REQUIRE(
      line.Parse({"a.fl", "--flag", "--text", "x y", "--number=-3", "--seed=18446744073709551615",
                  "--list", "p,q", "b.fl", "--list=r", "--time", "1.5m", "--json"})
          .ok());
  CHECK(line.flag);
  CHECK(line.text == "x y");
  CHECK(line.number == -3);
  CHECK(line.seed == UINT64_MAX);
  CHECK(line.list == std::vector<std::string>{"p", "q", "r"});
  CHECK(line.seconds == 90);
  CHECK(line.json == "-");
  CHECK(line.files == std::vector<std::string>{"a.fl", "b.fl"});
}

TEST_CASE("'-' is a value") {
  Line line;
  REQUIRE(line.Parse({"--json", "-", "--text", "-"}).ok());
  CHECK(line.json == "-");
  CHECK(line.text == "-");
}

TEST_CASE("wrong options are usage errors that name them") {
  for (const std::string wrong : {"--nosuch", "--number=x", "--number=1.5", "--seed=-1",
                                  "--time=soon", "--list=", "--flag=1", "--num=3", "--text"}) {
    Line line;
    const ir::Status status = line.Parse({wrong});
    INFO(wrong << ": " << status.message());
    REQUIRE(status.code() == ir::StatusCode::kUsage);
    CHECK(status.message().find(wrong.substr(2, 3)) != std::string::npos);
  }
}

TEST_CASE("arguments of a command that takes none are refused") {
  OptionSet set;
  const std::vector<std::string> arguments = {"surplus"};
  const ir::Status status = set.Parse(arguments);
  CHECK(status.code() == ir::StatusCode::kUsage);
  CHECK(status.message() == "unexpected argument 'surplus'");
}

TEST_CASE("options are described in the order of their names") {
  Line line;
  const std::string text = line.set.Describe();
  size_t last = 0;
  for (const char* name : {"--flag", "--help", "--json [FILE]", "--list A,B", "--number N",
                           "--seed N", "--text TEXT", "--time TIME"}) {
    const size_t at = text.find(name);
    INFO(name);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
}

TEST_CASE("ParseDuration takes seconds, minutes and hours") {
  CHECK(ParseDuration("90") == 90);
  CHECK(ParseDuration("90s") == 90);
  CHECK(ParseDuration("0.5m") == 30);
  CHECK(ParseDuration("2h") == 7200);
  for (const char* wrong : {"", "s", "-1", "nan", "inf", "1d", "1 s", "1e30"}) {
    INFO(wrong);
    CHECK_FALSE(ParseDuration(wrong).has_value());
  }
}

}  // namespace
}  // namespace faultline::harness
