// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The state of a reduction: the smallest program so far, the budget, and what was tried. Passes see
// nothing else.
//
// Laws of a pass:
//  1. It only proposes: every candidate goes through Try, which verifies and judges it.
//  2. It is deterministic and never runs a backend itself.
//  3. It ends; it stops early when Done().

#ifndef HARNESS_REDUCE_SEARCH_H_
#define HARNESS_REDUCE_SEARCH_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "harness/reduce/reduce.h"
#include "ir/program.h"

namespace faultline::harness {

// What "smaller" means, most important first: applications, statements, elements and extents of all
// values, data that is not simple, run conditions, bytes of text.
using ProgramSize = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;
ProgramSize SizeOf(const ir::Program& program);

class Search {
 public:
  Search(const ir::Program& program, std::string_view key, const Judge& judge,
         const ReduceOptions& options);

  // Judges the input itself; false if it does not show the key.
  bool Begin();
  const ir::Program& current() const { return result_.program; }
  // Whether `candidate` is new, smaller, verifies and shows the key; it is the current one then.
  bool Try(ir::Program candidate);
  bool Done() const;
  void set_pass(std::string_view pass) { pass_ = pass; }
  ReduceResult& result() { return result_; }

 private:
  std::string key_;
  const Judge& judge_;
  const ReduceOptions& options_;
  ReduceResult result_;
  ProgramSize size_;
  std::string_view pass_;
  std::unordered_set<uint64_t> tried_;
  std::chrono::steady_clock::time_point deadline_;
};

// Takes away chunks of `count` things, large chunks first: `make(removed)` builds the candidate
// without the marked ones. Returns whether anything was accepted. `make` is called again with fewer
// things after a success, so it must look at the current program anew.
template <typename CountFn, typename MakeFn>
bool RemoveInChunks(Search& search, CountFn count_fn, MakeFn make) {
  bool any = false;
  size_t count = count_fn();
  for (size_t chunk = count; chunk > 0; chunk /= 2) {
    for (size_t end = count; end > 0 && !search.Done();) {
      const size_t begin = end > chunk ? end - chunk : 0;
      std::vector<bool> removed(count, false);
      for (size_t i = begin; i < end; ++i) removed[i] = true;
      if (search.Try(make(removed))) {
        any = true;
        count = count_fn();
      }
      end = std::min(begin, count);
    }
  }
  return any;
}

struct ReductionPass {
  std::string_view name;
  bool (*run)(Search& search);  // whether anything was accepted
};
// In the order in which they pay: from whole statements down to single data.
std::span<const ReductionPass> AllPasses();

bool DropStatements(Search& search);
bool ReplaceByOperand(Search& search);
bool ReplaceByInput(Search& search);
bool DropReads(Search& search);
bool ShrinkExtents(Search& search);
bool SimplifyData(Search& search);
bool SimplifyArguments(Search& search);
bool DropConditions(Search& search);

}  // namespace faultline::harness

#endif  // HARNESS_REDUCE_SEARCH_H_
