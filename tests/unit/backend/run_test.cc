// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/run.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

ir::Program Load(const std::string& body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program ? "" : program.error().Format("text")));
  REQUIRE(program.has_value());
  return std::move(*program);
}

// Writes down what it is told; handles count from 1.
class NotingSession final : public Session {
 public:
  std::vector<std::string> calls;
  std::vector<std::byte> storage;      // of the last Create
  std::string failing;                 // the call that is refused, by its first word and value
  std::vector<ir::HostTensor> answer;  // of every read

  ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type&, const ir::Layout&,
                            std::span<const std::byte> bytes) override {
    storage.assign(bytes.begin(), bytes.end());
    return Note(fmt::format("create {}", name), stream);
  }
  ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override {
    return Note(fmt::format("clone {} of {}", name, handle), stream);
  }
  ir::Status Drop(int stream, Handle handle) override {
    calls.push_back(fmt::format("drop {} on {}", handle, stream));
    return {};
  }
  ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) override {
    const auto handle =
        Note(fmt::format("{} {} of {}", ir::Mnemonic(application.op), application.result_names[0],
                         fmt::join(application.inputs, ",")),
             stream);
    if (!handle.has_value()) return std::unexpected(handle.error());
    return std::vector{*handle};
  }
  ir::Status Sync(int stream) override {
    calls.push_back(fmt::format("sync on {}", stream));
    return {};
  }
  ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                               std::span<const Handle> handles) override {
    calls.push_back(fmt::format("read {} on {}", fmt::join(handles, ","), stream));
    return answer;
  }
  LiveCounts Live() override { return {.handles = 3, .bytes = 5}; }

 private:
  ir::Result<Handle> Note(const std::string& call, int stream) {
    calls.push_back(fmt::format("{} on {}", call, stream));
    if (!failing.empty() && call.starts_with(failing)) {
      return ir::Error(ir::StatusCode::kUnsupported, "not today");
    }
    return ++last_;
  }

  Handle last_ = 0;
};

TEST_CASE("RunProgram makes the calls of the statements in order and drops what is left") {
  NotingSession session;
  session.answer = {{}, {}};
  const ir::Program program = Load(
      "%a: f32[2] = input [0x1p+0, 0x1p+1]\n"
      "%c: f32[2] = clone %a\n"
      "stream 2\n"
      "%n: f32[2] = neg %a\n"
      "drop %a\n"
      "sync\n"
      "read %n %c\n"
      "expect %n = [_, _]\n");
  const Observation seen = RunProgram(program, session, {});
  CHECK(session.calls == std::vector<std::string>{"create a on 0", "clone c of 1 on 0",
                                                  "neg n of 1 on 2", "drop 1 on 2", "sync on 2",
                                                  "read 3,2 on 2", "drop 2 on 2", "drop 3 on 2"});
  CHECK(seen.failures.empty());
  REQUIRE(seen.reads.size() == 1);
  CHECK(seen.reads[0].statement == 6);
  CHECK(seen.reads[0].tensors.size() == 2);
  CHECK(seen.live == LiveCounts{.handles = 3, .bytes = 5});
}

TEST_CASE("RunProgram poisons the storage around the elements of an input") {
  NotingSession session;
  const ir::Program program =
      Load("%a: u8[2] = input [1, 2] strides=[2] offset=1 storage=5\nread\n");
  RunProgram(program, session, {.poison = 0xee});
  CHECK(session.storage == std::vector<std::byte>{std::byte{0xee}, std::byte{1}, std::byte{0xee},
                                                  std::byte{2}, std::byte{0xee}});
}

TEST_CASE("RunProgram takes inputs that were made before") {
  NotingSession session;
  const ir::Program program = Load("%a: u8[2] = input [1, 2]\nread\n");
  const ir::HostTensor made{program.TypeOf(0), {std::byte{7}, std::byte{8}}};
  const std::vector<const ir::HostTensor*> inputs = {&made};
  RunProgram(program, session, {}, inputs);
  CHECK(session.storage == made.bytes);
}

TEST_CASE("RunProgram passes a refusal on to all that needs the value, and goes on") {
  NotingSession session;
  session.failing = "neg n";
  session.answer = {{}};
  const ir::Program program = Load(
      "%a: f32[2] = input [0x1p+0, 0x1p+1]\n"
      "%n: f32[2] = neg %a\n"
      "%m: f32[2] = exp %n\n"
      "%c: f32[2] = clone %m\n"
      "read %a %c\n"
      "read %a\n"
      "drop %m\n");
  const Observation seen = RunProgram(program, session, {});
  REQUIRE(seen.failures.size() == 1);
  CHECK(seen.failures[0].statement == 1);
  CHECK(seen.failures[0].status.code() == ir::StatusCode::kUnsupported);
  REQUIRE(seen.reads.size() == 2);
  CHECK(seen.reads[0].status == seen.failures[0].status);
  CHECK(seen.reads[0].tensors.empty());
  CHECK(seen.reads[1].status.ok());
  CHECK(session.calls ==
        std::vector<std::string>{"create a on 0", "neg n of 1 on 0", "read 1 on 0", "drop 1 on 0"});
}

}  // namespace
}  // namespace faultline::harness
