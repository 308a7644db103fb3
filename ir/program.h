// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A program: named, typed values and the statements that make, use, read and drop them, each on a
// stream. This is the corpus format's model; the text form is ir/parse.h and ir/print.h.

#ifndef IR_PROGRAM_H_
#define IR_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::ir {

inline constexpr int kStatementsMax = 4096;
inline constexpr int64_t kElementsMax = int64_t{1} << 22;      // of one tensor
inline constexpr int64_t kProgramBytesMax = int64_t{1} << 26;  // of all values of a program
inline constexpr int64_t kTextBytesMax = int64_t{1} << 20;
inline constexpr int kStreamsMax = 64;
inline constexpr int kReadValuesMax = 64;
inline constexpr int kOperandsMax = 64;
inline constexpr int kResultsMax = 64;

// Index into Program::values. Ids are not stable under editing; names are.
using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

struct Value {
  std::string name;  // without '%'
  Type type;
  bool operator==(const Value&) const = default;
};

enum class StatementKind : uint8_t {
  kInput,        // %a: T = input data [layout]
  kApply,        // %y: T {, %z: U} = op operands scalars attributes
  kClone,        // %c: T = clone %a     (a second handle to the same value)
  kDrop,         // drop %a
  kRead,         // read %a %b ...       (a transaction; may be empty)
  kStream,       // stream N
  kSync,         // sync
  kExpect,       // expect %a = data
  kExpectError,  // expect-error %a CODE
};

struct Statement {
  StatementKind kind = StatementKind::kSync;
  Opcode op = Opcode::kReshape;       // kApply
  std::vector<ValueId> operands;      // kApply, kClone, kDrop, kRead, kExpect, kExpectError
  std::vector<ValueId> results;       // kInput, kApply, kClone
  std::vector<Scalar> scalars;        // kApply
  Attributes attributes;              // kApply
  DataPtr data;                       // kInput, kExpect
  Layout layout;                      // kInput
  int stream = 0;                     // kStream
  StatusCode code = StatusCode::kOk;  // kExpectError
  SourcePosition where;               // of the statement in its text; not compared

  bool operator==(const Statement& other) const;
};

// One planner decision, as in `# decisions: fuse(%a,%y)=0 tier(%y)=1`.
struct Decision {
  std::string name;
  int choice = 0;
  bool operator==(const Decision&) const = default;
};

// `# key: value` lines. Keys: name why source needs decisions status.
struct Header {
  std::string name;
  std::string why;
  std::string source;
  std::string needs;  // "fused={softmax,sum_dim} pool=guard threads=2 isa=avx2 fusion=off"
  std::vector<Decision> decisions;
  std::string status;  // "rejected CODE LINE"
  bool operator==(const Header&) const = default;
};

struct Program {
  Header header;
  std::vector<Value> values;
  std::vector<Statement> statements;

  // Up to the numbering of values: two programs are equal if they print alike.
  bool operator==(const Program& other) const;
  ValueId AddValue(std::string name, Type type);
  std::optional<ValueId> Find(std::string_view name) const;
  const Type& TypeOf(ValueId value) const { return values[value].type; }
  // A name not yet taken, beginning with `stem`.
  std::string FreshName(std::string_view stem) const;
};

// Statement that makes each value (every value of a verified program has one), by value id.
std::vector<int> DefiningStatements(const Program& program);

// Elements touched by one application (matmul: m*n*k times batch), the unit of the size law.
int64_t WorkOf(const Program& program, const Statement& statement);
int64_t WorkOf(const Program& program);

// Removes values that no statement mentions and renumbers the rest.
void CompactValues(Program& program);

// Hash of the meaning (equal programs have equal hashes), for memos and file names; FNV-1a over the
// canonical text.
uint64_t HashText(std::string_view text);

}  // namespace faultline::ir

#endif  // IR_PROGRAM_H_
