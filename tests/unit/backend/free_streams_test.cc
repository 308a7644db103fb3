// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/free_streams.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <vector>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

ir::Program Load(const std::string& body) {
  const auto program = ir::ParseAndVerify("faultline 1\n" + body);
  REQUIRE(program.has_value());
  return *program;
}

TEST_CASE("a statement waits for what makes its operands, a drop for all uses before it") {
  const ir::Program program = Load(
      "%a: f32[1] = input [0x1p+0]\n"  // 0
      "stream 1\n"                     // 1
      "%b: f32[1] = neg %a\n"          // 2
      "stream 2\n"                     // 3
      "%c: f32[1] = clone %a\n"        // 4
      "stream 0\n"                     // 5
      "drop %a\n"                      // 6
      "read %b %c\n");                 // 7
  const StreamSchedule schedule = ScheduleStreams(program);
  CHECK(schedule.stream_of == std::vector<int>{0, 1, 1, 2, 2, 0, 0, 0});
  CHECK(schedule.clients == std::vector<std::vector<int>>{{0, 5, 6, 7}, {1, 2}, {3, 4}});
  CHECK(schedule.after[2] == std::vector<int>{0});
  CHECK(schedule.after[6] == std::vector<int>{0, 2, 4});
  CHECK(schedule.after[7] == std::vector<int>{2, 4});
}

TEST_CASE("threads take turns in every order that data allows") {
  std::string body = "%a: f32[1] = input [0x1p+0]\n";
  for (int i = 0; i < 12; ++i) {
    body += "stream " + std::to_string(i % 3) + "\n%v" + std::to_string(i) + ": f32[1] = neg %a\n";
  }
  const ir::Program program = Load(body + "read %v0 %v1 %v2\n");
  const StreamSchedule schedule = ScheduleStreams(program);
  std::set<std::vector<int>> orders;
  for (int run = 0; run < 200; ++run) {
    std::vector<int> executed;
    const auto order = ExecuteFreely(schedule, [&](int s) { executed.push_back(s); });
    REQUIRE(order == executed);
    REQUIRE(order.size() == program.statements.size());
    std::vector<size_t> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = i;
    for (size_t s = 0; s < order.size(); ++s) {
      for (const int before : schedule.after[s]) {
        REQUIRE(place[static_cast<size_t>(before)] < place[s]);
      }
    }
    for (const std::vector<int>& client : schedule.clients) {
      REQUIRE(
          std::ranges::is_sorted(client, {}, [&](int s) { return place[static_cast<size_t>(s)]; }));
    }
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
}

}  // namespace
}  // namespace faultline::harness
