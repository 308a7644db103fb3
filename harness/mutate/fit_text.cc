// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/fit_text.h"

#include <memory>
#include <string>
#include <utility>

#include "harness/mutate/edits.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

// Not below the length of the text, and cheap: most programs are far below their limit.
int64_t LengthBound(const ir::Program& program) {
  // A type is at most a scheme of eight extents and a shape of eight.
  constexpr int64_t kType = 320;
  constexpr int64_t kNumber = 32;
  int64_t bound =
      64 + static_cast<int64_t>(program.header.name.size() + program.header.why.size() +
                                program.header.source.size() + program.header.needs.size() +
                                program.header.status.size());
  for (const ir::Decision& decision : program.header.decisions) {
    bound += static_cast<int64_t>(decision.name.size()) + kNumber;
  }
  for (const ir::Statement& s : program.statements) {
    bound += 64;
    for (const auto* values : {&s.operands, &s.results}) {
      for (const ir::ValueId value : *values) {
        bound += 4 + static_cast<int64_t>(program.values[value].name.size());
      }
    }
    bound += kType * static_cast<int64_t>(s.results.size());
    bound += kNumber * static_cast<int64_t>(s.scalars.size() + s.layout.strides.size() + 2);
    for (const auto& entry : s.attributes.entries()) {
      bound += 16 + kNumber * static_cast<int64_t>(entry.values.size());
    }
    if (s.data == nullptr) continue;
    const ir::DataSpec& data = *s.data;
    bound += 128 + kNumber * static_cast<int64_t>(data.elements.size() + data.codes.size() +
                                                  data.scales.size() + data.zeros.size() +
                                                  2 * data.overrides.size());
  }
  return bound;
}

bool Fits(const ir::Program& program, int64_t max) {
  return LengthBound(program) <= max || static_cast<int64_t>(ir::Print(program).size()) <= max;
}

}  // namespace

ir::Program SmallestProgram() {
  ir::Program program;
  auto data = std::make_shared<ir::DataSpec>();
  data->elements.push_back(1);
  ir::Statement input;
  input.kind = ir::StatementKind::kInput;
  input.data = std::move(data);
  input.results.push_back(program.AddValue("x", ir::Type(ir::Dtype::kI8, ir::Shape{})));
  ir::Statement read;
  read.kind = ir::StatementKind::kRead;
  read.operands = input.results;
  program.statements = {std::move(input), std::move(read)};
  return program;
}

ir::Program FitText(ir::Program program, ChoiceStream& choices, const MutateOptions& options) {
  while (!Fits(program, options.text_bytes_max)) {
    const size_t size = program.statements.size();
    if (size <= 3) return SmallestProgram();
    // From the end, a quarter at a time; from the beginning where the end will not do.
    Edits edits = NewEdits(program);
    edits.draft.header.decisions.clear();
    const size_t cut = std::max<size_t>(1, size / 4);
    const size_t begin =
        choices.Percent(80) ? size - cut : choices.Below(static_cast<uint32_t>(size - cut));
    for (size_t i = begin; i < begin + cut; ++i) edits.removed[i] = true;
    ir::Program less = Rebuild(edits, choices, options);
    if (less.statements.size() >= size) return SmallestProgram();
    program = std::move(less);
  }
  return program;
}

}  // namespace faultline::harness
