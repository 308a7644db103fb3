// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "harness/campaign/classify.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

constexpr size_t kGroupMin = 5;

// How much a trait says: what nearly every program has says nothing, a rule or a decision that
// bisection found guilty says most.
double WeightOf(std::string_view trait) {
  const std::string_view kind = trait.substr(0, trait.find(':'));
  if (kind == "decision" || kind == "rule") return 4;
  if (kind == "op" || kind == "attribute" || kind == "scheme") return 3;
  if (trait == "dtype:bf16" || trait == "dtype:f16" || trait == "dtype:f64") return 2.5;
  if (kind == "kind") return trait == "kind:elementwise" || trait == "kind:view" ? 1 : 2;
  return kind == "verdict" ? 0.5 : 1;
}

void AddStatement(const ir::Program& program, const ir::Statement& statement,
                  std::set<std::string>& traits) {
  if (statement.kind == ir::StatementKind::kClone) traits.insert("op:clone");
  if (statement.kind == ir::StatementKind::kStream) traits.insert("op:stream");
  if (statement.kind != ir::StatementKind::kApply) return;
  traits.insert(fmt::format("op:{}", ir::Mnemonic(statement.op)));
  traits.insert(fmt::format("kind:{}", OpKindName(KindOf(statement.op))));
  for (const ir::Attributes::Entry& entry : statement.attributes.entries()) {
    if (entry.key == ir::AttributeKey::kSlices) traits.insert("attribute:slices");
  }
  const auto add_type = [&](ir::ValueId value) {
    const ir::Type& type = program.TypeOf(value);
    traits.insert(fmt::format("dtype:{}", ir::DtypeName(type.dtype())));
    if (type.quantized()) {
      traits.insert(fmt::format("scheme:{}", SchemeClassName(SchemeClassOf(type))));
    }
  };
  for (const ir::ValueId operand : statement.operands) add_type(operand);
  for (const ir::ValueId result : statement.results) add_type(result);
}

std::vector<std::string> Common(const std::vector<std::vector<std::string>>& traits,
                                const std::vector<size_t>& group) {
  std::vector<std::string> common = traits[group[0]];
  for (const size_t i : group) {
    std::vector<std::string> both;
    std::ranges::set_intersection(common, traits[i], std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

}  // namespace

std::vector<std::string> TraitsOf(const reports::Finding& finding) {
  if (finding.reduced.empty()) return {};
  const auto program = ir::Parse(finding.reduced);
  if (!program) return {};
  std::set<std::string> traits = {fmt::format("verdict:{}", finding.verdict)};
  for (const ir::Statement& statement : program->statements) {
    AddStatement(*program, statement, traits);
  }
  for (const std::string& rule : finding.rules) traits.insert("rule:" + rule);
  for (const std::string& decision : finding.guilty) {
    traits.insert("decision:" + decision.substr(0, decision.find('(')));
  }
  return {traits.begin(), traits.end()};
}

std::vector<std::string> CauseSignatures(std::span<const reports::Finding> findings) {
  std::vector<std::string> signatures;
  std::vector<std::vector<std::string>> traits;
  std::set<size_t> open;
  for (const reports::Finding& finding : findings) {
    signatures.push_back(finding.signature.empty() ? finding.key : finding.signature);
    traits.push_back(TraitsOf(finding));
    if (!traits.back().empty()) open.insert(traits.size() - 1);
  }
  while (open.size() >= kGroupMin) {
    std::map<std::string, std::vector<size_t>> having;
    for (const size_t i : open) {
      for (const std::string& trait : traits[i]) having[trait].push_back(i);
    }
    const auto score = [](const auto& entry) {
      return static_cast<double>(entry.second.size()) * WeightOf(entry.first);
    };
    const auto best = std::ranges::max_element(having, {}, score);
    if (best->second.size() < kGroupMin) break;
    const std::vector<std::string> common = Common(traits, best->second);
    const std::string name = fmt::format("{}", fmt::join(common, " "));
    for (const size_t i : best->second) {
      signatures[i] = name;
      open.erase(i);
    }
  }
  return signatures;
}

}  // namespace faultline::harness
