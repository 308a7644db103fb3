// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What the generator must reach over a fixed list of seeds: everything of promises.h, and what
// depends on the op table.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/backend/support.h"
#include "harness/campaign/promises.h"
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

TEST_CASE("nothing that is promised stays at zero") {
  for (const Promises& promises : GeneratorPromises()) {
    std::string missing;
    for (const std::string& name : promises.names) {
      if (Generated().Get(name) == 0) missing += name + " ";
    }
    CAPTURE(promises.group);
    CHECK(missing == "");
  }
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
  CHECK(missing == "");
}

TEST_CASE("every operand slot is fed in every way") {
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

TEST_CASE("most values die before the next read") {
  const auto dropped = static_cast<double>(Generated().Get("lifetime.dropped_before_read"));
  const auto alive = static_cast<double>(Generated().Get("lifetime.alive_at_read"));
  CHECK(dropped / (dropped + alive) > 0.55);
}

TEST_CASE("every op on quantized operands meets every level, partial blocks too") {
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

TEST_CASE("errors are made at a low rate") {
  CHECK(Generated().Get("error.healthy_after") < kPrograms / 20);
}

}  // namespace
}  // namespace faultline::harness
