// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What is and is not part of a plan's key.

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "fusion/plan/cache.h"
#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

std::string Chain(int rows, int columns, std::string_view scalar, std::string_view more = "") {
  const std::string type = "f32[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  return "%a: " + type + " = input iota(start=0, step=1)\n%b: " + type + " = mul_scalar %a " +
         std::string(scalar) + "\n%c: " + type + " = add %b %a\n" + std::string(more) + "read %c\n";
}

struct Reuse {
  uint64_t hits;
  bool right;  // the second run gave the bits that a fresh engine gives
};

// Runs `first`, then `second`, on one engine.
Reuse RunBoth(const std::string& first, const std::string& second) {
  const auto engine = MakeEngine();
  RunText(*engine, first);
  const ProgramRun again = RunText(*engine, second);
  const auto fresh = MakeEngine();
  return {again.trace.cache_hits, BytesOf(again) == BytesOf(RunText(*fresh, second))};
}

}  // namespace

TEST_CASE("scalars, extents and slice bounds are no part of the key", "[cache]") {
  const std::string base = Chain(3, 5, "0x1p+1");
  for (const std::string& other :
       {base, Chain(3, 5, "0x1p+2"), Chain(7, 2, "-0x1p+0"), Chain(64, 65, "0x1p+1")}) {
    const Reuse reuse = RunBoth(base, other);
    CHECK(reuse.hits == 1);
    CHECK(reuse.right);
  }
  const auto slices = [](std::string_view bounds) {
    return "%a: i32[9] = input iota(start=0, step=1)\n%s: i32[3] = slice %a slices=[" +
           std::string(bounds) + "]\n%n: i32[3] = neg %s\nread %n\n";
  };
  const Reuse reuse = RunBoth(slices("0:3:1"), slices("0:9:-3"));
  CHECK(reuse.hits == 1);
  CHECK(reuse.right);
}

TEST_CASE("patterns of equal extents, ones and zeros are part of the key", "[cache]") {
  const std::string base = Chain(3, 5, "0x1p+1");
  for (const std::string& other : {Chain(4, 4, "0x1p+1"), Chain(1, 5, "0x1p+1"),
                                   Chain(3, 1, "0x1p+1"), Chain(0, 5, "0x1p+1")}) {
    const Reuse reuse = RunBoth(base, other);
    CHECK(reuse.hits == 0);
    CHECK(reuse.right);
  }
}

TEST_CASE("prefixes, extensions, drops and reads are part of the key", "[cache]") {
  const std::string base = Chain(3, 5, "0x1p+1");
  const std::string longer = Chain(3, 5, "0x1p+1", "%d: f32[3,5] = abs %c\n");
  const std::string dropped = Chain(3, 5, "0x1p+1", "drop %b\n");
  const std::string emptied = Chain(3, 5, "0x1p+1", "drop %a\n");
  for (const std::string& other : {longer, dropped, emptied}) {
    CHECK(RunBoth(base, other).hits == 0);
    CHECK(RunBoth(base, other).right);
    CHECK(RunBoth(other, base).hits == 0);
    CHECK(RunBoth(other, base).right);
  }
  // A prefix that is run on its own, and then with what follows.
  const std::string synced = Chain(3, 5, "0x1p+1", "sync\n%d: f32[3,5] = abs %c\n");
  CHECK(RunBoth(base, synced).hits == 1);
  CHECK(RunBoth(base, synced).right);
}

