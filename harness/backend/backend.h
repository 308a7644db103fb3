// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a tensor engine must offer to be tested: Backend (an engine with its plan cache, kernels and
// pool) and Session (one client's tensors). An adapter implements the two; nothing here compares or
// judges.
//
// Laws, which harness/conformance checks on every adapter:
//  1. Read is a transaction over any mix of handles, in the order asked, duplicates and the empty
//     list included; all or nothing.
//  2. Misuse, an unsupported case, a device fault or exhausted memory is a Status that names the op
//     and the values; the session goes on and nothing leaks.
//  3. Same session state and same calls give the same bytes, whatever ran before.
//  4. Sync anywhere, another split into transactions, a clone or another stream changes no value.
//  5. After the last drop, live handles and bytes are zero.
//  6. A value has one value: every read and every consumer of a handle sees the same bits.

#ifndef HARNESS_BACKEND_BACKEND_H_
#define HARNESS_BACKEND_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/observation.h"
#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/op.h"
#include "ir/program.h"
#include "ir/type.h"

namespace faultline::reference {
struct Contract;
}  // namespace faultline::reference

namespace faultline::harness {

enum class PoolMode : uint8_t { kPlain, kGuard, kPitch };
std::string_view PoolModeName(PoolMode mode);
std::optional<PoolMode> FindPoolMode(std::string_view name);

// How a session runs. A backend ignores what it has no notion of.
struct SessionOptions {
  std::string device;  // empty: the backend's default
  int threads = 0;     // 0: the backend's default
  bool fusion = true;
  PoolMode pool = PoolMode::kPlain;
  uint64_t pool_seed = 0;               // patterns of guard zones, random pitches
  std::string isa;                      // empty: the best the machine has
  int64_t memory_limit = 0;             // bytes; 0: none
  int64_t fail_allocation = 0;          // the n-th tensor allocation fails; 0: none
  std::vector<ir::Decision> decisions;  // forced planner decisions, by name
  std::optional<uint64_t> chaos;        // seed of random planner decisions
  int64_t max_decisions = -1;           // planner decisions after this many are the safe ones
  std::vector<std::string> deny;        // names of decisions that take the safe choice
  bool operator==(const SessionOptions&) const = default;
};

// A tensor a session holds. Never reused within a session; 0 names nothing.
using Handle = uint64_t;
inline constexpr Handle kNoHandle = 0;

// One application, types already inferred and verified. Names are the program's value names, for
// messages and decision names; they may be empty.
struct Application {
  ir::Opcode op = ir::Opcode::kReshape;
  const ir::Attributes& attributes;
  std::span<const ir::Scalar> scalars;
  std::span<const Handle> inputs;
  std::span<const ir::Type* const> result_types;
  std::span<const std::string_view> result_names;
  int statement = -1;  // index in the program: errors of the values it spoils name it
};

class Session {
 public:
  virtual ~Session() = default;

  // `storage` holds StorageElements(layout, type.shape) elements (a quantized tensor: its host
  // bytes); it is copied or consumed before the call returns. A bool is true as any byte but 0; one
  // that is read is 0 or 1.
  virtual ir::Result<Handle> Create(int stream, std::string_view name, const ir::Type& type,
                                    const ir::Layout& layout,
                                    std::span<const std::byte> storage) = 0;
  // A second handle to the same value.
  virtual ir::Result<Handle> Clone(int stream, Handle handle, std::string_view name) = 0;
  virtual ir::Status Drop(int stream, Handle handle) = 0;
  // One handle a result, in the op table's order. On error there are none.
  virtual ir::Result<std::vector<Handle>> Apply(int stream, const Application& application) = 0;
  // Waits for that stream alone. Never reports an index error.
  virtual ir::Status Sync(int stream) = 0;
  virtual ir::Result<std::vector<ir::HostTensor>> Read(int stream,
                                                       std::span<const Handle> handles) = 0;
  // What was planned and launched since the session was opened.
  virtual PlanTrace Trace() const { return {}; }
  // After draining what is queued: handles not yet dropped, and bytes they keep alive.
  virtual LiveCounts Live() = 0;
};

// What a backend is to save by, and says in its traces that it does. Over a long campaign each must
// be met, or the backend has silently become slow.
struct Economies {
  bool fuses = false;           // several ops in one launch, by the rules it names
  bool reuses_plans = false;    // plan-cache hits
  bool works_in_place = false;  // a result in the buffer of an operand
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Names live as long as the backend.
  virtual std::string_view name() const = 0;
  virtual const reference::Contract& contract() const = 0;
  // kOk, or kUnsupported with the reason. Must be what Apply will decide.
  virtual ir::Status Supports(ir::Opcode op, const ir::Attributes& attributes,
                              std::span<const ir::Type> operands,
                              std::span<const ir::Type> results) const = 0;
  virtual ir::Result<std::unique_ptr<Session>> Open(const SessionOptions& options) = 0;
  // Replaces the engine by a new one: empty plan cache, new pool. Requires that no session is open.
  virtual ir::Status Renew() = 0;
  // Names of the fusion rules that a trace may report, for coverage.
  virtual std::vector<std::string_view> RuleNames() const { return {}; }
  virtual Economies economies() const { return {}; }
};

// The contract as text (reference/contract.h), for reports.
std::string ContractText(const Backend& backend);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_BACKEND_H_
