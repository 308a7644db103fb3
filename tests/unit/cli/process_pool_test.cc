// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/process_pool.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>

namespace faultline::harness {
namespace {

using End = ItemResult::End;

std::map<int, ItemResult> Run(int items, const PoolOptions& options,
                              const std::function<std::string(int)>& work) {
  std::map<int, ItemResult> results;
  RunInChildren(
      items, options, work,
      [&](int item, const ItemResult& result) { CHECK(results.emplace(item, result).second); },
      [] { return false; });
  return results;
}

TEST_CASE("every item is answered once, by as many children as it takes") {
  for (const int per_child : {1, 3, 100}) {
    const auto results = Run(25, {.workers = 4, .items_per_child = per_child},
                             [](int i) { return std::to_string(i * i); });
    REQUIRE(results.size() == 25);
    for (const auto& [item, result] : results) {
      CHECK(result.end == End::kAnswered);
      CHECK(result.answer == std::to_string(item * item));
    }
  }
  CHECK(Run(0, {}, [](int) { return std::string(); }).empty());
}

TEST_CASE("an item that dies or hangs costs itself alone") {
  const auto results = Run(8, {.workers = 2, .timeout_s = 0.5, .items_per_child = 8}, [](int i) {
    std::fprintf(stderr, "item %d\n", i);
    if (i == 2) std::raise(SIGKILL);
    if (i == 3) _exit(9);
    while (i == 5) pause();
    return std::string("fine");
  });
  REQUIRE(results.size() == 8);
  for (const int item : {0, 1, 4, 6, 7}) CHECK(results.at(item).answer == "fine");
  CHECK(results.at(2).end == End::kDied);
  CHECK(results.at(2).signal == SIGKILL);
  CHECK(results.at(2).report == "item 2\n");
  CHECK(results.at(3).end == End::kDied);
  CHECK(results.at(3).signal == 0);
  CHECK(results.at(3).exit_code == 9);
  CHECK(results.at(3).report == "item 3\n");
  CHECK(results.at(5).end == End::kTimedOut);
}

TEST_CASE("a long answer arrives whole") {
  const auto results =
      Run(2, {.workers = 2}, [](int i) { return std::string(1000000, i == 0 ? 'a' : 'b'); });
  CHECK(results.at(0).answer == std::string(1000000, 'a'));
  CHECK(results.at(1).answer == std::string(1000000, 'b'));
}

TEST_CASE("a pool that is stopped ends with its children") {
  int answered = 0;
  RunInChildren(
      100, {.workers = 1, .items_per_child = 1}, [](int) { return std::string("x"); },
      [&](int, const ItemResult&) { ++answered; }, [&] { return answered >= 3; });
  CHECK(answered == 3);
}

}  // namespace
}  // namespace faultline::harness
