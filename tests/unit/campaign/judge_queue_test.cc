// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/judge_queue.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "harness/campaign/findings_log.h"
#include "reports/finding_json.h"

namespace faultline::harness {
namespace {

class Folder {
 public:
  Folder() : path_("/tmp/faultline-judges-" + std::to_string(getpid())) {
    REQUIRE(MakeFolder(path_ + "/findings").ok());
    REQUIRE(MakeFolder(path_ + "/log").ok());
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

reports::Finding Crash(int i) {
  reports::Finding finding;
  finding.id = "crash" + std::to_string(i);
  finding.key = "crash/11";
  finding.verdict = "crash";
  finding.program = "faultline 1\nread\n";
  return finding;
}

// The process that the queue starts is this test binary, which knows no `judge`: what a judge
// would have written is written here.
void Judge(JudgeQueue& queue, const CampaignOptions& options, reports::Finding finding,
           const std::string& key) {
  queue.Work();
  finding.key = key;
  finding.confirmed = 3;
  const std::string path = CampaignPaths(options.out).judged(finding.id);
  REQUIRE(WriteWholeFile(path, reports::FindingToJson(finding)).ok());
  const int waiting = queue.open();
  while (queue.open() == waiting) queue.Work();
}

TEST_CASE("a key that a judge gives keeps the count of the one that it replaces") {
  const Folder folder;
  CampaignOptions options;
  options.out = folder.path();
  options.judged_per_key = 2;
  JudgeQueue queue(options);
  for (int i = 0; i < 50; ++i) queue.Add(Crash(i));
  CHECK(queue.open() == 2);
  CHECK(queue.keys() == 1);
  Judge(queue, options, Crash(0), "crash/check.cc:7");
  Judge(queue, options, Crash(1), "crash/check.cc:7");
  const auto folded = queue.Folded();
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].key == "crash/check.cc:7");
  CHECK(folded[0].count == 50);
}

TEST_CASE("what a campaign shows as a whole is judged by nobody") {
  CampaignOptions options;
  JudgeQueue queue(options);
  reports::Finding cost = Crash(0);
  cost.program.clear();
  cost.key = "cost/fusion";
  queue.Add(cost);
  CHECK(queue.open() == 0);
  REQUIRE(queue.Folded().size() == 1);
  CHECK(queue.Folded()[0].count == 1);
}

}  // namespace
}  // namespace faultline::harness
