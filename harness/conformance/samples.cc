// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/conformance/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/conformance/client.h"
#include "ir/base/check.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

constexpr auto kSamples = std::to_array<Sample>({
    {"casts", R"(faultline 1
%a: f32[17] = input iota(start=-40, step=0x1.4p+2)
%h: f16[17] = cast %a
%b: bf16[17] = cast %h
%i: i8[17] = cast %b
%w: i64[17] = cast %i
%t: bool[17] = cast %w
%f: f32[17] = cast %t
read %h %b %i %w %t %f
)"},
    {"clones", R"(faultline 1
%a: i32[9] = input iota(start=1, step=3)
%c: i32[9] = clone %a
%n: i32[9] = neg %a
drop %a
%s: i32[9] = add %n %c
%d: i32[9] = clone %s
drop %s
%m: i32[9] = mul %d %d
drop %c
read %n %d
read %m
)"},
    {"elementwise", R"(faultline 1
%a: f32[4,6] = input iota(start=-3, step=1)
%b: f32[6] = input iota(start=1, step=2)
%s: f32[4,6] = add %a %b
%m: f32[4,6] = mul %s %a
%r: f32[4,6] = relu %m
%x: f32[4,6] = maximum %r %s
%l: bool[4,6] = lower %a %b
%w: f32[4,6] = mask_where %x %l %m
%k: f32[4,6] = clamp %w -0x1p+2 0x1.9p+4
drop %a
drop %m
read %k %l %r
)"},
    {"index_error", R"(faultline 1
%a: f32[5] = input iota(start=1, step=1)
%i: i64[2] = input [1, 7]
%g: f32[2] = select %a %i dim=0
%n: f32[2] = neg %g
%o: f32[5] = neg %a
read %o %n
read %o
)"},
    {"indexing", R"(faultline 1
%a: f32[4,3] = input iota(start=1, step=1)
%i: i64[2] = input [3, 0]
%j: i64[4,3] = input cycle([0, 2, 1])
%s: f32[2,3] = select %a %i dim=0
%g: f32[4,3] = gather %a %j dim=1
%t: f32[4,3] = scatter %g %j %a dim=1 update=assign
%u: f32[4,3] = slice_assign %t %s slices=[1:3:1, 0:3:1]
%q: bool[4,3] = greater_equal %u %a
%f: f32[4,3] = mask_fill %u %q 0x1p+3
read %s %g %t %u %f
)"},
    {"integers", R"(faultline 1
%a: i16[11] = input iota(start=-5, step=1)
%b: i16[11] = input cycle([3, -2, 0, 7])
%d: i16[11] = div %a %b
%r: i16[11] = rem %a %b
%m: i16[11] = mul %d %r
%x: i16[11] = bitwise_and %m %a
%l: i16[11] = bitwise_left_shift %x %a
read %d %r %m %x %l
)"},
    {"matmul", R"(faultline 1
%a: f32[2,5,3] = input iota(start=-7, step=1)
%b: f32[3,4] = input iota(start=2, step=-1)
%m: f32[2,5,4] = matmul %a %b
%c: f32[4] = input iota(start=1, step=1)
%s: f32[2,5,4] = add %m %c
%r: f32[2,5,4] = relu %s
drop %m
read %r
read %s
)"},
    {"quantized", R"(faultline 1
%a: f32[3,8] = input iota(start=-11, step=1)
%q: q8s<block=[4]>[3,8] = quantize %a
%p: q4s[3,8] = quantize %a
%d: f32[3,8] = dequantize %q
%n: f32[3,8] = neg %d
%e: f32[3,8] = dequantize %p
%i: i32[3] = input [1, 2, 3]
%t: bool[3] = cast %i
read %q %n %t %p
read %e %i %q
)"},
    {"reductions", R"(faultline 1
%a: f32[5,7] = input iota(start=-9, step=1)
%t: f32[7,5] = permute %a axes=[1,0]
%s: f32[7,1] = sum_dim %t dim=1
%x: f32[1,5] = max_dim %t dim=0
%d: f32[7,5] = sub %t %x
%m: f32[1] = sum %d
%i: i64[7,1] = argmax %t dim=1
%c: f32[5,7] = cumsum %a dim=1
%o: f32[5,7] = sort %c dim=1 descending=true
%y: bool[1] = any %o
read %s %d %m
read %i %c %o %y
)"},
    {"several_results", R"(faultline 1
%a: f32[3,5] = input cycle([3, -1, 0x1p+2, 3])
%b: f32[3,5] = add %a %a
%m: f32[3,1], %i: i64[3,1] = max_dim_with_indices %b dim=1
%s: f32[3,5], %o: i32[3,5] = sort_with_indices %b dim=1 descending=true
%g: f32[3,5] = gather %a %o dim=1
drop %o
stream 1
%t: f32[3,2], %j: i64[3,2] = topk_with_indices %s dim=1 k=2
drop %t
%d: f32[3,5] = sub %b %m
drop %b
read %i %j %s
read %d %g %m
)"},
    {"views", R"(faultline 1
%a: i32[4,6] = input iota(start=0, step=1)
%p: i32[6,4] = permute %a axes=[1,0]
%s: i32[3,2] = slice %p slices=[0:6:-2, 1:4:2]
%f: i32[3,2] = flip %s axes=[0]
%c: i32[6,2] = cat %f %s dim=0
%r: i32[6,4] = repeat_dim %c dim=1 times=2
%x: i32[6,4] = add %r %p
%v: i32[2,12] = reshape %x
%e: i32[3,2,12] = expand %v
%n: i32[3,2,12] = neg %e
drop %a
drop %x
read %n %f %v
)"},
});

