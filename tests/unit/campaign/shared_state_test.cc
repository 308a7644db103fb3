// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/shared_state.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

namespace faultline::harness {
namespace {

class StateFile {
 public:
  StateFile() : path_(std::filesystem::temp_directory_path() / "faultline-state-test.bin") {}
  ~StateFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("a text in hand is there for another process, with those before it") {
  const StateFile file;
  auto writer = SharedState::Create(file.path());
  REQUIRE(writer.has_value());
  WorkerSlot& slot = (*writer)->workers[3];
  for (int i = 0; i < 40; ++i) {
    BeginInput(slot, "text " + std::to_string(i));
    if (i < 39) EndInput(slot);
  }
  const auto reader = SharedState::Open(file.path());
  REQUIRE(reader.has_value());
  const WorkerSlot& seen = (*reader)->workers[3];
  CHECK(RunningText(seen) == "text 39");
  const auto before = TextsBefore(seen);
  REQUIRE(before.size() == 16);
  CHECK(before.front() == "text 23");
  CHECK(before.back() == "text 38");
  EndInput(slot);
  CHECK(RunningText(seen).empty());
}

TEST_CASE("tickets run out") {
  const StateFile file;
  auto state = SharedState::Create(file.path());
  REQUIRE(state.has_value());
  (*state)->runs_left.store(2);
  CHECK(TakeTicket(**state));
  CHECK(TakeTicket(**state));
  CHECK_FALSE(TakeTicket(**state));
}

TEST_CASE("a state that is not there is a status") {
  CHECK_FALSE(SharedState::Open("/nonexistent/state.bin").has_value());
}

}  // namespace
}  // namespace faultline::harness
