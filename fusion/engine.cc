// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fusion/cpu/cpu_target.h"
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

}  // namespace

ir::Result<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  if (options.device != "cpu") {
    return ir::Error(ir::StatusCode::kUnsupported,
                     fmt::format("device '{}' is unknown; there is 'cpu'", options.device));
  }
  TargetOptions target_options;
  target_options.threads = std::max(options.threads, 1);
  target_options.isa = options.isa;
  target_options.pool = options.pool;
  target_options.pool_seed = options.pool_seed;
  FAULTLINE_ASSIGN_OR_RETURN(std::unique_ptr<Target> target, cpu::MakeCpuTarget(target_options));
  return std::make_unique<TargetEngine>(std::move(target), options);
}

}  // namespace faultline::fusion
