// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/findings_log.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace faultline::harness {
namespace {

TEST_CASE("appended records are polled once, a torn one by a later record's side") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "faultline-findings-test.jsonl").string();
  std::filesystem::remove(path);
  reports::Finding finding;
  finding.key = "a";
  REQUIRE(AppendFinding(path, finding).ok());
  FindingsReader reader(path);
  CHECK(reader.Poll().size() == 1);
  CHECK(reader.Poll().empty());
  {
    std::ofstream torn(path, std::ios::app);
    torn << "{\"key\": \"half";
  }
  CHECK(reader.Poll().empty());
  finding.key = "b";
  REQUIRE(AppendFinding(path, finding).ok());
  const auto rest = reader.Poll();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].key == "b");
  std::filesystem::remove(path);
}

TEST_CASE("a full disk is a status") {
  CHECK_FALSE(AppendFinding("/dev/full", {}).ok());
  CHECK_FALSE(WriteWholeFile("/nonexistent/file", "text").ok());
}

TEST_CASE("an empty file is read as empty") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "faultline-empty-test.txt").string();
  REQUIRE(WriteWholeFile(path, "").ok());
  const auto text = ReadWholeFile(path);
  REQUIRE(text.has_value());
  CHECK(text->empty());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace faultline::harness
