// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Running what a queue holds: which operations, in which form, by which plan, and what became of
// their results.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fusion/composites/expansion.h"
#include "fusion/fault.h"
#include "fusion/stream/choosers.h"
#include "fusion/stream/session.h"

namespace faultline::fusion {
namespace {

std::span<Value* const> OperandsOf(const Stream& stream, const PendingOp& op) {
  return std::span<Value* const>(stream.operands).subspan(op.first_operand, op.operand_count);
}

void ClearIfIdle(Stream& stream) {
  if (!stream.ops.empty()) return;
  stream.operands.clear();
  stream.runs.clear();
  stream.scalars.clear();
}

}  // namespace

void StreamSession::Flush(int stream) {
  Stream& queue = StreamAt(stream);
  if (!queue.ops.empty()) {
    std::vector<PendingOp> ops = std::exchange(queue.ops, {});
    RunOps(queue, ops);
    ClearIfIdle(queue);
    queue.ops = std::move(ops);  // empty; keeps its memory
  }
  for (Value* value : std::exchange(queue.late_drops, {})) DropHandleOf(value);
}

// Runs the operations of the queue that `values` need, and leaves the others where they are.
void StreamSession::Drain(int stream, std::span<Value* const> values) {
  Stream& queue = StreamAt(stream);
  ++epoch_;
  for (Value* value : values) value->epoch = epoch_;
  for (size_t i = queue.ops.size(); i-- > 0;) {
    PendingOp& op = queue.ops[i];
    op.selected = op.result->epoch == epoch_;
    if (!op.selected) continue;
    for (Value* operand : OperandsOf(queue, op)) operand->epoch = epoch_;
  }
  std::vector<PendingOp> ops;
  std::ranges::copy_if(queue.ops, std::back_inserter(ops), &PendingOp::selected);
  std::erase_if(queue.ops, [](const PendingOp& op) { return op.selected; });
  RunOps(queue, ops);
  ClearIfIdle(queue);
  if (!queue.ops.empty()) return;
  for (Value* value : std::exchange(queue.late_drops, {})) DropHandleOf(value);
}

// Operations leave as they are done or spoiled, so that what they held is not kept for them.
void StreamSession::RunOps(Stream& stream, std::vector<PendingOp>& pending) {
  while (true) {
    SpoilDerived(stream, pending);
    if (pending.empty()) return;
    WriteForm(stream, pending);
    const auto begin = std::chrono::steady_clock::now();
    auto plan = FindPlan();
    trace_.plan_ns += static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
    ++trace_.segments;
    if (plan.has_value()) {
      // What a lookup that failed has kept from running comes back, without the lookup.
      Execute(stream, pending, **plan);
      continue;
    }
    if (pending.size() > 1) {
      // One of them cannot be compiled: alone, it spoils nothing else.
      for (const PendingOp& op : std::exchange(pending, {})) {
        std::vector<PendingOp> alone = {op};
        RunOps(stream, alone);
      }
      return;
    }
    const PendingOp& op = pending.front();
    ir::Status status(plan.error().code(), fmt::format("{} {}: {}", ir::Mnemonic(op.source),
                                                       NameOf(op), plan.error().message()));
    SpoilValue(*op.result, std::make_shared<Spoil>(Spoil{std::move(status), op.application}));
  }
}

// The first offending statement in program order counts.
void StreamSession::SpoilValue(Value& value, std::shared_ptr<const Spoil> spoil) {
  if (value.state == ValueState::kSpoiled && value.spoil->application <= spoil->application) return;
  value.state = ValueState::kSpoiled;
  value.spoil = std::move(spoil);
}

void StreamSession::SpoilDerived(Stream& stream, std::vector<PendingOp>& ops) {
  std::vector<PendingOp> spoiled;
  std::erase_if(ops, [&](const PendingOp& op) {
    for (const Value* operand : OperandsOf(stream, op)) {
      if (operand->state != ValueState::kSpoiled || FAULT(spoil_not_inherited)) continue;
      SpoilValue(*op.result, operand->spoil);
    }
    if (op.result->state != ValueState::kSpoiled) return false;
    spoiled.push_back(op);
    return true;
  });
  if (!spoiled.empty()) FinishOps(stream, spoiled);
}

void StreamSession::WriteForm(const Stream& stream, std::span<const PendingOp> ops) {
  ++epoch_;
  constexpr uint32_t kUnnumbered = UINT32_MAX;
  const auto visit = [&](Value* value) {
    if (value->epoch == epoch_) return;
    value->epoch = epoch_;
    value->relative = kUnnumbered;
    value->inside_uses = 0;
  };
  for (const PendingOp& op : ops) {
    for (Value* operand : OperandsOf(stream, op)) {
      visit(operand);
      ++operand->inside_uses;
    }
    visit(op.result);
  }
  const auto survives = [](const Value& value) {
    return value.handles > 0 || value.uses > value.inside_uses;
  };
  const uint64_t chaos = options_.decisions.chaos_seed.has_value() && options_.fusion
                             ? *options_.decisions.chaos_seed + 1
                             : 0;
  form_.Begin(options_.fusion && !FAULT(fusion_silently_off), chaos);
  relative_.clear();
  const PendingOp* before = nullptr;
  for (const PendingOp& op : ops) {
    // The steps of a composite, and of an op on quantized operands (record.cc), are no results of
    // one op: they follow from each other.
    const bool sibling = op.part > 0 && before != nullptr &&
                         before->application == op.application && before->part != op.part &&
                         !IsExpanded(op.source);
    before = &op;
    form_.BeginOp(op.op, static_cast<int>(op.operand_count), op.moves_codes, sibling);
    for (Value* value : OperandsOf(stream, op)) {
      if (value->relative != kUnnumbered) {
        form_.OldOperand(value->relative);
        continue;
      }
      const bool lives = survives(*value);
      value->relative = form_.NewOperand(value->type, value->layout, value->broadcast_axes,
                                         !(lives && value->cloned), lives);
      relative_.push_back(value);
    }
    form_.Attributes(std::span<const int64_t>(stream.runs).subspan(op.first_run, op.run_count));
    for (uint32_t i = 0; i < op.scalar_count; ++i) {
      form_.Scalar(stream.scalars[op.first_scalar + i]);
    }
    const bool lives = survives(*op.result);
    op.result->relative = form_.Result(op.result->type, !(lives && op.result->cloned), lives);
    relative_.push_back(op.result);
  }
}

ir::Result<std::shared_ptr<const Plan>> StreamSession::FindPlan() {
  const DecisionOptions& decisions = options_.decisions;
  const uint64_t hash = form_.Hash();
  std::shared_ptr<const Plan> plan = engine_.cache.Find(form_.words(), hash);
  CostChooser cost;
  ChaosChooser chaos(decisions.chaos_seed.value_or(0));
  Chooser* base = &cost;
  if (decisions.chaos_seed.has_value()) base = &chaos;
  const auto name_of = [&](const PlanDecision& decision) {
    const DecisionRecord record{decision.kind, decision.alternatives, decision.choice,
                                relative_[decision.a]->number, relative_[decision.b]->number};
    return trace_.NameOf(record);
  };
  const bool alone = LeavesChoicesAlone(decisions);
  if (plan != nullptr && !alone) {
    NamedChooser check(*base, decisions, decisions_, name_of);
    if (!Agrees(check, *plan)) plan = nullptr;
  }
  if (plan != nullptr) {
    ++trace_.cache_hits;
    if (options_.trace) trace_.cache.push_back(CacheEvent::kHit);
    decisions_ += static_cast<int64_t>(plan->decisions.size());
    return plan;
  }
  ++trace_.cache_misses;
  NamedChooser named(*base, decisions, decisions_, name_of);
  Chooser& chooser = alone ? *base : named;
  FAULTLINE_ASSIGN_OR_RETURN(const std::shared_ptr<Plan> made,
                             MakePlan(form_.words(), engine_.facts, chooser, engine_.target));
  if (FAULT(stale_scalars_on_hit)) made->first_scalars = form_.bindings().scalars;
  if (FAULT(stale_slices_on_hit)) made->first_slices = form_.bindings().slices;
  plan = made;
  decisions_ += static_cast<int64_t>(plan->decisions.size());
  bool evicted = false;
  // A plan that names have bent fits these names alone.
  if (!named.overrode()) evicted = engine_.cache.Insert(form_.words(), hash, plan);
  if (evicted) ++trace_.cache_evictions;
  if (options_.trace) {
    trace_.cache.push_back(evicted ? CacheEvent::kMissEvicting : CacheEvent::kMiss);
  }
  return plan;
}

void StreamSession::Execute(Stream& stream, std::vector<PendingOp>& ops, const Plan& plan) {
  fenced_ = fenced_ && plan.steps.empty();
  slots_.assign(plan.values.size(), {});
  for (size_t v = 0; v < relative_.size(); ++v) {
    if (plan.values[v].producer != kEntering) continue;
    slots_[v].memory = relative_[v]->memory;
    slots_[v].place = relative_[v]->place;
  }
  size_t stopped = 0;
  RunCounts counts;
  const Bindings* bindings = &form_.bindings();
  Bindings stale;
  if (FAULT(stale_scalars_on_hit) && !plan.first_scalars.empty()) {
    stale = *bindings;
    stale.scalars = plan.first_scalars;
    bindings = &stale;
  }
  if (FAULT(stale_slices_on_hit) && !plan.first_slices.empty()) {
    stale = *bindings;
    stale.slices = plan.first_slices;
    bindings = &stale;
  }
  const auto failure = executor_.Run(plan, *bindings, slots_, &stopped, &counts);
  trace_.bytes_read += counts.bytes_read;
  trace_.bytes_written += counts.bytes_written;
  for (size_t v = 0; v < relative_.size(); ++v) {
    const bool entering = plan.values[v].producer == kEntering;
    if (entering || plan.values[v].survives) {
      trace_.bytes_least += static_cast<uint64_t>(relative_[v]->type.HostBytes());
    }
  }
  TracePlan(plan, ops, stopped);
  Settle(ops, plan);
  if (failure.has_value()) {
    const PendingOp& op = ops[failure->op];
    ir::Status status(
        ir::StatusCode::kIndexOutOfRange,
        fmt::format("{} {}: index {} is out of range for extent {} (element {} of the index)",
                    ir::Mnemonic(op.source), NameOf(op), failure->index, failure->bound,
                    failure->position));
    const auto spoil = std::make_shared<Spoil>(Spoil{std::move(status), op.application});
    SpoilValue(*op.result, spoil);
    for (const PendingOp& other : ops) {
      if (FAULT(error_spoils_its_neighbours)) SpoilValue(*other.result, spoil);
    }
  }
  if (stopped == plan.steps.size()) {
    FinishOps(stream, ops);
    ops.clear();
    return;
  }
  std::vector<uint8_t> again(ops.size(), 0);
  for (size_t s = stopped; s < plan.steps.size(); ++s) {
    for (uint32_t o : plan.steps[s].ops) again[o] = 1;
  }
  std::vector<PendingOp> done;
  std::vector<PendingOp> left;
  for (size_t o = 0; o < ops.size(); ++o) {
    const bool waits = again[o] != 0 && ops[o].result->state == ValueState::kPending;
    (waits ? left : done).push_back(ops[o]);
  }
  FinishOps(stream, done);
  ops = std::move(left);
}

// Takes over what the slots hold.
void StreamSession::Settle(std::span<const PendingOp> ops, const Plan& plan) {
  for (size_t v = 0; v < slots_.size(); ++v) {
    Slot& slot = slots_[v];
    if (v >= relative_.size()) {
      if (slot.memory != nullptr) executor_.Release(slot.memory);
      continue;
    }
    Value& value = *relative_[v];
    if (plan.values[v].producer == kEntering) {
      value.memory = slot.memory;
      continue;
    }
    if (slot.memory != nullptr) {
      value.memory = slot.memory;
      value.place = slot.place;
      value.state = ValueState::kReady;
      ClassifyLayout(value);
    } else if (slot.failure != nullptr) {
      const PendingOp& op = ops[slot.failed_op];
      ir::Status status(slot.failure->code(), fmt::format("{} {}: {}", ir::Mnemonic(op.source),
                                                          NameOf(op), slot.failure->message()));
      SpoilValue(value, std::make_shared<Spoil>(Spoil{std::move(status), op.application}));
    }
  }
}

void StreamSession::FinishOps(Stream& stream, std::span<const PendingOp> ops) {
  for (const PendingOp& op : ops) {
    for (Value* operand : OperandsOf(stream, op)) --operand->uses;
    op.result->queued = false;
  }
  // A value is freed once: where it is met first after everything that held it is gone.
  ++epoch_;
  const auto meet = [&](Value* value) {
    if (value->epoch == epoch_) return;
    value->epoch = epoch_;
    FreeIfDead(value);
  };
  for (const PendingOp& op : ops) {
    for (Value* operand : OperandsOf(stream, op)) meet(operand);
    meet(op.result);
  }
}

void StreamSession::TracePlan(const Plan& plan, std::span<const PendingOp> ops, size_t steps) {
  if (!options_.trace) return;
  trace_.launches.reserve(trace_.launches.size() + steps);
  trace_.ops.reserve(trace_.ops.size() + ops.size());
  trace_.decisions.reserve(trace_.decisions.size() + plan.decisions.size());
  trace_.aliases.reserve(trace_.aliases.size() + plan.aliases.size());
  for (size_t s = 0; s < steps; ++s) {
    const PlanStep& step = plan.steps[s];
    LaunchRecord record;
    record.kind = step.kind;
    record.tier = step.kernel->tier_name(step.tier);
    record.rules = step.rules;
    record.first_op = static_cast<uint32_t>(trace_.ops.size());
    for (uint32_t o : step.ops) {
      // The parts of a composite are one op, and stand side by side.
      const bool part = trace_.ops.size() > record.first_op &&
                        trace_.ops.back().application == ops[o].application &&
                        trace_.ops.back().result == ops[o].target;
      if (!part) trace_.ops.push_back({ops[o].source, ops[o].application, ops[o].target});
    }
    record.op_count = static_cast<uint32_t>(trace_.ops.size()) - record.first_op;
    trace_.launches.push_back(record);
    // Said once, and not before there is a library to name.
    if (step.kind == LaunchKind::kMatmul && trace_.notes.empty()) {
      trace_.notes.push_back(engine_.target.Describe());
    }
  }
  for (const PlanDecision& decision : plan.decisions) {
    trace_.decisions.push_back({decision.kind, decision.alternatives, decision.choice,
                                relative_[decision.a]->number, relative_[decision.b]->number});
  }
  for (const PlanAliasOutcome& alias : plan.aliases) {
    trace_.aliases.push_back(
        {alias.outcome, relative_[alias.from]->number, relative_[alias.to]->number});
  }
  trace_.cuts.insert(trace_.cuts.end(), plan.cuts.begin(), plan.cuts.end());
  trace_.pool_high_water_bytes = static_cast<uint64_t>(account_.peak_bytes);
}

}  // namespace faultline::fusion
