// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/evaluate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/base/check.h"
#include "ir/base/small_vector.h"
#include "ir/infer.h"
#include "reference/kernel.h"
#include "reference/nature.h"
#include "reference/quantized.h"
#include "reference/seen_operands.h"

namespace faultline::reference {
namespace {

using EnclosurePtr = std::shared_ptr<const Enclosure>;
using PointsPtr = std::shared_ptr<const Points>;
// Of one application.
template <class T>
using Operands = ir::SmallVector<T, 3>;
template <class T>
using Results = ir::SmallVector<T, 1>;

ir::Status IndexStatus(ir::Opcode op, const IndexErrors::Entry& entry) {
  return {ir::StatusCode::kIndexOutOfRange,
          std::string(ir::Mnemonic(op)) + ": index " + std::to_string(entry.index) +
              " is out of range [0, " + std::to_string(entry.bound) + ") (element " +
              std::to_string(entry.position) + " of the index tensor)"};
}

// Merges in program order and cuts behind the first certain error: it hides the later ones.
void MergeSpoils(std::vector<Spoil>& to, const std::vector<Spoil>& from) {
  if (from.empty()) return;
  to.insert(to.end(), from.begin(), from.end());
  std::ranges::sort(to, {}, &Spoil::statement);
  const auto repeated = std::ranges::unique(
      to, [](const Spoil& a, const Spoil& b) { return a.statement == b.statement; });
  to.erase(repeated.begin(), repeated.end());
  const auto certain = std::ranges::find(to, true, &Spoil::certain);
  if (certain != to.end()) to.erase(certain + 1, to.end());
}

// One application seen by both algebras.
struct Application {
  const Contract& contract;
  const ir::Statement& statement;
  ir::Dtype operand;
  Results<ir::Type> types;     // of the results
  Results<ir::Dtype> results;  // their dtypes, as kernels see them
};

Results<PointsPtr> RunExact(const Application& app, std::span<const Points* const> operands,
                            Nature* nature, IndexErrors& errors) {
  Results<PointsPtr> results;
  Results<Points*> pointers;
  for (const ir::Type& type : app.types) {
    auto result = std::make_shared<Points>();
    result->type = type;
    result->cells.resize(static_cast<size_t>(type.NumElements()));
    pointers.push_back(result.get());
    results.push_back(std::move(result));
  }
  const Exact exact(app.contract, app.operand, app.results[0], nature);
  KernelOf(app.statement.op)
      .exact({.algebra = exact,
              .op = app.statement.op,
              .scalars = app.statement.scalars,
              .attributes = app.statement.attributes,
              .operands = operands,
              .result_tensor = *pointers[0],
              .naive = nullptr,
              .errors = errors,
              .results = pointers,
              .naives = {}});
  // Operands that Nature left unrounded leave their mark on ops that only move or compare.
  for (size_t r = 0; r < results.size(); ++r) {
    const ir::Dtype dtype = app.results[r];
    if (nature == nullptr || !app.contract.wider_intermediates) break;
    if (!ir::IsFloat(dtype) || app.types[r].quantized()) continue;
    for (Cell& cell : pointers[r]->cells) {
      if (!std::isnan(AsFloat(cell))) cell = ToCell(Round(dtype, AsFloat(cell)));
    }
  }
  return results;
}

Results<EnclosurePtr> RunSets(const Application& app, std::span<const Enclosure* const> operands,
                              const Results<PointsPtr>& naive, bool wide, IndexErrors& errors) {
  Results<EnclosurePtr> results;
  Results<Enclosure*> pointers;
  Results<const Points*> naives;
  for (size_t r = 0; r < naive.size(); ++r) {
    auto result = std::make_shared<Enclosure>(Enclosure::ToFill(app.types[r]));
    pointers.push_back(result.get());
    naives.push_back(naive[r].get());
    results.push_back(std::move(result));
  }
  const Sets sets(app.contract, app.operand, app.results[0], wide);
  KernelOf(app.statement.op)
      .sets({.algebra = sets,
             .op = app.statement.op,
             .scalars = app.statement.scalars,
             .attributes = app.statement.attributes,
             .operands = operands,
             .result_tensor = *pointers[0],
             .naive = naives[0],
             .errors = errors,
             .results = pointers,
             .naives = naives});
  for (size_t r = 0; r < naive.size(); ++r) pointers[r]->Finish(naive[r]);
  return results;
}

// From operands that are points: the naive bits, with zeros of free sign.
EnclosurePtr ExactEnclosure(ir::Opcode op, ir::Dtype dtype, const PointsPtr& naive) {
  const auto is_zero = [](Cell cell) { return AsFloat(cell) == 0; };
  if (!FreesZero(op, dtype) || std::ranges::none_of(naive->cells, is_zero)) {
    return std::make_shared<Enclosure>(naive);
  }
  auto enclosure = std::make_shared<Enclosure>(Enclosure::ToFill(naive->type));
  for (size_t i = 0; i < naive->cells.size(); ++i) {
    PutFreeZero(*enclosure, static_cast<int64_t>(i), naive->cells[i]);
  }
  return enclosure;
}

// Elementwise union of two enclosures of floats. Where both are one point it keeps its bits.
EnclosurePtr Unite(const Enclosure& a, const Enclosure& b, const PointsPtr& naive) {
  auto both = std::make_shared<Enclosure>(Enclosure::ToFill(a.type()));
  for (int64_t i = 0; i < a.size(); ++i) {
    if (a.IsPoint(i) && b.IsPoint(i) && a.PointAt(i) == b.PointAt(i)) {
      both->PutCell(i, a.PointAt(i));
      continue;
    }
    FloatSet set = a.FloatAt(i);
    set.Unite(b.FloatAt(i));
    both->Put(i, set);
  }
  both->Finish(naive);
  return both;
}

// What a reader gets of values that were consumed wider: they are rounded when stored.
EnclosurePtr RoundedToDtype(const Enclosure& enclosure, const PointsPtr& naive,
                            const Contract& contract) {
  auto rounded = std::make_shared<Enclosure>(Enclosure::ToFill(enclosure.type()));
  const Sets sets(contract, enclosure.dtype(), enclosure.dtype());
  for (int64_t i = 0; i < enclosure.size(); ++i) {
    if (enclosure.IsPoint(i) && std::isnan(AsFloat(enclosure.PointAt(i)))) {
      rounded->PutCell(i, enclosure.PointAt(i));
    } else {
      rounded->Put(i, sets.CastToFloat(enclosure.FloatAt(i)));
    }
  }
  rounded->Finish(naive);
  return rounded;
}

// Whether a consumer of result `r` may see more than a reader does.
bool MayBeConsumedWider(const Application& app, size_t r) {
  if (!ir::IsFloat(app.results[r]) || app.types[r].quantized()) return false;
  if (app.contract.wider_intermediates) return true;
  return app.contract.contraction && ir::HasTrait(app.statement.op, ir::kProduct);
}

// Whether Nature may leave the result unrounded. With contraction alone that goes for the last
// product of an op, but not for its other steps.
bool MayBeLeftWider(const Application& app, size_t r) {
  const bool primitive = ir::InfoOf(app.statement.op).form == ir::OpForm::kPrimitive;
  return MayBeConsumedWider(app, r) && (app.contract.wider_intermediates || primitive);
}

// What consumers of result `r` see where Nature keeps some elements unrounded.
PointsPtr ConsumedWider(const Application& app, size_t r, std::span<const Points* const> operands,
                        const PointsPtr& stored, Nature& nature) {
  Application wide = app;
  wide.results[r] = ir::Dtype::kF64;
  IndexErrors ignored;
  auto consumed = std::make_shared<Points>(*RunExact(wide, operands, &nature, ignored)[r]);
  for (size_t i = 0; i < consumed->cells.size(); ++i) {
    if (nature.Chance(2)) consumed->cells[i] = stored->cells[i];
  }
  return consumed;
}

// The result of an op on decoded operands, quantized anew from what it consumes.
void Requantize(const Contract& contract, const ir::Type& type, const PointsPtr& source,
                bool enclosures, Evaluated& result) {
  auto naive = std::make_shared<Points>();
  naive->type = type;
  naive->cells.resize(source->cells.size());
  Quantize(*source, ir::Range::kMinMax, *naive);
  result.naive = naive;
  if (!enclosures || (result.consumed->AllPoints() && IsPinnedQuantize(contract))) {
    result.enclosure = std::make_shared<const Enclosure>(naive);
  } else {
    auto enclosure = std::make_shared<Enclosure>(Enclosure::ToFill(type));
    Quantize(contract, *result.consumed, ir::Range::kMinMax, *enclosure);
    enclosure->Finish(naive);
    result.enclosure = enclosure;
  }
  result.consumed = result.enclosure;
}

}  // namespace

bool Evaluated::certainly_spoiled() const {
  return std::ranges::any_of(spoils, [](const Spoil& spoil) { return spoil.certain; });
}

Evaluator::Evaluator(const ir::Program& program, const Contract& contract, EvaluateOptions options)
    : program_(program), contract_(contract), options_(options) {}

void Evaluator::Pin(ir::ValueId value, const ir::HostTensor& observed) {
  // A clone is a handle to the same value: what was seen of one holds for all of them.
  for (auto it = program_.statements.rbegin(); it != program_.statements.rend(); ++it) {
    if (it->kind == ir::StatementKind::kClone && it->results[0] == value) value = it->operands[0];
  }
  pins_.insert_or_assign(value, std::make_shared<const Points>(HoldTensor(observed)));
}

void Evaluator::Run() {
  while (next_ < static_cast<int>(program_.statements.size())) Step(next_);
}

void Evaluator::Rewind(int statements) {
  // Values are numbered in the order of their statements only by chance, so none is erased: a
  // statement that comes in place of another one overwrites what it defines.
  next_ = std::min(next_, statements);
}

void Evaluator::Step(int index) {
  FAULTLINE_CHECK(index == next_, "statements are evaluated in program order");
  ++next_;
  values_.resize(program_.values.size());
  sources_.resize(program_.values.size());
  from_pins_.resize(program_.values.size());
  const ir::Statement& statement = program_.statements[static_cast<size_t>(index)];
  switch (statement.kind) {
    case ir::StatementKind::kInput: {
      const ir::ValueId value = statement.results[0];
      if (options_.unpinned != nullptr) return TakeUnpinned(value);
      const ir::Type& type = program_.TypeOf(value);
      Evaluated& input = values_[value];
      input = {};
      const ir::HostTensor* given =
          value < options_.inputs.size() ? options_.inputs[value] : nullptr;
      input.naive = std::make_shared<const Points>(
          HoldTensor(given != nullptr ? *given : ir::Materialize(*statement.data, type)));
      input.enclosure = std::make_shared<const Enclosure>(input.naive);
      input.consumed = input.enclosure;
      sources_[value] = input.naive;
      return;
    }
    case ir::StatementKind::kClone:
      values_[statement.results[0]] = values_[statement.operands[0]];
      sources_[statement.results[0]] = sources_[statement.operands[0]];
      from_pins_[statement.results[0]] = from_pins_[statement.operands[0]];
      return;
    case ir::StatementKind::kApply:
      if (options_.unpinned != nullptr && !FollowsFromPin(statement)) {
        for (const ir::ValueId result : statement.results) TakeUnpinned(result);
      } else {
        Apply(index, statement);
      }
      for (const ir::ValueId result : statement.results) UsePin(result);
      return;
    case ir::StatementKind::kDrop:
    case ir::StatementKind::kRead:
    case ir::StatementKind::kStream:
    case ir::StatementKind::kSync:
    case ir::StatementKind::kExpect:
    case ir::StatementKind::kExpectError:
      return;
  }
}

bool Evaluator::FollowsFromPin(const ir::Statement& statement) const {
  return std::ranges::any_of(statement.operands,
                             [this](ir::ValueId operand) { return from_pins_[operand]; });
}

void Evaluator::TakeUnpinned(ir::ValueId value) {
  values_[value] = options_.unpinned->values[value];
  sources_[value] = values_[value].naive;
  from_pins_[value] = false;
}

void Evaluator::UsePin(ir::ValueId value) {
  const auto pin = pins_.find(value);
  if (pin == pins_.end()) return;
  sources_[value] = pin->second;
  values_[value].consumed = std::make_shared<const Enclosure>(pin->second);
  from_pins_[value] = true;
}

void Evaluator::Apply(int index, const ir::Statement& statement) {
  Operands<const Points*> naive_operands;
  Operands<const Enclosure*> operands;
  std::vector<Spoil> spoils;
  for (const ir::ValueId operand : statement.operands) {
    naive_operands.push_back(sources_[operand].get());
    operands.push_back(values_[operand].consumed.get());
    MergeSpoils(spoils, values_[operand].spoils);
  }
  const SeenOperands seen(contract_, statement, options_.nature, naive_operands, operands);
  const bool points = std::ranges::all_of(operands, &Enclosure::AllPoints);
  Application app{contract_, statement, ir::Dtype::kBool, {}, {}};
  for (const ir::ValueId value : statement.results) {
    ir::Type type = program_.TypeOf(value);
    // What is quantized anew is first made as floats.
    if (seen.decoded() && type.quantized()) type.element = ir::ElementType(seen.dtype());
    app.results.push_back(ElementDtype(type));
    app.types.push_back(type);
  }
  app.operand = operands.empty() ? app.results[0] : ElementDtype(operands[0]->type());

  IndexErrors naive_errors;
  const Results<PointsPtr> naive = RunExact(app, naive_operands, options_.nature, naive_errors);
  IndexErrors errors = naive_errors;
  // Layout ops may quantize anew.
  bool exact = points;
  bool wider = false;
  for (size_t r = 0; r < naive.size(); ++r) {
    exact =
        exact && (!app.types[r].quantized() || IsPinnedQuantize(contract_)) &&
        ExactOnPoints(statement.op, statement.attributes, contract_, app.operand, app.results[r]);
    wider = wider || MayBeConsumedWider(app, r);
  }
  Results<EnclosurePtr> enclosures;
  if (options_.enclosures && !exact) {
    errors = {};
    enclosures = RunSets(app, operands, naive, false, errors);
  }
  Results<EnclosurePtr> wide;
  if (options_.enclosures && wider) {
    IndexErrors ignored;
    wide = RunSets(app, operands, naive, true, ignored);
  }
  for (const auto* entry : {&errors.certain(), &errors.possible()}) {
    if (!entry->has_value()) continue;
    const bool certain = entry == &errors.certain();
    MergeSpoils(spoils, {{index, certain, IndexStatus(statement.op, **entry)}});
    break;
  }
  for (size_t r = 0; r < naive.size(); ++r) {
    EnclosurePtr enclosure;
    if (!options_.enclosures) {
      enclosure = std::make_shared<const Enclosure>(naive[r]);
    } else if (exact) {
      enclosure = ExactEnclosure(statement.op, app.results[r], naive[r]);
    } else if (contract_.wider_intermediates && ir::IsFloat(app.results[r]) &&
               !app.types[r].quantized() && !enclosures[r]->AllPoints()) {
      enclosure = RoundedToDtype(*enclosures[r], naive[r], contract_);
    } else {
      enclosure = std::move(enclosures[r]);
    }
    const bool consumed_wider = MayBeConsumedWider(app, r);
    Evaluated& result = values_[statement.results[r]];
    result = {naive[r], enclosure, enclosure, spoils};
    if (options_.enclosures && consumed_wider) {
      result.consumed = Unite(*enclosure, *wide[r], naive[r]);
    }
    from_pins_[statement.results[r]] = FollowsFromPin(statement);
    PointsPtr& source = sources_[statement.results[r]];
    source = naive[r];
    if (options_.nature != nullptr && MayBeLeftWider(app, r)) {
      source = ConsumedWider(app, r, naive_operands, naive[r], *options_.nature);
    }
    if (const ir::Type& type = program_.TypeOf(statement.results[r]); type != app.types[r]) {
      Requantize(contract_, type, source, options_.enclosures, result);
      source = result.naive;
    }
  }
}

ReadPrediction Evaluator::Predict(std::span<const ir::ValueId> values) const {
  ReadPrediction prediction;
  for (const ir::ValueId value : values) MergeSpoils(prediction.errors, values_[value].spoils);
  if (prediction.errors.empty()) return prediction;
  prediction.may_succeed = !prediction.errors.back().certain;
  prediction.outcome = prediction.errors.front().certain ? Outcome::kError : Outcome::kMaybe;
  return prediction;
}

Evaluation Evaluate(const ir::Program& program, const Contract& contract, const Pins& pins,
                    EvaluateOptions options) {
  Evaluator evaluator(program, contract, options);
  for (const auto& [value, observed] : pins) evaluator.Pin(value, observed);
  evaluator.Run();
  Evaluation evaluation;
  evaluation.reads.resize(program.statements.size());
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (program.statements[i].kind != ir::StatementKind::kRead) continue;
    evaluation.reads[i] = evaluator.Predict(program.statements[i].operands);
  }
  evaluation.values = std::move(evaluator).TakeValues();
  return evaluation;
}

}  // namespace faultline::reference
