// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A program under construction: adds only statements that are legal at their place, and keeps what
// a verifier would have to find out (what is alive, on which stream, what is still pending). No
// choices are made here.

#ifndef HARNESS_GENERATE_BUILDER_H_
#define HARNESS_GENERATE_BUILDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/generate/generate.h"
#include "ir/program.h"

namespace faultline::harness {

enum class Origin : uint8_t { kInput, kResult, kView, kClone };

// What is known of the elements of an int value, for use as an index.
struct IntBounds {
  bool known = false;
  int64_t low = 0;
  int64_t high = 0;
};

struct ValueState {
  bool alive = false;
  bool pending = false;  // no read or sync has come since
  Origin origin = Origin::kInput;
  int stream = 0;
  ir::ValueId base = ir::kNoValue;  // view, clone: of this value
  int uses = 0;                     // as operand or in a read
  bool read = false;
  IntBounds bounds;
};

class Builder {
 public:
  // `options` must outlive the builder. No statement takes the work of the program past `work_max`.
  Builder(const GenerateOptions& options, int64_t work_max);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  const ir::Program& program() const { return program_; }
  ir::Program Take() { return std::move(program_); }
  ir::Header& header() { return program_.header; }

  // Statements. Each gives kNoValue or false, and changes nothing, where the result would not
  // verify, is not supported, or would be over a limit. The data and layout of an input must fit
  // its type.
  ir::ValueId Input(const ir::Type& type, ir::DataPtr data, ir::Layout layout = {});
  // The first result; the others are the values after it.
  ir::ValueId Apply(ir::Opcode op, std::span<const ir::ValueId> operands,
                    std::span<const ir::Scalar> scalars, const ir::Attributes& attributes,
                    std::span<const ir::Type> declared = {});
  ir::ValueId Clone(ir::ValueId value);
  bool Drop(ir::ValueId value);
  bool Read(std::span<const ir::ValueId> values);
  bool Sync();
  bool SetStream(int stream);
  // A statement that is no use of a value (expect, expect-error).
  bool Note(ir::Statement statement);
  // Takes back every statement from index `statements` on. They must be inputs, applications,
  // clones or changes of stream.
  void Rewind(size_t statements);

  // The names of the next values; each is used once. Names are otherwise made up.
  void NameNext(std::vector<std::string> names) { next_names_ = std::move(names); }
  // Names made up from here on have larger numbers than `number`.
  void NumberNamesFrom(int64_t number) { name_number_ = std::max(name_number_, number); }

  const ir::Type& TypeOf(ir::ValueId value) const { return program_.values[value].type; }
  const ValueState& StateOf(ir::ValueId value) const { return states_[value]; }
  void SetBounds(ir::ValueId value, IntBounds bounds) { states_[value].bounds = bounds; }
  bool IsAlive(ir::ValueId value) const { return value < states_.size() && states_[value].alive; }
  // In order of creation.
  std::span<const ir::ValueId> live() const { return live_; }
  size_t statements() const { return program_.statements.size(); }
  int stream() const { return stream_; }
  int reads() const { return reads_; }
  int applications() const { return applications_; }
  int64_t work() const { return work_; }
  int64_t work_left() const { return work_max_ - work_; }
  bool full() const;

 private:
  void UndoLast();
  ir::ValueId AddValue(const ir::Type& type, char stem, Origin origin, ir::ValueId base);

  const GenerateOptions& options_;
  int64_t work_max_;
  ir::Program program_;
  std::vector<ValueState> states_;
  std::vector<ir::ValueId> live_;
  std::vector<std::string> next_names_;
  int64_t name_number_ = 0;
  int64_t work_ = 0;
  int64_t bytes_ = 0;
  int stream_ = 0;
  int reads_ = 0;
  int applications_ = 0;
};

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_BUILDER_H_
