// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/fusion/engine_fixture.h"

#include <catch2/catch.hpp>
#include <utility>

#include "ir/parse.h"
#include "ir/program.h"
#include "ir/verify.h"

namespace faultline::fusion {
namespace {

class Runner {
 public:
  Runner(const ir::Program& program, Session& session, ProgramRun& run)
      : program_(program), session_(session), run_(run), handles_(program.values.size()) {}

  void Run() {
    for (const ir::Statement& statement : program_.statements) Step(statement);
    for (Handle& handle : handles_) {
      if (handle.generation != 0) Note(session_.Drop(stream_, handle));
    }
    for (int stream = 0; stream < 4; ++stream) Note(session_.Sync(stream));
    run_.trace = session_.trace();
    run_.live = session_.live();
  }

 private:
  void Note(ir::Status status) {
    if (!status.ok()) run_.failures.push_back(std::move(status));
  }
  std::vector<Handle> Operands(const ir::Statement& statement) const {
    std::vector<Handle> handles;
    for (ir::ValueId value : statement.operands) handles.push_back(handles_[value]);
    return handles;
  }
  void Keep(const ir::Statement& statement, ir::Result<Handle> handle) {
    if (handle.has_value()) {
      handles_[statement.results[0]] = *handle;
    } else {
      Note(handle.error());
    }
  }

  void Step(const ir::Statement& statement) {
    switch (statement.kind) {
      case ir::StatementKind::kInput: {
        const ir::Value& value = program_.values[statement.results[0]];
        const ir::HostTensor host = ir::Materialize(*statement.data, value.type);
        const auto storage = ir::PlaceInStorage(host, statement.layout, std::byte{0xa5});
        Keep(statement,
             session_.Create(stream_, value.type, statement.layout, storage, value.name));
        return;
      }
      case ir::StatementKind::kApply: {
        std::vector<ir::Type> declared;
        std::vector<std::string_view> names;
        for (const ir::ValueId result : statement.results) {
          declared.push_back(program_.TypeOf(result));
          names.push_back(program_.values[result].name);
        }
        const std::vector<Handle> operands = Operands(statement);
        auto made = session_.Apply({.stream = stream_,
                                    .op = statement.op,
                                    .operands = operands,
                                    .scalars = statement.scalars,
                                    .attributes = &statement.attributes,
                                    .declared = declared,
                                    .names = names});
        if (!made.has_value()) {
          Note(made.error());
          return;
        }
        for (size_t i = 0; i < made->size(); ++i) handles_[statement.results[i]] = (*made)[i];
        return;
      }
      case ir::StatementKind::kClone:
        Keep(statement, session_.Clone(stream_, handles_[statement.operands[0]]));
        return;
      case ir::StatementKind::kDrop:
        Note(session_.Drop(stream_, handles_[statement.operands[0]]));
        handles_[statement.operands[0]] = {};
        return;
      case ir::StatementKind::kRead:
        run_.reads.push_back(session_.Read(stream_, Operands(statement)));
        return;
      case ir::StatementKind::kStream:
        stream_ = statement.stream;
        return;
      case ir::StatementKind::kSync:
        Note(session_.Sync(stream_));
        return;
      case ir::StatementKind::kExpect:
      case ir::StatementKind::kExpectError:
        return;
    }
  }

  const ir::Program& program_;
  Session& session_;
  ProgramRun& run_;
  std::vector<Handle> handles_;
  int stream_ = 0;
};

}  // namespace

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options) {
  auto engine = Engine::Create(options);
  REQUIRE(engine.has_value());
  return std::move(*engine);
}

ProgramRun RunText(Engine& engine, std::string_view text, const SessionOptions& options) {
  const auto program = ir::Parse("faultline 1\n" + std::string(text));
  INFO(text);
  if (!program.has_value()) FAIL(program.error().Format("program"));
  const ir::Status verified = ir::Verify(*program);
  if (!verified.ok()) FAIL(verified.Format("program"));
  auto session = engine.Open(options);
  REQUIRE(session.has_value());
  ProgramRun run;
  Runner(*program, **session, run).Run();
  return run;
}

std::string BytesOf(const ProgramRun& run) {
  std::string text;
  for (const auto& read : run.reads) {
    if (!read.has_value()) {
      text += read.error().message();
      continue;
    }
    for (const ir::HostTensor& tensor : *read) {
      text += ir::PrintType(tensor.type);
      for (std::byte byte : tensor.bytes) text += static_cast<char>(byte);
    }
  }
  return text;
}

}  // namespace faultline::fusion
