// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What the generator must reach, each with a statistic that is not zero over a fixed list of seeds.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/backend/support.h"
#include "harness/campaign/statistics.h"
#include "harness/generate/generate.h"
#include "ir/op.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kPrograms = 32000;

const Statistics& Generated() {
  static const Statistics statistics = [] {
    Statistics all;
    GenerateOptions options;
    options.value_aware = false;
    for (uint64_t i = 0; i < kPrograms; ++i) {
      ChoiceStream choices(MixSeed(9, i));
      all.CountProgram(Generate(choices, options));
    }
    return all;
  }();
  return statistics;
}

// Names whose counter is zero, joined.
std::string Missing(const std::vector<std::string>& names) {
  std::string missing;
  for (const std::string& name : names) {
    if (Generated().Get(name) == 0) missing += name + " ";
  }
  return missing;
}

TEST_CASE("every op is generated with every dtype it takes") {
  std::string missing;
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (int d = 0; d <= ir::kPlainDtypeCount; ++d) {
      const auto dtype = static_cast<ir::Dtype>(d);
      if (!MakeSample(info.op, dtype).has_value()) continue;
      if (Generated().OpDtype(info.op, dtype) > 0) continue;
      missing += std::string(info.mnemonic) + "/" + std::string(ir::DtypeName(dtype)) + " ";
    }
  }
  CHECK(missing.empty());
  CHECK(missing == "");
}

TEST_CASE("every operand slot is fed in every way") {
  // By op and slot: by an input and by a pending result. Over all ops: by everything.
  std::string missing;
  for (const ir::OpInfo& info : ir::AllOps()) {
    const int slots =
        std::min(3, info.arity == ir::kVariadic ? 3 : info.arity + info.optional);
    for (int slot = 0; slot < slots; ++slot) {
      const std::string prefix =
          "feed." + std::string(info.mnemonic) + "/" + std::to_string(slot) + "/";
      for (const std::string feed : {"input", "pending"}) {
        if (Generated().Get(prefix + feed) == 0) missing += prefix + feed + " ";
      }
    }
  }
  CHECK(missing == "");
  for (const std::string feed :
       {"materialized", "permuted", "stepped", "reversed", "prefix", "expanded", "reshaped",
        "clone", "created", "cast", "foreign", "same_twice", "own_view"}) {
    int slots_of_two = 0;
    for (const ir::OpInfo& info : ir::AllOps()) {
      for (const char* slot : {"/0/", "/1/", "/2/"}) {
        if (Generated().Get("feed." + std::string(info.mnemonic) + slot + feed) > 0) ++slots_of_two;
      }
    }
    INFO(feed);
    CHECK(slots_of_two > 10);
  }
}

TEST_CASE("every layout meets every kind of op") {
  std::string missing;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if (info.arity == 0) continue;
    for (const std::string layout : {"contiguous", "view"}) {
      uint64_t count = 0;
      for (const std::string dtype :
           {"f64", "f32", "half", "signed", "unsigned", "bool", "quantized"}) {
        count +=
            Generated().Get("op_layout." + std::string(info.mnemonic) + "/" + dtype + "/" + layout);
      }
      if (count == 0) missing += std::string(info.mnemonic) + "/" + layout + " ";
    }
  }
  CHECK(missing == "");
  for (const std::string layout : {"permuted", "padded", "offset", "negative", "broadcast"}) {
    int ops = 0;
    for (const ir::OpInfo& info : ir::AllOps()) {
      for (const std::string dtype : {"f64", "f32", "half", "signed", "unsigned", "bool"}) {
        if (Generated().Get("op_layout." + std::string(info.mnemonic) + "/" + dtype + "/" +
                            layout) > 0) {
          ++ops;
          break;
        }
      }
    }
    INFO(layout);
    CHECK(ops > 40);
  }
}

TEST_CASE("shapes reach all ranks, the interesting extents, and ones everywhere") {
  std::vector<std::string> names;
  for (int rank = 0; rank <= 6; ++rank) {
    names.push_back("rank." + std::to_string(rank));
    for (int axis = 0; axis < rank; ++axis) {
      names.push_back("ones." + std::to_string(rank) + "/" + std::to_string(axis));
    }
  }
  for (const int extent : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
    names.push_back("extent." + std::to_string(extent));
  }
  names.insert(names.end(), {"extent.upto_128", "extent.upto_512", "extent.upto_1024"});
  CHECK(Missing(names) == "");
}

