// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a program means: for each value its naive bits and its enclosure under a contract, and for
// each read its outcome. Requires verified programs. No threads, no caches, no I/O.

#ifndef REFERENCE_EVALUATE_H_
#define REFERENCE_EVALUATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "reference/contract.h"
#include "reference/enclosure.h"

namespace faultline::reference {

class Nature;
struct Evaluation;

// An index error of one statement. `certain`: every permitted execution meets it; else only some.
struct Spoil {
  int statement = 0;
  bool certain = true;
  ir::Status status;
};

// What a read may do.
enum class Outcome : uint8_t { kOk, kError, kMaybe };

struct ReadPrediction {
  Outcome outcome = Outcome::kOk;
  // The errors that may be the one reported, in program order: exactly one if kError. kMaybe with
  // `may_succeed` false: it fails, with any one of these.
  std::vector<Spoil> errors;
  bool may_succeed = true;
};

struct Evaluated {
  std::shared_ptr<const Points> naive;  // null before its statement ran
  // As read: what a reader of the handle may get, provided it is not spoiled. Plain mode: points.
  std::shared_ptr<const Enclosure> enclosure;
  // As consumed: what an op may see. The same object unless the contract lets it differ.
  std::shared_ptr<const Enclosure> consumed;
  // Errors this value may be spoiled by, its own and those of what it derives from, in program
  // order.
  std::vector<Spoil> spoils;

  bool spoiled() const { return !spoils.empty(); }
  bool certainly_spoiled() const;
};

// Values that were observed and found admissible: what depends on them is evaluated from these
// bits. Their own naive bits and enclosure (as read) stay what follows from their operands.
using Pins = std::map<ir::ValueId, ir::HostTensor>;

struct EvaluateOptions {
  bool enclosures = true;  // false: naive bits only
  // If set, "naive" bits are those of a legal execution that Nature chooses. Must outlive the
  // evaluation.
  Nature* nature = nullptr;
  // Inputs by value id, where the caller has materialised them already (entries may be null). Must
  // outlive the evaluation.
  std::span<const ir::HostTensor* const> inputs = {};
  // An evaluation of this program under this contract without pins, for one with pins: what follows
  // from none of them is taken from it. Must outlive the evaluation.
  const Evaluation* unpinned = nullptr;
};

class Evaluator {
 public:
  Evaluator(const ir::Program& program, const Contract& contract, EvaluateOptions options = {});

  // Takes what is observed of a value, before its statement runs.
  void Pin(ir::ValueId value, const ir::HostTensor& observed);
  // Runs one statement, in program order. The program may have grown since the last call (the
  // generator evaluates as it builds); earlier statements must not have changed.
  void Step(int statement);
  // Step over all that have not run.
  void Run();
  // The program has been cut back to its first `statements` statements, or is about to be: what was
  // evaluated beyond them is forgotten.
  void Rewind(int statements);

  const Evaluated& Get(ir::ValueId value) const { return values_[value]; }
  ReadPrediction Predict(std::span<const ir::ValueId> values) const;
  const Contract& contract() const { return contract_; }
  std::vector<Evaluated> TakeValues() && { return std::move(values_); }

 private:
  void Apply(int index, const ir::Statement& statement);
  bool FollowsFromPin(const ir::Statement& statement) const;
  void TakeUnpinned(ir::ValueId value);
  // Lets consumers see what was observed of the value, if it is pinned.
  void UsePin(ir::ValueId value);

  const ir::Program& program_;
  Contract contract_;
  EvaluateOptions options_;
  std::map<ir::ValueId, std::shared_ptr<const Points>> pins_;
  std::vector<Evaluated> values_;
  // By value: the bits that consumers are evaluated from (the naive ones, or the pinned).
  std::vector<std::shared_ptr<const Points>> sources_;
  std::vector<bool> from_pins_;  // by value: pinned, or follows from one that is
  int next_ = 0;
};

struct Evaluation {
  std::vector<Evaluated> values;  // by value id
  // By statement; of a statement that is no read: kOk.
  std::vector<ReadPrediction> reads;
  ir::HostTensor Naive(ir::ValueId value) const { return StoreTensor(*values[value].naive); }
};
Evaluation Evaluate(const ir::Program& program, const Contract& contract, const Pins& pins = {},
                    EvaluateOptions options = {});

}  // namespace faultline::reference

#endif  // REFERENCE_EVALUATE_H_
