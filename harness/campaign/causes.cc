// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

#include "harness/campaign/classify.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

constexpr size_t kGroupMin = 5;
// Below this, findings that share nothing else have nothing in common: f32 elementwise programs are
// what campaigns draw most.
constexpr double kWeightMin = 2;

// How much a trait says: what nearly every program has says nothing, a rule or a decision that
// bisection found guilty says most.
double WeightOf(std::string_view trait) {
  const std::string_view kind = trait.substr(0, trait.find(':'));
  if (kind == "decision" || kind == "rule") return 4;
  if (kind == "op" || kind == "attribute" || kind == "scheme") return 3;
  // Norms have it by nature: of as many findings, their kind says more.
  if (trait == "shape:ranks") return 2;
  // A reduced program has an odd shape, layout, aspect or condition only where the fault needs it.
  if (kind == "need" || kind == "shape" || kind == "layout" || kind == "operand" ||
      kind == "aspect")
    return 2.5;
  if (trait == "dtype:bf16" || trait == "dtype:f16" || trait == "dtype:f64") return 2.5;
  if (kind == "class") return trait == "class:f32" || trait == "class:signed" ? 1 : 2;
  if (kind == "kind") return trait == "kind:elementwise" || trait == "kind:view" ? 1 : 2;
  return kind == "verdict" ? 0.5 : 1;
}

// How the operands of an application lie to each other.
void AddOperands(const ir::Program& program, const ir::Statement& statement,
                 std::set<std::string>& traits) {
  const auto& operands = statement.operands;
  const bool elementwise = ir::InfoOf(statement.op).shape_rule == ir::ShapeRule::kBroadcast;
  for (size_t i = 1; i < operands.size(); ++i) {
    if (elementwise && program.TypeOf(operands[i]).shape != program.TypeOf(operands[0]).shape) {
      traits.insert("shape:broadcast");
    }
    // A vector against a matrix: of an elementwise op, a norm, a product with its bias.
    if (program.TypeOf(operands[i]).shape.rank() != program.TypeOf(operands[0]).shape.rank()) {
      traits.insert("shape:ranks");
    }
    if (std::ranges::count(operands, operands[i]) > 1) traits.insert("operand:twice");
  }
}

void AddStatement(const ir::Program& program, const ir::Statement& statement,
                  std::set<std::string>& traits) {
  if (statement.kind == ir::StatementKind::kClone) traits.insert("op:clone");
  if (statement.kind == ir::StatementKind::kDrop) traits.insert("op:drop");
  if (statement.kind == ir::StatementKind::kStream) traits.insert("op:stream");
  if (statement.kind == ir::StatementKind::kSync) traits.insert("op:sync");
  if (statement.kind == ir::StatementKind::kInput) {
    const ir::Type& type = program.TypeOf(statement.results[0]);
    const LayoutClass layout = ClassOf(statement.layout, type.shape);
    if (layout != LayoutClass::kContiguous) {
      traits.insert(fmt::format("layout:{}", LayoutClassName(layout)));
    }
    // An input that is read as it is has no op to tell its type.
    traits.insert(fmt::format("class:{}", DtypeClassName(ClassOf(type.dtype()))));
  }
  if (statement.kind != ir::StatementKind::kApply) return;
  traits.insert(fmt::format("op:{}", ir::Mnemonic(statement.op)));
  traits.insert(fmt::format("kind:{}", OpKindName(KindOf(statement.op))));
  for (const ir::Attributes::Entry& entry : statement.attributes.entries()) {
    if (entry.key == ir::AttributeKey::kSlices) traits.insert("attribute:slices");
  }
  const auto add_type = [&](ir::ValueId value) {
    const ir::Type& type = program.TypeOf(value);
    traits.insert(fmt::format("dtype:{}", ir::DtypeName(type.dtype())));
    traits.insert(fmt::format("class:{}", DtypeClassName(ClassOf(type.dtype()))));
    if (type.NumElements() == 0) traits.insert("shape:empty");
    if (type.quantized()) {
      traits.insert(fmt::format("scheme:{}", SchemeClassName(SchemeClassOf(type))));
    }
  };
  for (const ir::ValueId operand : statement.operands) add_type(operand);
  for (const ir::ValueId result : statement.results) add_type(result);
  AddOperands(program, statement, traits);
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

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// A group's signature is a list of traits, every word of it.
bool IsGroupName(const std::string& signature) {
  constexpr std::string_view kKinds[] = {"aspect", "attribute", "class", "decision", "dtype",
                                         "kind",   "layout",    "need",  "op",       "operand",
                                         "rule",   "scheme",    "shape", "verdict"};
  const std::vector<std::string> words = Words(signature);
  return !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    const size_t colon = word.find(':');
    return colon != std::string::npos && std::ranges::count(kKinds, word.substr(0, colon)) > 0;
  });
}

