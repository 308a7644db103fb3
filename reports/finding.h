// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The finding record: all that is known of one divergence, crash, hang, leak or cost fault. One
// record feeds JSON, HTML, JUnit, SARIF and Markdown. Plain data; no backend, no comparison.

#ifndef REPORTS_FINDING_H_
#define REPORTS_FINDING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace faultline::reports {

inline constexpr int kFindingSchema = 1;

// One element (or status) that is not what a correct execution could give.
struct FindingElement {
  std::string value;     // name, without '%'
  std::string index;     // "[0,3]"; empty for a status, a shape, ...
  std::string expected;  // the admissible set, as text
  std::string actual;
  double ulp_distance = 0;  // 0 where not meaningful
};

// One fused block of the plan that ran, in neutral words.
struct FindingBlock {
  std::vector<std::string> rules;
  std::vector<std::string> ops;     // mnemonics in order
  std::vector<std::string> values;  // names of the values it makes, where known
};

struct Finding {
  int schema = kFindingSchema;
  std::string id;         // hash of the reduced (else the original) program's text
  std::string key;        // DEDUP_TOKEN: what the reducer keeps
  std::string signature;  // key + guilty rules + ops of the slice; of a group: what all have
  std::string verdict;    // divergence, crash, hang, leak, cost
  std::string title;      // one line for people
  std::string detail;     // message of the crash, status, leak counts, ...
  std::string pattern;    // mismatch pattern over the tensor

  std::string backend;
  std::string contract;  // text form
  std::string fault;     // id of a seeded fault that was switched on; usually empty

  std::string program;  // canonical text as found
  std::string reduced;  // canonical text; empty if not reduced
  int statements = 0;   // of `program`
  int ops = 0;          // applications in `program`
  int reduced_ops = 0;

  std::string statement;  // text of the read (or apply) that diverged
  int line = 0;
  std::string op;                        // mnemonic that made the diverging value
  std::vector<FindingElement> elements;  // worst first, at most 8
  int64_t elements_wrong = 0;
  int64_t elements_compared = 0;

  std::vector<std::string> guilty;  // decision names, after bisection
  std::vector<std::string> rules;   // rules of the guilty decisions
  std::vector<FindingBlock> blocks;

  int attempts = 0;   // confirmations tried in fresh processes
  int confirmed = 0;  // ... and seen
  bool history_dependent = false;
  std::string history;  // texts of the inputs before, if needed to reproduce

  double seconds_to_find = 0;
  uint64_t programs_to_find = 0;
  uint64_t count = 1;  // findings folded into this one

  std::string replay;  // one pasteable command
  std::vector<std::pair<std::string, std::string>> environment;
};

}  // namespace faultline::reports

#endif  // REPORTS_FINDING_H_
