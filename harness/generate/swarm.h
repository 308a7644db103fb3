// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Swarm weights: each program draws its own subset and weights of ops, dtypes, layouts and actions.
// A program that can do everything does a little of everything and never much of one thing; faults
// sit where much of one thing meets much of another.

#ifndef HARNESS_GENERATE_SWARM_H_
#define HARNESS_GENERATE_SWARM_H_

#include <array>
#include <cstdint>

#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "ir/op.h"

namespace faultline::harness {

// How an operand slot is fed.
enum class Feed : uint8_t {
  kRecent,     // the last results, mostly still pending
  kAny,        // any live value
  kInput,      // a new input
  kView,       // a view of a live value, made for the purpose
  kClone,      // a second handle to a live value
  kConverted,  // a cast of a live value of another dtype
  kCreated,    // full, zeros, ones
};
inline constexpr int kFeedCount = 7;

// How the data of an input are chosen.
enum class Regime : uint8_t {
  kPosition,  // value = start + index: any index error shows
  kGrid,      // small integers: sums stay exact
  kUniform,   // within the domain of the consumer
  kNormal,
  kLogscale,    // many magnitudes
  kCancelling,  // large terms that nearly cancel
  kTies,        // halves, and equal elements
  kExtreme,     // limits of the dtype
  kConstant,
};
inline constexpr int kRegimeCount = 9;

enum class Script : uint8_t {
  kGeneral,
  kChain,
  kPlanReuse,
  kTransactions,
  kWide,
};
inline constexpr int kScriptCount = 5;

struct Swarm {
  Script script = Script::kGeneral;
  int operations = 10;  // aimed at
  int64_t work = 512;   // aimed at; see size_law.h
  int64_t work_max = 512;

  std::array<uint32_t, ir::kOpcodeCount> ops = {};
  std::array<uint32_t, ir::kPlainDtypeCount + 1> dtypes = {};  // the last one: quantized
  std::array<uint32_t, kFeedCount> feeds = {};
  std::array<uint32_t, kRegimeCount> regimes = {};
  std::array<uint32_t, 7> ranks = {};

  // Percentages.
  uint32_t layout_percent = 20;    // inputs that are not contiguous
  uint32_t special_percent = 10;   // inputs with special values
  uint32_t zero_percent = 0;       // extents of 0, when a shape is drawn
  uint32_t one_percent = 12;       // extents of 1
  uint32_t same_percent = 20;      // both operands the same tensor, or a tensor and its own view
  uint32_t drop_now_percent = 30;  // an operand dropped right after its use
  uint32_t drop_percent = 70;      // a value dropped before the next read
  uint32_t read_percent = 6;       // a read after an op
  uint32_t sync_percent = 4;
  uint32_t clone_percent = 4;
  uint32_t propagate_percent = 40;  // results of ops on quantized operands that are quantized anew
  uint32_t break_percent = 25;  // links of a chain that are not elementwise
  uint32_t stream_percent = 0;  // a change of stream before an op
  int streams = 1;
  bool index_errors = false;
};

Swarm DrawSwarm(ChoiceStream& choices, const GenerateOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_SWARM_H_
