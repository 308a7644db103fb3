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

ir::Status ParseNeed(std::string_view key, std::string_view value, Needs& needs) {
  if (key == "fused") {
    ir::Result<std::vector<ir::Opcode>> ops = ParseOpSet(value);
    if (!ops.has_value()) return std::move(ops).error();
    needs.fused.push_back(std::move(*ops));
    return {};
  }
  if (key == "pool") {
    needs.pool = FindPoolMode(value);
    if (needs.pool.has_value()) return {};
  } else if (key == "threads") {
    int threads = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (error == std::errc() && end == value.data() + value.size() && threads >= 1) {
      needs.threads = threads;
      return {};
    }
  } else if (key == "chaos") {
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seed);
    if (error == std::errc() && end == value.data() + value.size()) {
      needs.chaos = seed;
      return {};
    }
  } else if (key == "fail_allocation") {
    int64_t nth = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), nth);
    if (error == std::errc() && end == value.data() + value.size() && nth >= 1) {
      needs.fail_allocation = nth;
      return {};
    }
  } else if (key == "isa") {
    needs.isa = std::string(value);
    if (!value.empty()) return {};
  } else if (key == "fusion") {
    needs.fusion = value == "on";
    if (value == "on" || value == "off") return {};
  } else {
    return {StatusCode::kSyntax, fmt::format("unknown need '{}'", key)};
  }
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

void ApplyNeeds(const Needs& needs, SessionOptions& options) {
  if (needs.pool.has_value()) options.pool = *needs.pool;
  if (needs.threads.has_value()) options.threads = *needs.threads;
  if (needs.isa.has_value()) options.isa = *needs.isa;
  if (needs.fusion.has_value()) options.fusion = *needs.fusion;
  if (needs.chaos.has_value()) options.chaos = needs.chaos;
  if (needs.fail_allocation.has_value()) options.fail_allocation = *needs.fail_allocation;
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
