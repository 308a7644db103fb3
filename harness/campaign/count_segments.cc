// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/count_segments.h"

#include <algorithm>
#include <vector>

#include "harness/campaign/statistic_tables.h"

namespace faultline::harness {
namespace {

using ir::Program;
using ir::Statement;
using ir::StatementKind;

using Segment = std::vector<const Statement*>;

std::vector<Segment> SegmentsOf(const Program& program) {
  std::vector<Segment> segments(1);
  for (const Statement& s : program.statements) {
    if (s.kind == StatementKind::kApply) {
      segments.back().push_back(&s);
    } else if (s.kind == StatementKind::kRead || s.kind == StatementKind::kSync) {
      if (!segments.back().empty()) segments.emplace_back();
    }
  }
  if (segments.back().empty()) segments.pop_back();
  return segments;
}

// Whether the shorter one begins the longer one.
bool SameOps(const Segment& a, const Segment& b) {
  const size_t count = std::min(a.size(), b.size());
  for (size_t i = 0; i < count; ++i) {
    if (a[i]->op != b[i]->op) return false;
  }
  return true;
}

struct Difference {
  bool extents = false;
  bool scalars = false;
  bool slices = false;
  bool dtypes = false;
  bool attributes = false;
  int64_t larger = 0;  // elements of the results, later minus earlier

  bool any() const { return extents || scalars || slices || dtypes || attributes; }
};

Difference Compare(const Program& program, const Segment& a, const Segment& b) {
  Difference d;
  for (size_t i = 0; i < a.size(); ++i) {
    const ir::Type& left = program.TypeOf(a[i]->results[0]);
    const ir::Type& right = program.TypeOf(b[i]->results[0]);
    d.extents = d.extents || left.shape != right.shape;
    d.dtypes = d.dtypes || left.element != right.element;
    d.larger += right.NumElements() - left.NumElements();
    d.scalars = d.scalars || a[i]->scalars != b[i]->scalars;
    if (a[i]->attributes != b[i]->attributes) {
      const bool slices = a[i]->attributes.Has(ir::AttributeKey::kSlices);
      (slices ? d.slices : d.attributes) = true;
    }
  }
  return d;
}

}  // namespace

void CountPlanReuse(const Program& program, Statistics& statistics) {
  const auto count = [&](PlanReuse what) {
    statistics.Count(StatisticFamily::kPlanReuse, static_cast<size_t>(what));
  };
  const std::vector<Segment> segments = SegmentsOf(program);
  // Of each segment, how it differs from the latest earlier ones with the same ops.
  for (size_t i = 1; i < segments.size(); ++i) {
    const Segment* before = nullptr;
    bool shorter_or_longer = false;
    for (size_t k = i; k-- > 0;) {
      if (!SameOps(segments[k], segments[i])) continue;
      if (segments[k].size() != segments[i].size()) {
        if (before == nullptr && !shorter_or_longer) {
          count(segments[i].size() < segments[k].size() ? PlanReuse::kPrefix
                                                        : PlanReuse::kExtension);
        }
        shorter_or_longer = true;
        continue;
      }
      const Difference d = Compare(program, segments[k], segments[i]);
      if (before == nullptr) {
        if (!d.any()) count(PlanReuse::kAgain);
        if (d.extents) count(PlanReuse::kExtents);
        if (d.scalars) count(PlanReuse::kScalars);
        if (d.slices) count(PlanReuse::kSlices);
        if (d.dtypes) count(PlanReuse::kDtypes);
        if (d.attributes) count(PlanReuse::kAttribute);
        before = &segments[k];
        continue;
      }
      // A B A: the one before the last again.
      const Difference middle = Compare(program, segments[k], *before);
      if (!d.any() && middle.any()) count(PlanReuse::kAlternating);
      if (d.larger == 0 && middle.larger != 0) count(PlanReuse::kSmallLargeSmall);
      break;
    }
  }
}

uint64_t LongestChain(const Program& program) {
  std::vector<uint64_t> length(program.values.size(), 0);
  uint64_t longest = 0;
  for (const Statement& s : program.statements) {
    if (s.kind != StatementKind::kApply || !ir::IsElementwise(s.op)) continue;
    uint64_t before = 0;
    for (const ir::ValueId operand : s.operands) before = std::max(before, length[operand]);
    for (const ir::ValueId result : s.results) length[result] = before + 1;
    longest = std::max(longest, before + 1);
  }
  return longest;
}

}  // namespace faultline::harness