bool IsSupported(const ir::Program& program, const Backend& backend) {
  for (const ir::Statement& statement : program.statements) {
    if (statement.kind != ir::StatementKind::kApply) continue;
    std::vector<ir::Type> operands;
    std::vector<ir::Type> results;
    for (ir::ValueId value : statement.operands) operands.push_back(program.TypeOf(value));
    for (ir::ValueId value : statement.results) results.push_back(program.TypeOf(value));
    if (!backend.Supports(statement.op, statement.attributes, operands, results).ok()) return false;
  }
  return true;
}

}  // namespace

std::span<const Sample> ExactSamples() { return kSamples; }

std::vector<ir::Program> SupportedSamples(const Backend& backend) {
  std::vector<ir::Program> programs;
  for (const Sample& sample : kSamples) {
    ir::Result<ir::Program> program = ir::ParseAndVerify(sample.text);
    FAULTLINE_CHECK(program.has_value(), "a sample does not verify");
    program->header.name = sample.name;
    if (IsSupported(*program, backend)) programs.push_back(std::move(*program));
  }
  return programs;
}

ir::Result<Results> RunSample(const ir::Program& program, Backend& backend,
                              const RunOptions& options) {
  const std::string& name = program.header.name;
  const Observation seen = RunProgram(program, backend, options);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(seen.opened);
  if (!seen.failures.empty()) {
    const ir::Status& status = seen.failures.front().status;
    return std::unexpected(Broken(fmt::format("{}: statement {} failed: {}", name,
                                              seen.failures.front().statement, status.message())));
  }
  Results results;
  for (const ReadObservation& read : seen.reads) {
    const auto& operands = program.statements[static_cast<size_t>(read.statement)].operands;
    if (!read.status.ok()) {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
          ExpectCode(name, read.status, ir::StatusCode::kIndexOutOfRange));
      continue;
    }
    if (read.tensors.size() != operands.size()) {
      return std::unexpected(Broken(fmt::format("{}: a read of {} values returned {}", name,
                                                operands.size(), read.tensors.size())));
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto [at, first] = results.emplace(program.values[operands[i]].name, read.tensors[i]);
      if (first) continue;
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(ExpectTensor(
          fmt::format("{}: %{} read again", name, at->first), read.tensors[i], at->second));
    }
  }
  if (seen.live != LiveCounts{}) {
    return std::unexpected(Broken(fmt::format("{}: {} handles and {} bytes are alive at the end",
                                              name, seen.live.handles, seen.live.bytes)));
  }
  return results;
}

ir::Status ExpectSame(std::string_view sample, const Results& before, const Results& after) {
  for (const auto& [name, tensor] : before) {
    const auto found = after.find(name);
    if (found == after.end()) return Broken(fmt::format("{}: %{} was not read", sample, name));
    FAULTLINE_RETURN_IF_ERROR(
        ExpectTensor(fmt::format("{}: %{}", sample, name), found->second, tensor));
  }
  return {};
}

}  // namespace faultline::harness
