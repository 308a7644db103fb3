// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Drops what the header says of how to run: decisions in chunks, needs one by one. What is left is
// what the fault depends on.

#include <string>
#include <utility>

#include "harness/reduce/search.h"

namespace faultline::harness {
namespace {

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool DropDecisions(Search& search) {
  return RemoveInChunks(
      search, [&] { return search.current().header.decisions.size(); },
      [&](const std::vector<bool>& removed) {
        ir::Program candidate = search.current();
        std::vector<ir::Decision> kept;
        for (size_t i = 0; i < removed.size(); ++i) {
          if (!removed[i]) kept.push_back(candidate.header.decisions[i]);
        }
        candidate.header.decisions = std::move(kept);
        return candidate;
      });
}

bool DropNeeds(Search& search) {
  return RemoveInChunks(
      search, [&] { return Words(search.current().header.needs).size(); },
      [&](const std::vector<bool>& removed) {
        ir::Program candidate = search.current();
        const std::vector<std::string> words = Words(candidate.header.needs);
        candidate.header.needs.clear();
        for (size_t i = 0; i < removed.size(); ++i) {
          if (removed[i]) continue;
          if (!candidate.header.needs.empty()) candidate.header.needs += ' ';
          candidate.header.needs += words[i];
        }
        return candidate;
      });
}

// The words of the program it came from would mislead.
bool DropWords(Search& search) {
  ir::Program candidate = search.current();
  candidate.header.name.clear();
  candidate.header.why.clear();
  return search.Try(std::move(candidate));
}

}  // namespace

bool DropConditions(Search& search) {
  (void)DropWords(search);
  const bool decisions = DropDecisions(search);
  return DropNeeds(search) || decisions;
}

}  // namespace faultline::harness
