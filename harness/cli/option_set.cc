// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/option_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <functional>
#include <utility>

namespace faultline::harness {
namespace {

namespace po = boost::program_options;

using ir::Status;
using ir::StatusCode;

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void AppendList(std::string_view text, std::vector<std::string>& list) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma > 0) list.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

struct OptionSet::State {
  struct Row {
    std::string name;
    std::string placeholder;
    std::string doc;
    // Stores the text of a value; false if it cannot be read.
    std::function<bool(const std::string&)> store;
  };

  po::options_description description;
  std::vector<Row> rows;
  std::vector<std::string>* positional = nullptr;
  bool help = false;

  void Add(std::string_view name, std::string_view placeholder, std::string_view doc,
           const po::value_semantic* semantic, std::function<bool(const std::string&)> store) {
    const std::string key(name);
    description.add_options()(key.c_str(), semantic);
    rows.push_back({key, std::string(placeholder), std::string(doc), std::move(store)});
  }

  void AddValue(std::string_view name, std::string_view placeholder, std::string_view doc,
                std::function<bool(const std::string&)> store) {
    Add(name, placeholder, doc, po::value<std::vector<std::string>>()->composing(),
        std::move(store));
  }

  Status Store(const po::variables_map& given) {
    for (const Row& row : rows) {
      const auto found = given.find(row.name);
      if (found == given.end() || found->second.empty()) continue;
      if (row.placeholder.empty()) {
        row.store("");
        continue;
      }
      for (const std::string& text : found->second.as<std::vector<std::string>>()) {
        if (row.store(text)) continue;
        return {StatusCode::kUsage,
                fmt::format("--{} takes {}, got '{}'", row.name, row.placeholder, text)};
      }
    }
    if (!given.contains("arguments")) return {};
    const auto& arguments = given["arguments"].as<std::vector<std::string>>();
    if (positional == nullptr) {
      return {StatusCode::kUsage, fmt::format("unexpected argument '{}'", arguments.front())};
    }
    *positional = arguments;
    return {};
  }
};

OptionSet::OptionSet() : state_(std::make_unique<State>()) {
  Flag("help", &state_->help, "say what the command does");
}

OptionSet::~OptionSet() = default;

void OptionSet::Flag(std::string_view name, bool* target, std::string_view doc) {
  state_->Add(name, "", doc, new po::untyped_value(true), [target](const std::string&) {
    *target = true;
    return true;
  });
}

void OptionSet::Value(std::string_view name, std::string* target, std::string_view placeholder,
                      std::string_view doc) {
  state_->AddValue(name, placeholder, doc, [target](const std::string& text) {
    *target = text;
    return true;
  });
}

void OptionSet::Value(std::string_view name, int64_t* target, std::string_view placeholder,
                      std::string_view doc) {
  state_->AddValue(name, placeholder, doc, [target](const std::string& text) {
    const std::optional<int64_t> value = ParseNumber<int64_t>(text);
    if (value.has_value()) *target = *value;
    return value.has_value();
  });
}

void OptionSet::Value(std::string_view name, std::optional<uint64_t>* target,
                      std::string_view placeholder, std::string_view doc) {
  state_->AddValue(name, placeholder, doc, [target](const std::string& text) {
    *target = ParseNumber<uint64_t>(text);
    return target->has_value();
  });
}

void OptionSet::List(std::string_view name, std::vector<std::string>* target,
                     std::string_view placeholder, std::string_view doc) {
  // What the line gives replaces the default.
  auto first = std::make_shared<bool>(true);
  state_->AddValue(name, placeholder, doc, [target, first](const std::string& text) {
    if (std::exchange(*first, false)) target->clear();
    AppendList(text, *target);
    return !target->empty();
  });
}

void OptionSet::Duration(std::string_view name, double* seconds, std::string_view doc) {
  state_->AddValue(name, "TIME", doc, [seconds](const std::string& text) {
    const std::optional<double> value = ParseDuration(text);
    if (value.has_value()) *seconds = *value;
    return value.has_value();
  });
}

void OptionSet::ValueOr(std::string_view name, std::string* target, std::string_view implicit,
                        std::string_view placeholder, std::string_view doc) {
  const std::vector<std::string> value = {std::string(implicit)};
  state_->Add(name, placeholder, doc,
              po::value<std::vector<std::string>>()->implicit_value(value, std::string(implicit)),
              [target](const std::string& text) {
                *target = text;
                return true;
              });
}

void OptionSet::Positional(std::string_view, std::vector<std::string>* target) {
  state_->positional = target;
}

Status OptionSet::Parse(std::span<const std::string> arguments) {
  po::options_description all;
  all.add(state_->description);
  all.add_options()("arguments", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("arguments", -1);
  namespace style = po::command_line_style;
  // Long options, spelled out, with or without '='.
  constexpr int kStyle = style::allow_long | style::long_allow_adjacent | style::long_allow_next;
  try {
    po::variables_map given;
    po::store(po::command_line_parser({arguments.begin(), arguments.end()})
                  .options(all)
                  .positional(positional)
                  .style(kStyle)
                  .run(),
              given);
    return state_->Store(given);
  } catch (const po::error& error) {
    return {StatusCode::kUsage, error.what()};
  }
}

bool OptionSet::help() const { return state_->help; }

std::string OptionSet::Describe() const {
  constexpr size_t kColumn = 26;
  std::vector<const State::Row*> sorted;
  for (const State::Row& row : state_->rows) sorted.push_back(&row);
  std::ranges::sort(sorted, {}, &State::Row::name);
  std::string text;
  for (const State::Row* row : sorted) {
    std::string left =
        fmt::format("  --{}{}{}", row->name, row->placeholder.empty() ? "" : " ", row->placeholder);
    if (left.size() < kColumn) left.resize(kColumn, ' ');
    text += fmt::format("{}  {}\n", left, row->doc);
  }
  return text;
}

std::optional<double> ParseDuration(std::string_view text) {
  double unit = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
    text.remove_suffix(1);
  }
  const std::optional<double> value = ParseNumber<double>(text);
  if (!value.has_value() || !(*value >= 0) || *value > 1e9) return std::nullopt;
  return *value * unit;
}

}  // namespace faultline::harness
