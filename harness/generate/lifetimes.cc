// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Drops, clones, reads, syncs and streams. Without drops nothing may be overwritten, and in-place
// execution is never met; so most values die before the read that follows.

#include <algorithm>
#include <array>
#include <vector>

#include "harness/generate/composer.h"

namespace faultline::harness {

using ir::kNoValue;
using ir::ValueId;

namespace {

constexpr int kReadSizes[] = {0, 1, 1, 1, 2, 2, 3, 4, 5, 8};

}  // namespace

void Composer::MaybeSwitchStream() {
  if (swarm_.streams > 1 && choices_.Percent(swarm_.stream_percent)) {
    const int stream = static_cast<int>(choices_.Below(static_cast<uint32_t>(swarm_.streams)));
    if (stream != builder_.stream()) builder_.SetStream(stream);
  }
}

void Composer::AddActions() {
  // Operands of the last application, dropped now: their buffers may become the result.
  const auto& statements = builder_.program().statements;
  if (!statements.empty() && statements.back().kind == ir::StatementKind::kApply) {
    const std::vector<ValueId> operands = statements.back().operands;
    for (const ValueId operand : operands) {
      if (!choices_.Percent(swarm_.drop_now_percent)) continue;
      // From another stream now and then: such a drop must not overtake the use.
      if (swarm_.streams > 1 && choices_.OneIn(4)) MaybeSwitchStream();
      builder_.Drop(operand);
    }
  }
  if (choices_.Percent(swarm_.clone_percent) && !builder_.live().empty()) {
    const auto live = builder_.live();
    builder_.Clone(live[choices_.Below(static_cast<uint32_t>(live.size()))]);
  }
  if (choices_.Percent(swarm_.sync_percent)) builder_.Sync();
  if (choices_.Percent(swarm_.read_percent)) AddRead();
}

void Composer::AddRead(int size) {
  const auto live = builder_.live();
  if (size < 0) size = choices_.Pick(kReadSizes);
  std::vector<ValueId> values;
  for (int i = 0; i < size && !live.empty(); ++i) {
    // The latest, mostly; intermediates now and then, which changes what is fused.
    const auto count = static_cast<uint32_t>(live.size());
    const uint32_t back =
        choices_.Percent(55) ? std::min(choices_.Below(3), count - 1) : choices_.Below(count);
    values.push_back(live[count - 1 - back]);
  }
  const std::vector<ValueId> alive(live.begin(), live.end());
  for (const ValueId value : alive) {
    if (std::ranges::find(values, value) != values.end()) continue;
    if (builder_.StateOf(value).uses == 0 && !choices_.OneIn(3)) continue;
    if (choices_.Percent(swarm_.drop_percent)) builder_.Drop(value);
  }
  MaybeSwitchStream();
  builder_.Read(values);
  for (const ValueId value : values) {
    if (choices_.Percent(30)) builder_.Drop(value);
  }
}

void Composer::Finish() {
  // What nothing has used is read, so that no work is for nothing.
  std::vector<ValueId> values;
  const std::vector<ValueId> live(builder_.live().begin(), builder_.live().end());
  for (const ValueId value : live) {
    const ValueState& state = builder_.StateOf(value);
    const bool leaf = state.uses == 0 && state.origin != Origin::kInput;
    if ((leaf && !choices_.OneIn(12)) || (!leaf && choices_.OneIn(10))) values.push_back(value);
  }
  // Something has elements, or nothing could differ.
  const auto full = [this](ValueId value) { return builder_.TypeOf(value).NumElements() > 0; };
  if (std::ranges::none_of(values, full)) {
    const auto found = std::ranges::find_if(live.rbegin(), live.rend(), full);
    const ValueId value = found != live.rend() ? *found : NewInput(ir::Type(ir::Dtype::kF32, {3}));
    if (value != kNoValue) values.insert(values.begin(), value);
  }
  if (values.size() > ir::kReadValuesMax) values.resize(ir::kReadValuesMax);
  for (const ValueId value : live) {
    if (std::ranges::find(values, value) == values.end() && choices_.Percent(swarm_.drop_percent)) {
      builder_.Drop(value);
    }
  }
  // One transaction, or a few, in any order.
  for (size_t i = values.size(); i > 1; --i) {
    if (choices_.Percent(40))
      std::swap(values[i - 1], values[choices_.Below(static_cast<uint32_t>(i))]);
  }
  MaybeSwitchStream();
  size_t begin = 0;
  while (begin < values.size()) {
    size_t end = values.size();
    if (choices_.OneIn(4)) end = begin + 1 + choices_.Below(static_cast<uint32_t>(end - begin));
    builder_.Read(std::span(values).subspan(begin, end - begin));
    begin = end;
  }
  // What is alive at the end is dropped by the runner; some of it here, from here and there.
  if (choices_.OneIn(3)) {
    const std::vector<ValueId> rest(builder_.live().begin(), builder_.live().end());
    for (const ValueId value : rest) {
      if (choices_.Percent(50)) builder_.Drop(value);
    }
    if (choices_.OneIn(4)) builder_.Sync();
  }
}

}  // namespace faultline::harness
