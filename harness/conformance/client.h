// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A session in the hands of a check: calls with few words, inputs made of lists, results in lists.

#ifndef HARNESS_CONFORMANCE_CLIENT_H_
#define HARNESS_CONFORMANCE_CLIENT_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/conformance/conformance.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/type.h"

namespace faultline::harness {

class Client {
 public:
  static ir::Result<Client> Open(Backend& backend, const SessionOptions& options);

  Session& session() { return *session_; }
  void UseStream(int stream) { stream_ = stream; }

  // A contiguous input of the type written as in programs ("f32[2,3]"), element i holding i + 1 (a
  // bool: whether i is odd). A quantized one has codes and scales of that kind.
  ir::Result<Handle> Input(std::string_view type);
  ir::Result<Handle> Input(const ir::HostTensor& tensor);
  // One result; its type is inferred, or `declared` where the op takes it from there.
  ir::Result<Handle> Apply(ir::Opcode op, std::span<const Handle> inputs,
                           const ir::Attributes& attributes = {}, std::string_view declared = {});
  ir::Result<Handle> Clone(Handle handle);
  ir::Status Drop(Handle handle);
  ir::Result<std::vector<ir::HostTensor>> Read(std::span<const Handle> handles);
  ir::Status Sync() { return session_->Sync(stream_); }
  // Drops every handle that is alive, then holds iff nothing is.
  Held Close();

  // What Input(type) holds.
  static ir::HostTensor Counting(std::string_view type);

 private:
  explicit Client(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  struct Named {
    Handle handle;
    ir::Type type;
  };
  const ir::Type& TypeOf(Handle handle) const;

  std::unique_ptr<Session> session_;
  int stream_ = 0;
  std::vector<Named> alive_;
};

// kOk iff the tensor has that type and those bytes; else a message that begins with `what`.
ir::Status ExpectTensor(std::string_view what, const ir::HostTensor& actual,
                        const ir::HostTensor& expected);
// A check that does not hold.
ir::Status Broken(std::string message);
// kOk iff the status has that code; else a message that begins with `what`.
ir::Status ExpectCode(std::string_view what, const ir::Status& status, ir::StatusCode code);
template <typename T>
ir::Status StatusOf(const ir::Result<T>& result) {
  return result.has_value() ? ir::Status() : result.error();
}

}  // namespace faultline::harness

#endif  // HARNESS_CONFORMANCE_CLIENT_H_