// Groups of several campaigns: one that has all traits of a broader one is the same cause, which
// happened to meet fewer ops or dtypes there.
void JoinGroups(const std::vector<std::vector<std::string>>& traits, std::vector<size_t> groups,
                std::vector<std::string>& signatures) {
  std::ranges::sort(groups, {}, [&](size_t i) { return std::tuple(traits[i].size(), i); });
  for (size_t at = 0; at < groups.size(); ++at) {
    for (size_t broader = 0; broader < at; ++broader) {
      if (!std::ranges::includes(traits[groups[at]], traits[groups[broader]])) continue;
      signatures[groups[at]] = signatures[groups[broader]];
      break;
    }
  }
}

}  // namespace

std::vector<std::string> TraitsOf(const reports::Finding& finding) {
  if (finding.reduced.empty()) return {};
  const auto program = ir::Parse(finding.reduced);
  if (!program) return {};
  std::set<std::string> traits = {fmt::format("verdict:{}", finding.verdict)};
  // Conditions that the reducer could not drop: "need:pool".
  for (const std::string& need : Words(program->header.needs)) {
    traits.insert("need:" + need.substr(0, need.find('=')));
  }
  // The second word of a divergence's key: what about the value is wrong, mostly the number.
  if (finding.key.starts_with("divergence/") && !finding.key.starts_with("divergence/number/")) {
    const std::string aspect = finding.key.substr(std::string_view("divergence/").size());
    traits.insert("aspect:" + aspect.substr(0, aspect.find('/')));
  }
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
  std::vector<size_t> groups;
  for (const reports::Finding& finding : findings) {
    signatures.push_back(finding.signature.empty() ? finding.key : finding.signature);
    const bool group = IsGroupName(finding.signature);
    traits.push_back(group ? Words(finding.signature) : TraitsOf(finding));
    if (group) {
      groups.push_back(signatures.size() - 1);
    } else if (!traits.back().empty()) {
      open.insert(signatures.size() - 1);
    }
  }
  JoinGroups(traits, groups, signatures);
  while (true) {
    std::map<std::string, std::vector<size_t>> having;
    for (const size_t i : open) {
      for (const std::string& trait : traits[i]) having[trait].push_back(i);
    }
    const std::vector<size_t>* best = nullptr;
    double best_score = 0;
    for (const auto& [trait, group] : having) {
      const double weight = WeightOf(trait);
      if (group.size() < kGroupMin || weight < kWeightMin) continue;
      const double score = weight * static_cast<double>(group.size());
      if (score <= best_score) continue;
      best = &group;
      best_score = score;
    }
    if (best == nullptr) return signatures;
    const std::vector<std::string> common = Common(traits, *best);
    const std::string name = fmt::format("{}", fmt::join(common, " "));
    for (const size_t i : *best) {
      signatures[i] = name;
      open.erase(i);
    }
  }
}

std::vector<reports::Finding> FoldFindings(std::vector<reports::Finding> findings,
                                           const std::map<std::string, uint64_t>& uncounted) {
  std::ranges::sort(findings, [](const reports::Finding& a, const reports::Finding& b) {
    const auto rank = [](const reports::Finding& f) {
      return std::tuple(f.confirmed == 0, f.reduced.empty(),
                        f.reduced.empty() ? f.program.size() : f.reduced.size(), f.id);
    };
    return rank(a) < rank(b);
  });
  const std::vector<std::string> signatures = CauseSignatures(findings);
  std::vector<reports::Finding> folded;
  std::map<std::string, size_t> by_key;
  for (size_t i = 0; i < findings.size(); ++i) {
    const bool reduced = !findings[i].reduced.empty();
    const auto key = by_key.find(findings[i].key);
    const auto same = std::ranges::find(folded, signatures[i], &reports::Finding::signature);
    size_t at = static_cast<size_t>(same - folded.begin());
    if (!reduced && key != by_key.end()) at = key->second;
    if (at == folded.size()) {
      folded.push_back(findings[i]);
      folded.back().signature = signatures[i];
      folded.back().count = 0;
    }
    folded[at].count += findings[i].count;
    by_key.emplace(findings[i].key, at);
  }
  for (const auto& [key, count] : uncounted) {
    const auto same = by_key.find(key);
    if (same != by_key.end()) folded[same->second].count += count;
  }
  return folded;
}

}  // namespace faultline::harness
