// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace faultline::harness {
namespace {

using ir::StatusCode;

ir::Result<std::vector<ir::Opcode>> ParseOpSet(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}') || text.size() < 3) {
    return ir::Error(StatusCode::kSyntax,
                     fmt::format("fused={} is not a set of ops such as {{softmax,sum_dim}}", text));
  }
  text = text.substr(1, text.size() - 2);
  std::vector<ir::Opcode> ops;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const std::optional<ir::Opcode> op = ir::FindOpcode(name);
    if (!op.has_value()) {
      return ir::Error(StatusCode::kSyntax, fmt::format("unknown op '{}' in fused={{}}", name));
    }
    ops.push_back(*op);
    if (comma == std::string_view::npos) return ops;
    text.remove_prefix(comma + 1);
  }
}

template <typename T>
bool ParseNumber(std::string_view text, T least, std::optional<T>& value) {
  T number = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least) return false;
  value = number;
  return true;
}

ir::Status ParseNeed(std::string_view key, std::string_view value, Needs& needs) {
  bool taken = true;
  if (key == "fused") {
    ir::Result<std::vector<ir::Opcode>> ops = ParseOpSet(value);
    if (!ops.has_value()) return std::move(ops).error();
    needs.fused.push_back(std::move(*ops));
  } else if (key == "pool") {
    needs.pool = FindPoolMode(value);
    taken = needs.pool.has_value();
  } else if (key == "threads") {
    taken = ParseNumber(value, 1, needs.threads);
  } else if (key == "chaos") {
    taken = ParseNumber(value, uint64_t{0}, needs.chaos);
  } else if (key == "fail_allocation") {
    taken = ParseNumber(value, int64_t{1}, needs.fail_allocation);
  } else if (key == "poison") {
    taken = ParseNumber(value, uint8_t{0}, needs.poison);
  } else if (key == "streams") {
    needs.streams = value == "free" ? StreamMode::kFree : StreamMode::kBaton;
    taken = value == "free" || value == "baton";
  } else if (key == "isa") {
    needs.isa = std::string(value);
    taken = !value.empty();
  } else if (key == "fusion") {
    needs.fusion = value == "on";
    taken = value == "on" || value == "off";
  } else {
    return {StatusCode::kSyntax, fmt::format("unknown need '{}'", key)};
  }
  if (taken) return {};
  return {StatusCode::kSyntax, fmt::format("'{}' is no value of the need '{}'", value, key)};
}

bool IsMet(const std::vector<ir::Opcode>& ops, const TracedBlock& block) {
  if (block.source_ops.size() < 2) return false;
  return std::ranges::all_of(ops, [&](ir::Opcode op) {
    return std::ranges::count(block.source_ops, op) >= std::ranges::count(ops, op);
  });
}

}  // namespace

ir::Result<Needs> ParseNeeds(std::string_view text) {
  Needs needs;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return ir::Error(StatusCode::kSyntax, fmt::format("need '{}' has no value", word));
    }
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        ParseNeed(word.substr(0, equals), word.substr(equals + 1), needs));
  }
  return needs;
}

void ApplyNeeds(const Needs& needs, RunOptions& run) {
  SessionOptions& options = run.session;
  if (needs.pool.has_value()) options.pool = *needs.pool;
  if (needs.threads.has_value()) options.threads = *needs.threads;
  if (needs.isa.has_value()) options.isa = *needs.isa;
  if (needs.fusion.has_value()) options.fusion = *needs.fusion;
  if (needs.chaos.has_value()) options.chaos = needs.chaos;
  if (needs.fail_allocation.has_value()) options.fail_allocation = *needs.fail_allocation;
  if (needs.poison.has_value()) run.poison = *needs.poison;
  if (needs.streams.has_value()) run.streams = *needs.streams;
}

std::string UnmetFusion(const Needs& needs, const PlanTrace& trace) {
  if (trace.blocks.empty()) return {};
  for (const std::vector<ir::Opcode>& ops : needs.fused) {
    const bool met = std::ranges::any_of(
        trace.blocks, [&](const TracedBlock& block) { return IsMet(ops, block); });
    if (met) continue;
    std::string names;
    for (ir::Opcode op : ops) names += (names.empty() ? "" : ",") + std::string(ir::Mnemonic(op));
    return fmt::format("fused={{{}}}", names);
  }
  return {};
}

}  // namespace faultline::harness
