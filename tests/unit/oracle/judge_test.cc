// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/judge.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "harness/backend/reference/reference_backend.h"
#include "ir/parse.h"
#include "reference/contract.h"

namespace faultline::harness {
namespace {

ir::Program Load(const std::string& body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program ? "" : program.error().Format("text")));
  REQUIRE(program.has_value());
  return std::move(*program);
}

// The reference, with a support table and a plan of its own, noting what its sessions are asked.
class PickyBackend final : public Backend {
 public:
  ir::Opcode refused = ir::Opcode::kReshape;
  SessionOptions opened;
  int renewed = 0;
  PlanTrace trace;

  std::string_view name() const override { return "picky"; }
  const reference::Contract& contract() const override { return backend_->contract(); }
  ir::Status Supports(ir::Opcode op, const ir::Attributes&, std::span<const ir::Type>,
                      std::span<const ir::Type>) const override {
    if (op != refused) return {};
    return {ir::StatusCode::kUnsupported, "not my kind of op"};
  }
  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    opened = options;
    auto session = backend_->Open(options);
    if (!session.has_value()) return session;
    return std::make_unique<TracedSession>(std::move(*session), trace);
  }
  ir::Status Renew() override {
    ++renewed;
    return {};
  }

 private:
  class TracedSession final : public Session {
   public:
    TracedSession(std::unique_ptr<Session> session, const PlanTrace& trace)
        : session_(std::move(session)), trace_(trace) {}
    ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                              const ir::Layout& layout,
                              std::span<const std::byte> storage) override {
      return session_->Create(stream, name, type, layout, storage);
    }
    ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) override {
      return session_->Clone(stream, handle, name);
    }
    ir::Status Drop(int stream, Handle handle) override { return session_->Drop(stream, handle); }
    ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) override {
      return session_->Apply(stream, application);
    }
    ir::Status Sync(int stream) override { return session_->Sync(stream); }
    ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                                 std::span<const Handle> handles) override {
      return session_->Read(stream, handles);
    }
    PlanTrace Trace() const override { return trace_; }
    LiveCounts Live() override { return session_->Live(); }

   private:
    std::unique_ptr<Session> session_;
    const PlanTrace& trace_;
  };

  std::unique_ptr<Backend> backend_ = MakeReferenceBackend();
};

constexpr char kBody[] =
    "%a: f32[2] = input [0x1p+0, 0x1p+1]\n"
    "%e: f32[2] = exp %a\n"
    "%n: f32[2] = neg %e\n"
    "read %n\n";

TEST_CASE("JudgeProgram agrees with the reference on itself") {
  PickyBackend backend;
  const Judgement judgement = JudgeProgram(Load(kBody), backend, {.fresh = true});
  CHECK(judgement.verdict.kind == VerdictKind::kAgree);
  CHECK(judgement.observation.reads.size() == 1);
  CHECK(judgement.statistics.compared == 2);
  CHECK(backend.renewed == 1);
}

TEST_CASE("an op that the backend does not take is unsupported before anything runs") {
  PickyBackend backend;
  backend.refused = ir::Opcode::kNeg;
  const Verdict verdict = JudgeProgram(Load(kBody), backend, {}).verdict;
  CHECK(verdict.kind == VerdictKind::kUnsupported);
  CHECK(verdict.statement == 2);
  CHECK(verdict.message.find("not my kind of op") != std::string::npos);
}

TEST_CASE("needs and decisions of the program reach the session") {
  PickyBackend backend;
  const ir::Program program =
      Load(std::string("# needs: pool=pitch threads=3\n# decisions: fuse(%a,%e)=0\n") + kBody);
  JudgeProgram(program, backend, {});
  CHECK(backend.opened.pool == PoolMode::kPitch);
  CHECK(backend.opened.threads == 3);
  REQUIRE(backend.opened.decisions.size() == 1);
  CHECK(backend.opened.decisions[0].name == "fuse(%a,%e)");
}

TEST_CASE("a case whose fusion is not met is vacuous") {
  PickyBackend backend;
  const ir::Program program = Load(std::string("# needs: fused={exp,neg}\n") + kBody);
  CHECK(JudgeProgram(program, backend, {}).verdict.kind == VerdictKind::kAgree);
  backend.trace.blocks = {{.source_ops = {ir::Opcode::kExp}}, {.source_ops = {ir::Opcode::kNeg}}};
  const Verdict verdict = JudgeProgram(program, backend, {}).verdict;
  CHECK(verdict.kind == VerdictKind::kVacuous);
  CHECK(verdict.message.find("fused={exp,neg}") != std::string::npos);
  backend.trace.blocks = {{.source_ops = {ir::Opcode::kExp, ir::Opcode::kNeg}}};
  CHECK(JudgeProgram(program, backend, {}).verdict.kind == VerdictKind::kAgree);
}

}  // namespace
}  // namespace faultline::harness