TEST_CASE("dtypes, attributes and layouts are part of the key", "[cache]") {
  const auto sorted = [](std::string_view attributes, std::string_view dtype) {
    return "%a: " + std::string(dtype) +
           "[2,3] = input [3, 1, 2, 6, 5, 4]\n%s: " + std::string(dtype) + "[2,3] = sort %a " +
           std::string(attributes) + "\nread %s\n";
  };
  const std::string base = sorted("dim=1", "i32");
  for (const std::string& other : {sorted("dim=0", "i32"), sorted("dim=1 descending=true", "i32"),
                                   sorted("dim=1", "i64"), sorted("dim=1", "u32")}) {
    const Reuse reuse = RunBoth(base, other);
    CHECK(reuse.hits == 0);
    CHECK(reuse.right);
  }
  const auto input = [](std::string_view layout) {
    return "%a: i32[2,2] = input [1, 2, 3, 4]" + std::string(layout) +
           "\n%n: i32[2,2] = neg %a\ndrop %a\nread %n\n";
  };
  CHECK(RunBoth(input(""), input(" strides=[1,2]")).hits == 0);
  CHECK(RunBoth(input(""), input(" strides=[1,2]")).right);
  CHECK(RunBoth(input(" strides=[1,2]"), input("")).right);
  CHECK(RunBoth(input(" strides=[3,1]"), input(" strides=[2,1]")).right);
}

TEST_CASE("A B A B hits twice", "[cache]") {
  const auto engine = MakeEngine();
  const std::string a = Chain(3, 5, "0x1p+1");
  const std::string b = Chain(4, 4, "0x1p+1");
  const std::string first_a = BytesOf(RunText(*engine, a));
  const std::string first_b = BytesOf(RunText(*engine, b));
  const ProgramRun second_a = RunText(*engine, a);
  const ProgramRun second_b = RunText(*engine, b);
  CHECK(second_a.trace.cache_hits == 1);
  CHECK(second_b.trace.cache_hits == 1);
  CHECK(BytesOf(second_a) == first_a);
  CHECK(BytesOf(second_b) == first_b);
  const CacheStatistics counts = engine->cache();
  CHECK(counts.hits == 2);
  CHECK(counts.misses == 2);
  CHECK(counts.entries == 2);
}

TEST_CASE("the least recently used plan goes first", "[cache]") {
  PlanCache cache(2);
  const auto plan = std::make_shared<Plan>();
  const std::vector<uint32_t> a = {1, 2};
  const std::vector<uint32_t> b = {1, 3};
  const std::vector<uint32_t> c = {1, 4};
  CHECK(!cache.Insert(a, 7, plan));
  CHECK(!cache.Insert(b, 7, plan));  // the same hash: told apart by the whole form
  CHECK(cache.Find(a, 7) != nullptr);
  CHECK(cache.Insert(c, 8, plan));
  CHECK(cache.Find(b, 7) == nullptr);
  CHECK(cache.Find(a, 7) != nullptr);
  CHECK(cache.Find(c, 8) != nullptr);
  CHECK(cache.Find(c, 7) == nullptr);
  CHECK(cache.counts().evictions == 1);
}

TEST_CASE("decisions by name, denied and limited", "[cache]") {
  const auto engine = MakeEngine();
  const std::string text = Chain(3, 5, "0x1p+1");
  const ProgramRun plain = RunText(*engine, text);
  CHECK(plain.trace.launches.size() == 1);
  SessionOptions named;
  named.decisions.by_name = {{"fuse(%b,%c)", 0}, {"fuse(%nobody,%c)", 1}};
  const ProgramRun cut = RunText(*engine, text, named);
  CHECK(cut.trace.launches.size() == 2);
  CHECK(BytesOf(cut) == BytesOf(plain));
  // A plan bent by names does not serve others; names that change nothing do not keep from a hit.
  CHECK(RunText(*engine, text).trace.launches.size() == 1);
  named.decisions.by_name = {{"fuse(%b,%c)", 1}};
  const ProgramRun same = RunText(*engine, text, named);
  CHECK(same.trace.cache_hits == 1);
  CHECK(same.trace.launches.size() == 1);
  SessionOptions limited;
  limited.decisions.max_decisions = 0;
  CHECK(RunText(*engine, text, limited).trace.launches.size() == 2);
  limited.decisions.max_decisions = 1;
  CHECK(RunText(*engine, text, limited).trace.launches.size() == 1);
}

}  // namespace faultline::fusion
