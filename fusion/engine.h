// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The fused backend as a client sees it: an engine (device, plan cache, memory pool) and its
// sessions (streams of lazily recorded operations on handles). Knows nothing of programs or tests.

#ifndef FUSION_ENGINE_H_
#define FUSION_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/plan/decisions.h"
#include "fusion/pool_mode.h"
#include "fusion/trace.h"
#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::fusion {

struct EngineOptions {
  std::string device = "cpu";  // or "opencl", "opencl:NAME" (fusion/opencl/device.h)
  int threads = 1;
  std::string isa;  // "baseline", "avx2", "avx512"; empty: FAULTLINE_ISA, else what the CPU has
  PoolMode pool = PoolMode::kPlain;
  uint64_t pool_seed = 0;  // of kPitch and of kGuard's patterns
  int cache_entries = 4096;
};

struct SessionOptions {
  bool fusion = true;  // false: one launch an operation, same results
  DecisionOptions decisions;
  int queue_limit = 512;     // pending events of a stream, after which it is run
  int64_t memory_limit = 0;  // bytes of tensors and scratch alive at once; 0: none
  // The n-th allocation of tensor or scratch memory fails (1 is the first); 0: none does.
  int64_t fail_allocation = 0;
  bool trace = true;  // false: counters only, no records
};

// A client's reference to a value. Never reused within a session; the default one is never valid.
struct Handle {
  uint32_t slot = 0;
  uint32_t generation = 0;
  bool operator==(const Handle&) const = default;
};

// What one Apply call is given. Everything is copied or consumed during the call.
struct Application {
  int stream = 0;
  ir::Opcode op = ir::Opcode::kReshape;
  std::span<const Handle> operands;
  std::span<const ir::Scalar> scalars;
  const ir::Attributes* attributes = nullptr;  // none: all defaults
  // Result types as written (ir/infer.h): needed where they are the argument, else held against
  // inference; may be empty where nothing is taken from them.
  std::span<const ir::Type> declared;
  // Names of the results for messages, decisions and the trace, without '%'; may be empty.
  std::span<const std::string_view> names;
};

struct LiveCounts {
  int64_t handles = 0;
  int64_t bytes = 0;  // of buffers that values hold
};

// Laws:
// 1. Nothing panics: a misuse, exhausted memory or a fault of the device is a status whose message
//    names the op and the values, and the session goes on. One exception: when the bookkeeping
//    itself runs out of memory the session accepts only Drop from then on.
// 2. Read is a transaction over handles of any kinds and streams, in any order, with duplicates,
//    possibly empty: all results in the order asked, or the error of the first offending statement
//    in program order. A failed read spoils nothing.
// 3. A failure belongs to the values it spoils and all that is derived from them, and is reported
//    by reads alone.
// 4. The same session state and calls give the same bytes, whatever the engine ran before.
//
// A session is used by one thread at a time. Sessions of one engine may run at once.
class Session {
 public:
  virtual ~Session() = default;

  // A value from the bytes of its storage (ir::PlaceInStorage); strides, offset and size of the
  // storage as the layout says. Nothing refers to `storage` after the call.
  virtual ir::Result<Handle> Create(int stream, const ir::Type& type, const ir::Layout& layout,
                                    std::span<const std::byte> storage,
                                    std::string_view name = {}) = 0;
  // A second handle to the same value.
  virtual ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name = {}) = 0;
  // Ends the handle. An ordinary event of the stream's queue.
  virtual ir::Status Drop(int stream, Handle handle) = 0;
  // Records an operation; types are inferred and misuse reported here, work is done later.
  virtual ir::Result<std::vector<Handle>> Apply(const Application& application) = 0;
  // Runs what the stream has pending. Failures stay with the values they spoil.
  virtual ir::Status Sync(int stream) = 0;
  virtual ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                                       std::span<const Handle> handles) = 0;

  virtual const Trace& trace() const = 0;
  virtual LiveCounts live() const = 0;
};

struct CacheStatistics {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;
  uint64_t entries = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Fails with kUnsupported or kDeviceLost, naming the device and the reason.
  static ir::Result<std::unique_ptr<Engine>> Create(const EngineOptions& options);

  // Sessions end before their engine.
  virtual ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) = 0;
  virtual CacheStatistics cache() const = 0;
  // Bytes the pool keeps for reuse are given back.
  virtual void Trim() = 0;
  // Device, ISA and libraries in use, in words.
  virtual std::string Describe() const = 0;
};

}  // namespace faultline::fusion

#endif  // FUSION_ENGINE_H_
