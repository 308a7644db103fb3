// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/finding_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace faultline::reports {
namespace {

using Json = nlohmann::json;

// One visitor lists the members once, for both directions.
template <typename F, typename Visitor>
void VisitMembers(F& finding, Visitor&& visit) {
  visit("schema", finding.schema);
  visit("id", finding.id);
  visit("key", finding.key);
  visit("signature", finding.signature);
  visit("verdict", finding.verdict);
  visit("title", finding.title);
  visit("detail", finding.detail);
  visit("pattern", finding.pattern);
  visit("backend", finding.backend);
  visit("contract", finding.contract);
  visit("fault", finding.fault);
  visit("program", finding.program);
  visit("reduced", finding.reduced);
  visit("statements", finding.statements);
  visit("ops", finding.ops);
  visit("reduced_ops", finding.reduced_ops);
  visit("statement", finding.statement);
  visit("line", finding.line);
  visit("op", finding.op);
  visit("elements_wrong", finding.elements_wrong);
  visit("elements_compared", finding.elements_compared);
  visit("guilty", finding.guilty);
  visit("rules", finding.rules);
  visit("attempts", finding.attempts);
  visit("confirmed", finding.confirmed);
  visit("history_dependent", finding.history_dependent);
  visit("history", finding.history);
  visit("seconds_to_find", finding.seconds_to_find);
  visit("programs_to_find", finding.programs_to_find);
  visit("count", finding.count);
  visit("replay", finding.replay);
}

template <typename T>
void Read(const Json& json, const char* name, T& target) {
  if (const auto it = json.find(name); it != json.end()) target = it->get<T>();
}

Json ElementToJson(const FindingElement& element) {
  return {{"value", element.value},
          {"index", element.index},
          {"expected", element.expected},
          {"actual", element.actual},
          {"ulp_distance", element.ulp_distance}};
}

FindingElement ElementFromJson(const Json& json) {
  FindingElement element;
  Read(json, "value", element.value);
  Read(json, "index", element.index);
  Read(json, "expected", element.expected);
  Read(json, "actual", element.actual);
  // JSON has no infinity: the writer's null reads back as the default.
  if (const auto it = json.find("ulp_distance"); it != json.end() && it->is_number()) {
    element.ulp_distance = it->get<double>();
  }
  return element;
}

Finding FromJson(const Json& json) {
  Finding finding;
  VisitMembers(finding, [&](const char* name, auto& member) { Read(json, name, member); });
  for (const Json& element : json.value("elements", Json::array())) {
    finding.elements.push_back(ElementFromJson(element));
  }
  for (const Json& block : json.value("blocks", Json::array())) {
    FindingBlock& target = finding.blocks.emplace_back();
    Read(block, "rules", target.rules);
    Read(block, "ops", target.ops);
    Read(block, "values", target.values);
  }
  const Json environment = json.value("environment", Json::object());
  for (const auto& [name, value] : environment.items()) {
    finding.environment.emplace_back(name, value.template get<std::string>());
  }
  return finding;
}

}  // namespace

std::string FindingToJson(const Finding& finding) {
  Json json = Json::object();
  VisitMembers(finding, [&](const char* name, const auto& member) { json[name] = member; });
  json["elements"] = Json::array();
  for (const FindingElement& element : finding.elements) {
    json["elements"].push_back(ElementToJson(element));
  }
  json["blocks"] = Json::array();
  for (const FindingBlock& block : finding.blocks) {
    json["blocks"].push_back(
        {{"rules", block.rules}, {"ops", block.ops}, {"values", block.values}});
  }
  json["environment"] = Json::object();
  for (const auto& [name, value] : finding.environment) json["environment"][name] = value;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ir::Result<Finding> FindingFromJson(std::string_view text) {
  // The library reports both bad text and a member of another type by exception; this is the
  // border.
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) return ir::Error(ir::StatusCode::kSyntax, "a finding is a JSON object");
    if (const int schema = json.value("schema", 0); schema > kFindingSchema) {
      return ir::Error(
          ir::StatusCode::kSyntax,
          fmt::format("finding has schema {}, this build reads up to {}", schema, kFindingSchema));
    }
    return FromJson(json);
  } catch (const Json::exception& error) {
    return ir::Error(ir::StatusCode::kSyntax, error.what());
  }
}

std::vector<Finding> FindingsFromJsonLines(std::string_view text) {
  std::vector<Finding> findings;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (auto finding = FindingFromJson(text.substr(0, end)))
      findings.push_back(std::move(*finding));
    text.remove_prefix(end + 1);
  }
  return findings;
}

}  // namespace faultline::reports
