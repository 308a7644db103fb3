// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Emits the statements of a draft, a program that need not verify, onto a builder. What does not
// fit its place is repaired by inference: casts go in, attributes and declared types follow the
// operands, missing operands are replaced; what cannot be repaired is left out. So an edit may be
// careless: plan reuse and mutation change a type here and a statement there, and replay.

#ifndef HARNESS_GENERATE_REPLAY_H_
#define HARNESS_GENERATE_REPLAY_H_

#include <vector>

#include "harness/generate/builder.h"
#include "harness/generate/composer.h"
#include "ir/program.h"

namespace faultline::harness {

class Replay {
 public:
  // The draft must outlive the object; its values name the types that statements were written for.
  // With `keep_names` results are called as in the draft, otherwise afresh.
  Replay(Composer& composer, const ir::Program& draft, bool keep_names);

  // The statements of `draft` up to here mean `value`; kNoValue: nothing.
  void Map(ir::ValueId draft_value, ir::ValueId value) { map_[draft_value] = value; }
  ir::ValueId Mapped(ir::ValueId draft_value) const { return map_[draft_value]; }

  // Whether a statement was added.
  bool Emit(const ir::Statement& statement);

 private:
  bool EmitInput(const ir::Statement& statement);
  bool EmitApply(const ir::Statement& statement);
  bool EmitRead(const ir::Statement& statement);
  // Whether an index is out of range, most likely because an extent has changed.
  bool NeedsNewIndex(const ir::OpInfo& info, const ir::Statement& statement);
  void Name(ir::ValueId draft_value);
  // The value that stands for an operand now, or another one of its type.
  ir::ValueId Operand(ir::ValueId draft_value);
  ir::ValueId OfType(const ir::Type& type);

  Composer& composer_;
  Builder& builder_;
  const ir::Program& draft_;
  bool keep_names_;
  std::vector<ir::ValueId> map_;
};

// Makes an application fit its operands, which it may exchange: dtypes, scalars, attributes, the
// declared types, one a result of the op. False where there is no way.
bool FitApplication(Composer& composer, std::span<const ir::Type> written_results,
                    std::span<const ir::Type> written_operands, ir::Statement& statement,
                    std::vector<ir::Type>& declared);

// Whether a result type is an argument of the op rather than a consequence.
bool TakesDeclaredType(const ir::OpInfo& info);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_REPLAY_H_
