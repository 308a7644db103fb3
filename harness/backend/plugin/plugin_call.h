// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The program's terms in the plug-in's C structures, and its statuses in ours.

#ifndef HARNESS_BACKEND_PLUGIN_PLUGIN_CALL_H_
#define HARNESS_BACKEND_PLUGIN_PLUGIN_CALL_H_

#include <array>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/plugin/plugin.h"
#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::harness {

// A type whose scheme's text is owned here.
class PluginTypes {
 public:
  void Add(const ir::Type& type);
  const faultline_type* data() const { return types_.data(); }
  int32_t size() const { return static_cast<int32_t>(types_.size()); }

 private:
  std::vector<faultline_type> types_;
  std::deque<std::string> schemes_;  // a deque: texts stay where they are
};

// One application; the structure points into this object, which must stay where it is.
class PluginCall {
 public:
  PluginCall(ir::Opcode op, const ir::Attributes& attributes);
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  void AddOperand(const ir::Type& type) { operands_.Add(type); }
  void AddResult(const ir::Type& type) { results_.Add(type); }
  void SetHandles(std::span<const uint64_t> handles) { handles_ = handles.data(); }
  void SetScalars(std::span<const ir::Scalar> scalars);
  const faultline_application* Finish();

 private:
  std::string op_;
  PluginTypes operands_;
  PluginTypes results_;
  const uint64_t* handles_ = nullptr;
  std::vector<faultline_scalar> scalars_;
  std::deque<std::string> names_;
  std::vector<faultline_attribute> attributes_;
  faultline_application application_ = {};
};

// A buffer for the message of one call, and the call's status with it.
class PluginMessage {
 public:
  faultline_message get() { return {text_.data(), text_.size()}; }
  // `what` is put in front: "add: no memory".
  ir::Status ToStatus(faultline_status status, std::string_view what) const;

 private:
  std::array<char, 512> text_ = {};
};

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_PLUGIN_PLUGIN_CALL_H_
