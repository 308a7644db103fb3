// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/promises.h"

#include <algorithm>
#include <initializer_list>

#include "ir/op.h"
#include "ir/scheme.h"

namespace faultline::harness {
namespace {

using Names = std::vector<std::string>;
using Words = std::initializer_list<std::string_view>;

void Add(Names& names, std::string_view prefix, Words words) {
  for (const std::string_view word : words)
    names.push_back(std::string(prefix) + std::string(word));
}

Names With(std::string_view prefix, Words words) {
  Names names;
  Add(names, prefix, words);
  return names;
}

// Every slot by an input and by a pending result.
Names OperandSlots() {
  Names names;
  for (const ir::OpInfo& info : ir::AllOps()) {
    const int slots = std::min(3, info.arity == ir::kVariadic ? 3 : info.arity + info.optional);
    for (int slot = 0; slot < slots; ++slot) {
      const std::string prefix =
          "feed." + std::string(info.mnemonic) + "/" + std::to_string(slot) + "/";
      Add(names, prefix, {"input", "pending"});
    }
  }
  return names;
}

Names Shapes() {
  Names names;
  for (int rank = 0; rank <= 6; ++rank) {
    names.push_back("rank." + std::to_string(rank));
    for (int axis = 0; axis < rank; ++axis) {
      names.push_back("ones." + std::to_string(rank) + "/" + std::to_string(axis));
    }
  }
  Add(names, "extent.",
      {"0",  "1",  "2",  "3",  "4",  "5",  "7",  "8",        "9",        "15",       "16",
       "17", "31", "32", "33", "63", "64", "65", "upto_128", "upto_512", "upto_1024"});
  return names;
}

Names Values() {
  Names names = With("form.", {"list", "constant", "iota", "cycle", "uniform", "normal", "ints",
                               "logscale", "quantized"});
  Add(names, "special.",
      {"nan", "nan_payload", "inf", "minus_inf", "minus_zero", "zero", "subnormal", "greatest",
       "beyond_exact", "half", "int_min", "int_max", "minus_one"});
  for (int lane = 0; lane < 64; ++lane) names.push_back("lane." + std::to_string(lane));
  return names;
}

Names Transactions() {
  Names names = {"transaction.empty/0"};
  for (const char* mix : {"plain-only", "quantized-only"}) {
    Add(names, std::string("transaction.") + mix, {"/1", "/2", "/4", "/8", "/16", "/32", "/64"});
  }
  for (const char* mix : {"quantized-first", "quantized-last"}) {
    Add(names, std::string("transaction.") + mix, {"/2", "/4", "/8", "/16", "/32", "/64"});
  }
  Add(names, "transaction.interleaved", {"/4", "/8", "/16", "/32", "/64"});
  Add(names, "transaction.",
      {"duplicates", "both_forms", "quantized_view", "moved_codes", "requantized",
       "several_in_a_row", "foreign"});
  return names;
}

// Quantized to and taken back, with and without partial blocks.
Names Schemes() {
  Names names;
  for (const char* value : {"q8s", "q8f", "q4s", "q4f", "q2s", "q2f"}) {
    for (const char* store : {"native", "packed", "packed-outer"}) {
      // Only whole bytes are stored natively.
      if (std::string_view(store) == "native" && value[1] != '8') continue;
      for (const char* level : {"tensor", "block", "partial-block"}) {
        const std::string prefix = std::string("scheme.") + value + "-" + store + "-" + level;
        Add(names, prefix, {"/quantize", "/dequantize"});
      }
    }
  }
  return names;
}

}  // namespace

const std::vector<Promises>& GeneratorPromises() {
  static const std::vector<Promises> kPromises = {
      {"operand slots", OperandSlots()},
      {"shapes", Shapes()},
      {"values", Values()},
      {"lifetimes", With("lifetime.", {"dropped_before_read", "alive_at_read", "drop_early",
                                       "drop_late", "drop_foreign", "drop_unused",
                                       "drop_after_read", "clone", "read_with_clone",
                                       "read_last_handle", "read_intermediate", "read_pending",
                                       "read_foreign", "sync", "stream_change", "never_dropped"})},
      {"plan reuse", With("reuse.", {"again", "extents", "scalars", "slices", "dtypes", "attribute",
                                     "prefix", "extension", "small_large_small", "alternating"})},
      {"transactions", Transactions()},
      {"schemes", Schemes()},
      {"beyond limits", With("structure.", {"chain/64", "chain/128", "operands/64", "reads/8",
                                            "live/64", "inputs/64"})},
      {"errors", With("error.", {"negative", "too_large", "healthy_after"})}};
  return kPromises;
}

}  // namespace faultline::harness
