// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fusion/cpu/cpu_target.h"
#include "fusion/opencl/opencl_target.h"
#include "fusion/plan/cache.h"
#include "fusion/stream/session.h"

namespace faultline::fusion {
namespace {

class TargetEngine final : public Engine {
 public:
  TargetEngine(std::unique_ptr<Target> target, const EngineOptions& options)
      : target_(std::move(target)),
        cache_(static_cast<size_t>(std::max(options.cache_entries, 1))),
        facts_{.threaded = options.threads > 1, .pitched = options.pool == PoolMode::kPitch} {}

  ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) override {
    return std::make_unique<StreamSession>(EngineParts{*target_, cache_, facts_}, options);
  }

  CacheStatistics cache() const override {
    const PlanCache::Counts counts = cache_.counts();
    return {counts.hits, counts.misses, counts.evictions, counts.entries};
  }

  void Trim() override { target_->Trim(); }

  std::string Describe() const override {
    return fmt::format("{}: {}", target_->name(), target_->Describe());
  }

 private:
  std::unique_ptr<Target> target_;
  PlanCache cache_;
  EngineFacts facts_;
};

// "cpu"; "opencl" or "opencl:SELECTOR", whose host work the CPU target does.
ir::Result<std::unique_ptr<Target>> MakeTarget(std::string_view device,
                                               const TargetOptions& options) {
  if (device == "cpu") return cpu::MakeCpuTarget(options);
  constexpr std::string_view kOpenCl = "opencl";
  const bool named = device.starts_with("opencl:");
  if (device == kOpenCl || named) {
    return opencl::MakeOpenClTarget(
        named ? device.substr(kOpenCl.size() + 1) : "", options,
        [&](MemorySource* memory) { return cpu::MakeCpuTarget(options, memory); });
  }
  return ir::Error(
      ir::StatusCode::kUnsupported,
      fmt::format("device '{}' is unknown; there are 'cpu' and 'opencl[:NAME]'", device));
}

}  // namespace

ir::Result<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  TargetOptions target_options;
  target_options.threads = std::max(options.threads, 1);
  target_options.isa = options.isa;
  target_options.pool = options.pool;
  target_options.pool_seed = options.pool_seed;
  FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<Target> target,
                             MakeTarget(options.device, target_options));
  return std::make_unique<TargetEngine>(std::move(target), options);
}

}  // namespace faultline::fusion
