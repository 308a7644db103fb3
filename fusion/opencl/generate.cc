// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/generate.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "fusion/opencl/kernel_source.h"
#include "fusion/opencl/words.h"

namespace faultline::fusion::opencl {
namespace {

struct Step {
  int number;
  int d, a, b, c;
  int64_t immediate;
};

class Generator {
 public:
  Generator(const Block& block, const DeviceProgram& program, const std::vector<AccessForm>& forms)
      : block_(block), code_(program.code), forms_(forms) {}

  std::string Run() {
    Line("__kernel void run_block(__global uchar* heap, Words launch, __global long* errors) {");
    Line("BEGIN_ITEM");
    // Of steps outside of tiles; tiles have their own.
    Line("const long at = 0, base_linear = 0; const int count = LANES, step = 1;");
    Line("const bool whole = true, sure = false;");
    const int64_t end = static_cast<int64_t>(code_.size()) / kStepWords - 1;
    const int64_t first = At(end).immediate;  // kControlNextUnit goes back to the first phase
    for (int64_t i = 0; i < first; ++i) Emit(At(i));
    if (block_.has_row) Line("for (long unit = first; unit < last; ++unit) {");
    EmitPhases(first, end);
    if (block_.has_row) Line("}");
    Line("END_ITEM");
    Line("}");
    return std::move(text_);
  }

 private:
  void Line(std::string_view line) {
    text_ += line;
    text_ += '\n';
  }

  Step At(int64_t i) const {
    const auto packed = static_cast<uint64_t>(code_[static_cast<size_t>(i * kStepWords)]);
    const auto field = [&](int shift) { return static_cast<int>(packed >> shift & 0xffff); };
    return {field(0),
            field(16),
            field(32),
            field(48),
            static_cast<int>(code_[static_cast<size_t>(i * kStepWords + 2)]),
            code_[static_cast<size_t>(i * kStepWords + 1)]};
  }

  void EmitPhases(int64_t begin, int64_t end) {
    bool in_row_phase = false;
    const auto close = [&] {
      if (in_row_phase) Line("}");
      in_row_phase = false;
    };
    for (int64_t i = begin; i < end; ++i) {
      const Step step = At(i);
      if (step.number == kControlRowPhase) {
        close();
        Line("{ const long base_linear = unit; const int step = 0, count = 1;");
        Line("const bool whole = false;");
        in_row_phase = true;
      } else if (step.number == kControlBeginTiles) {
        close();
        EmitTiles(i + 1, step.immediate - 1);
        i = step.immediate - 1;
      } else {
        Emit(step);
      }
    }
    close();
  }

  void EmitTiles(int64_t begin, int64_t end) {
    Line(block_.has_row ? "{ const long origin = unit * row, limit = row; long at = 0;"
                        : "{ const long origin = 0, limit = last; long at = first;");
    Line("for (; at + LANES <= limit; at += LANES) {");
    Line("const long base_linear = origin + at; const int count = LANES, step = 1;");
    Line("const bool whole = true;");
    for (int64_t i = begin; i < end; ++i) Emit(At(i));
    Line("}");
    Line("if (at < limit) {");
    Line("const long base_linear = origin + at; const int count = (int)(limit - at), step = 1;");
    Line("const bool whole = false;");
    for (int64_t i = begin; i < end; ++i) Emit(At(i));
    Line("} }");
  }

  void Emit(const Step& step) {
    fmt::format_to(std::back_inserter(text_),
                   "{{ const uint d = {}, a = {}, b = {}, c = {}; const long imm = (long){}ul;\n",
                   step.d, step.a, step.b, step.c, static_cast<uint64_t>(step.immediate));
    if (step.number >= kLoadBase && step.number < kAccessEnd) {
      EmitPlaces(step.number < kStoreBase ? step.a : step.b);
    }
    fmt::format_to(std::back_inserter(text_), "switch ({}) {{\n", step.number);
    text_ += kStepsSource;
    Line("} }");
  }

  void EmitPlaces(int access) {
    const AccessForm form = forms_[static_cast<size_t>(access)];
    if (form == AccessForm::kAny) {
      fmt::format_to(std::back_inserter(text_),
                     "find_places(heap, launch, {}, base_linear, step, count, place, &wrong);\n",
                     access);
      return;
    }
    fmt::format_to(std::back_inserter(text_),
                   "const long start = access_at(launch, {})[Access_Offset]{};\n", access,
                   form == AccessForm::kDense ? " + base_linear" : "");
    Line(form == AccessForm::kDense ? "LOOP place[e] = whole || e < count ? start + e * step : -1;"
                                    : "LOOP place[e] = start;");
    // In a row phase every lane is the row's.
    if (form == AccessForm::kDense) Line("if (step == 0) LOOP place[e] = start;");
    Line(form == AccessForm::kDense ? "const bool sure = whole || step == 0;"
                                    : "const bool sure = true;");
  }

  const Block& block_;
  const std::vector<int64_t>& code_;
  const std::vector<AccessForm>& forms_;
  std::string text_;
};

}  // namespace

std::vector<AccessForm> FormsOf(const Block& block, const BlockBinding& binding) {
  std::vector<AccessForm> forms;
  for (size_t i = 0; i < block.accesses.size(); ++i) {
    const AccessBinding& map = binding.accesses[i];
    const bool strided = block.accesses[i].map == MapKind::kStrided;
    forms.push_back(strided && map.rank == 0                          ? AccessForm::kSame
                    : strided && map.rank == 1 && map.strides[0] == 1 ? AccessForm::kDense
                                                                      : AccessForm::kAny);
  }
  return forms;
}

std::string GenerateKernel(const Block& block, const DeviceProgram& program,
                           const std::vector<AccessForm>& forms) {
  return Generator(block, program, forms).Run();
}

}  // namespace faultline::fusion::opencl
