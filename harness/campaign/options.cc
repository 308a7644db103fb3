// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/generate/choice_stream.h"

namespace faultline::harness {
namespace {

// Lists every member once, for both directions.
template <typename Options, typename Visitor>
void VisitMembers(Options& options, Visitor&& visit) {
  visit("backend", options.backend.name);
  visit("fault", options.backend.fault);
  visit("contract", options.backend.contract_text);
  visit("device", options.device);
  visit("seeds", options.seeds);
  visit("focus", options.focus);
  visit("seconds", options.seconds);
  visit("runs", options.runs);
  visit("seed", options.seed);
  visit("jobs", options.jobs);
  visit("timeout", options.timeout_s);
  visit("findings_max", options.findings_max);
  visit("judged_per_key", options.judged_per_key);
  visit("feedback", options.feedback);
  visit("max_decisions", options.max_decisions);
  visit("deny", options.deny);
  visit("chaos", options.chaos);
  visit("free_streams", options.free_streams);
  visit("stop_at_first", options.stop_at_first);
}

// A contract's text has several lines; one entry has one.
std::string Escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      out += text[++i] == 'n' ? '\n' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

void PrintMember(std::string& out, const char* key, const std::string& value) {
  if (!value.empty()) out += fmt::format("{} {}\n", key, Escape(value));
}
void PrintMember(std::string& out, const char* key, const std::vector<std::string>& values) {
  for (const std::string& value : values) PrintMember(out, key, value);
}
void PrintMember(std::string& out, const char* key, bool value) {
  out += fmt::format("{} {}\n", key, value ? 1 : 0);
}
template <typename T>
void PrintMember(std::string& out, const char* key, T value) {
  out += fmt::format("{} {}\n", key, value);
}

bool ReadMember(std::string_view text, std::string& value) {
  value = Unescape(text);
  return true;
}
bool ReadMember(std::string_view text, std::vector<std::string>& values) {
  values.push_back(Unescape(text));
  return true;
}
bool ReadMember(std::string_view text, bool& value) {
  value = text == "1";
  return text == "0" || text == "1";
}
template <typename T>
bool ReadMember(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view FeedbackName(Feedback feedback) {
  constexpr std::string_view kNames[kFeedbackCount] = {"none", "code", "all"};
  return kNames[static_cast<size_t>(feedback)];
}

std::string PrintOptions(const CampaignOptions& options) {
  std::string out;
  VisitMembers(options, [&](const char* key, const auto& value) { PrintMember(out, key, value); });
  return out;
}

ir::Result<CampaignOptions> ParseOptions(std::string_view text) {
  CampaignOptions options;
  options.backend.name.clear();
  int line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view key = line.substr(0, line.find(' '));
    const std::string_view value = line.substr(std::min(line.size(), key.size() + 1));
    bool read = false;
    VisitMembers(options, [&](const char* name, auto& member) {
      if (key == name) read = ReadMember(value, member);
    });
    if (!read) {
      return ir::Error(ir::StatusCode::kSyntax, fmt::format("not a campaign option: '{}'", line),
                       {line_number, 1});
    }
  }
  options.backend.device = options.device;
  return options;
}

std::string CampaignPaths::findings_log(int worker) const {
  return fmt::format("{}/worker-{}.jsonl", findings(), worker);
}

std::string CampaignPaths::judged(std::string_view id) const {
  return fmt::format("{}/judged-{}.json", findings(), id);
}

std::string CampaignPaths::log(int worker) const {
  return fmt::format("{}/log/worker-{}.log", out, worker);
}

std::string CampaignPaths::statistics(int worker, int generation) const {
  return fmt::format("{}/statistics/worker-{}-{}.txt", out, worker, generation);
}

RunOptions DrawRunOptions(const CampaignOptions& options, uint64_t text_hash) {
  ChoiceStream choices(MixSeed(options.seed, text_hash));
  RunOptions run;
  SessionOptions& session = run.session;
  session.device = options.device;
  session.max_decisions = options.max_decisions;
  session.deny = options.deny;
  constexpr PoolMode kModes[] = {PoolMode::kPlain, PoolMode::kGuard, PoolMode::kPitch};
  session.pool = choices.Pick(kModes);
  session.pool_seed = choices.Below(1024);
  run.poison = static_cast<uint8_t>(session.pool_seed | 1);
  session.threads = choices.OneIn(8) ? 2 : 1;
  session.fusion = !choices.OneIn(16);
  const uint32_t nth = 1 + choices.Below(24);
  if (choices.OneIn(24)) session.fail_allocation = nth;
  const uint64_t chaos_seed = choices.Below(1 << 20);
  if (options.chaos || choices.OneIn(6)) session.chaos = chaos_seed;
  if (options.free_streams) run.streams = StreamMode::kFree;
  return run;
}

}  // namespace faultline::harness
