// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/generate.h"

#include <array>
#include <memory>

#include "harness/generate/builder.h"
#include "harness/generate/composer.h"
#include "harness/generate/scripts.h"
#include "harness/generate/swarm.h"
#include "harness/generate/value_steering.h"

namespace faultline::harness {
namespace {

constexpr std::array<std::string_view, kFocusCount> kFocusNames = {
    "quantized-transactions", "plan-reuse", "views", "reductions", "matmul", "streams"};

}  // namespace

std::string_view FocusName(Focus focus) { return kFocusNames[static_cast<size_t>(focus)]; }

std::optional<Focus> FindFocus(std::string_view name) {
  for (size_t i = 0; i < kFocusNames.size(); ++i) {
    if (kFocusNames[i] == name) return static_cast<Focus>(i);
  }
  return std::nullopt;
}

ir::Program Generate(ChoiceStream& choices, const GenerateOptions& options) {
  Swarm swarm = DrawSwarm(choices, options);
  AdjustToScript(choices, swarm);
  Builder builder(options, swarm.work_max);
  std::unique_ptr<Steering> steering;
  if (options.value_aware) {
    steering = std::make_unique<ValueSteering>(builder, options);
  }
  Composer composer(choices, swarm, builder, steering.get());
  RunScript(composer);
  return builder.Take();
}

}  // namespace faultline::harness
