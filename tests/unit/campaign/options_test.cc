// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/options.h"

#include <catch2/catch.hpp>
#include <set>

namespace faultline::harness {
namespace {

TEST_CASE("options survive their text") {
  CampaignOptions before;
  before.backend = {
      .name = "./libmine.so", .fault = "tail", .contract_text = "one_value yes\nulp exp 2\n"};
  before.seeds = {"corpus/seeds", "a folder with spaces"};
  before.deny = {"fuse(%a,%b)"};
  before.seconds = 12.5;
  before.runs = 1u << 30;
  before.chaos = true;
  const auto after = ParseOptions(PrintOptions(before));
  REQUIRE(after.has_value());
  CHECK(after->backend.name == before.backend.name);
  CHECK(after->backend.fault == before.backend.fault);
  CHECK(after->backend.contract_text == before.backend.contract_text);
  CHECK(after->seeds == before.seeds);
  CHECK(after->deny == before.deny);
  CHECK(after->seconds == before.seconds);
  CHECK(after->runs == before.runs);
  CHECK(after->chaos);
}

TEST_CASE("a line that is no option is named") {
  const auto options = ParseOptions("jobs 2\nnonsense 3\n");
  REQUIRE_FALSE(options.has_value());
  CHECK(options.error().where().line == 2);
  CHECK_FALSE(ParseOptions("jobs two\n").has_value());
}

TEST_CASE("a text is always run the same way, and texts are run in every way") {
  CampaignOptions options;
  std::set<PoolMode> pools;
  std::set<int> threads;
  std::set<bool> fusion;
  std::set<bool> chaos;
  std::set<uint8_t> poisons;
  for (uint64_t hash = 0; hash < 200; ++hash) {
    const RunOptions run = DrawRunOptions(options, hash);
    const SessionOptions& session = run.session;
    CHECK(session == DrawRunOptions(options, hash).session);
    CHECK(run.poison == DrawRunOptions(options, hash).poison);
    poisons.insert(run.poison);
    pools.insert(session.pool);
    threads.insert(session.threads);
    fusion.insert(session.fusion);
    chaos.insert(session.chaos.has_value());
  }
  CHECK(pools.size() == 3);
  CHECK(threads.size() == 2);
  CHECK(fusion.size() == 2);
  CHECK(chaos.size() == 2);
  CHECK(poisons.size() > 20);
}

}  // namespace
}  // namespace faultline::harness
