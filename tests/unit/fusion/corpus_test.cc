// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every seed of the corpus gives the same bits fused, unfused, with random decisions, with padded
// and guarded buffers and on two threads, and leaves nothing alive.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

struct Seed {
  std::string name;
  std::string text;  // without the version line
};

std::vector<Seed> Seeds() {
  std::vector<Seed> seeds;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("corpus/seeds")) {
    if (!entry.is_regular_file() || entry.path().extension() != ".fl") continue;
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    text.erase(0, text.find('\n') + 1);
    seeds.push_back({entry.path().filename().string(), std::move(text)});
  }
  std::ranges::sort(seeds, {}, &Seed::name);
  return seeds;
}

// Where the two texts of bytes differ, and by how much.
std::string Difference(const std::string& a, const std::string& b) {
  size_t count = 0;
  size_t first = std::min(a.size(), b.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    first = std::min(first, i);
    ++count;
  }
  return std::to_string(count) + " bytes of " + std::to_string(a.size()) + " and " +
         std::to_string(b.size()) + ", first at " + std::to_string(first);
}

}  // namespace

TEST_CASE("seeds of the corpus give the same bits however they are planned", "[corpus]") {
  const std::vector<Seed> seeds = Seeds();
  REQUIRE(!seeds.empty());
  const auto plain = MakeEngine();
  EngineOptions pool;
  pool.pool = PoolMode::kGuard;
  const auto guarded = MakeEngine(pool);
  pool.pool = PoolMode::kPitch;
  pool.pool_seed = 7;
  const auto pitched = MakeEngine(pool);
  EngineOptions threads;
  threads.threads = 2;
  const auto threaded = MakeEngine(threads);
  for (const Seed& seed : seeds) {
    INFO(seed.name);
    const ProgramRun run = RunText(*plain, seed.text);
    const std::string bytes = BytesOf(run);
    CHECK(run.live.handles == 0);
    CHECK(run.live.bytes == 0);
    const auto compare = [&](Engine& engine, const SessionOptions& options, const char* how) {
      const ProgramRun other = RunText(engine, seed.text, options);
      if (BytesOf(other) != bytes) {
        FAIL_CHECK(seed.name << ": " << how << ": " << Difference(bytes, BytesOf(other)));
      }
      if (other.live.bytes != 0) FAIL_CHECK(seed.name << ": " << how << ": leaks");
    };
    SessionOptions options;
    options.fusion = false;
    compare(*plain, options, "unfused");
    options.fusion = true;
    for (uint64_t chaos = 0; chaos < 4; ++chaos) {
      options.decisions.chaos_seed = chaos;
      compare(*plain, options, "chaos");
    }
    // Chaos also runs small launches on both threads.
    compare(*threaded, options, "threads, chaos");
    compare(*guarded, {}, "guard");
    compare(*pitched, {}, "pitch");
    compare(*pitched, options, "pitch, chaos");
  }
}

}  // namespace faultline::fusion