TEST_CASE("values are of every form, special ones at every lane") {
  std::vector<std::string> names;
  for (const char* form : {"list", "constant", "iota", "cycle", "uniform", "normal", "ints",
                           "logscale", "quantized"}) {
    names.push_back(std::string("form.") + form);
  }
  for (const char* special :
       {"nan", "nan_payload", "inf", "minus_inf", "minus_zero", "zero", "subnormal", "greatest",
        "beyond_exact", "half", "int_min", "int_max", "minus_one"}) {
    names.push_back(std::string("special.") + special);
  }
  for (int lane = 0; lane < 64; ++lane) names.push_back("lane." + std::to_string(lane));
  CHECK(Missing(names) == "");
}

TEST_CASE("lifetimes are of every kind, and most values die before the next read") {
  std::vector<std::string> names;
  for (const char* what :
       {"dropped_before_read", "alive_at_read", "drop_early", "drop_late", "drop_foreign",
        "drop_unused", "drop_after_read", "clone", "read_with_clone", "read_last_handle",
        "read_intermediate", "read_pending", "read_foreign", "sync", "stream_change",
        "never_dropped"}) {
    names.push_back(std::string("lifetime.") + what);
  }
  CHECK(Missing(names) == "");
  const auto dropped = static_cast<double>(Generated().Get("lifetime.dropped_before_read"));
  const auto alive = static_cast<double>(Generated().Get("lifetime.alive_at_read"));
  CHECK(dropped / (dropped + alive) > 0.55);
}

TEST_CASE("plans are reused in every way") {
  std::vector<std::string> names;
  for (const char* what : {"again", "extents", "scalars", "slices", "dtypes", "attribute", "prefix",
                           "extension", "small_large_small", "alternating"}) {
    names.push_back(std::string("reuse.") + what);
  }
  CHECK(Missing(names) == "");
}

TEST_CASE("transactions are of every mix and size") {
  std::vector<std::string> names = {"transaction.empty/0"};
  for (const char* mix : {"plain-only", "quantized-only"}) {
    for (const char* size : {"/1", "/2", "/4", "/8", "/16", "/32", "/64"}) {
      names.push_back(std::string("transaction.") + mix + size);
    }
  }
  for (const char* mix : {"quantized-first", "quantized-last"}) {
    for (const char* size : {"/2", "/4", "/8", "/16", "/32", "/64"}) {
      names.push_back(std::string("transaction.") + mix + size);
    }
  }
  for (const char* size : {"/4", "/8", "/16", "/32", "/64"}) {
    names.push_back(std::string("transaction.interleaved") + size);
  }
  for (const char* what : {"duplicates", "both_forms", "quantized_view", "moved_codes",
                           "requantized", "several_in_a_row", "foreign"}) {
    names.push_back(std::string("transaction.") + what);
  }
  CHECK(Missing(names) == "");
}

TEST_CASE("every scheme is quantized to and taken back, with and without partial blocks") {
  std::vector<std::string> names;
  for (const std::string value : {"q8s", "q8f", "q4s", "q4f", "q2s", "q2f"}) {
    for (const std::string store : {"native", "packed", "packed-outer"}) {
      // Only whole bytes are stored natively.
      if (store == "native" && value[1] != '8') continue;
      for (const std::string level : {"tensor", "block", "partial-block"}) {
        names.push_back("scheme." + value + "-" + store + "-" + level + "/quantize");
        names.push_back("scheme." + value + "-" + store + "-" + level + "/dequantize");
      }
    }
  }
  CHECK(Missing(names) == "");
  std::string missing;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if (!ir::IsIn(ir::Dtype::kQuantized, info.operand_dtypes)) continue;
    for (const std::string level : {"tensor", "block", "partial-block"}) {
      uint64_t count = 0;
      for (const std::string value : {"q8s", "q8f", "q4s", "q4f", "q2s", "q2f"}) {
        for (const std::string store : {"native", "packed", "packed-outer"}) {
          count += Generated().Get("scheme." + value + "-" + store + "-" + level + "/" +
                                   std::string(info.mnemonic));
        }
      }
      if (count == 0) missing += std::string(info.mnemonic) + "/" + level + " ";
    }
  }
  CHECK(missing == "");
}

TEST_CASE("programs pass the limits of fusion and binding, in several blocks") {
  CHECK(Missing({"structure.chain/64", "structure.chain/128", "structure.operands/64",
                 "structure.reads/8", "structure.live/64", "structure.inputs/64"}) == "");
}

TEST_CASE("errors are made on purpose, at a low rate, with healthy work after them") {
  CHECK(Missing({"error.negative", "error.too_large", "error.healthy_after"}) == "");
  CHECK(Generated().Get("error.healthy_after") < kPrograms / 20);
}

}  // namespace
}  // namespace faultline::harness
