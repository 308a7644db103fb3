// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/property/metamorphic/identity.h"

#include <cmath>
#include <limits>
#include <utility>

#include "harness/backend/run.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/for_backend.h"
#include "harness/generate/generate.h"
#include "ir/element.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

// Every NaN the same one: the payload of a computed one is free, and which operand's payload
// survives depends on how the operation was fused.
ir::HostTensor WithoutPayloads(ir::HostTensor tensor) {
  if (tensor.type.quantized() || !ir::IsFloat(tensor.type.dtype())) return tensor;
  const ir::Dtype dtype = tensor.type.dtype();
  const auto width = static_cast<size_t>(ir::ByteSize(dtype));
  const uint64_t nan = ir::FromDouble(dtype, std::numeric_limits<double>::quiet_NaN());
  for (size_t at = 0; at + width <= tensor.bytes.size(); at += width) {
    std::byte* element = tensor.bytes.data() + at;
    if (std::isnan(ir::ToDouble(dtype, ir::LoadElement(dtype, element)))) {
      ir::StoreElement(dtype, nan, element);
    }
  }
  return tensor;
}

}  // namespace

std::optional<Results> RunFor(const ir::Program& program, Backend& backend) {
  const Observation seen = RunProgram(program, backend, {.trace = false});
  if (!seen.opened.ok() || !seen.failures.empty()) return std::nullopt;
  Results results;
  for (const ReadObservation& read : seen.reads) {
    if (!read.status.ok()) return std::nullopt;
    const auto& values = program.statements[static_cast<size_t>(read.statement)].operands;
    for (size_t i = 0; i < values.size(); ++i) {
      results.emplace(program.values[values[i]].name, WithoutPayloads(read.tensors[i]));
    }
  }
  return results;
}

std::string Difference(const Results& before, const Results& after) {
  for (const auto& [name, tensor] : before) {
    const auto other = after.find(name);
    if (other != after.end() && other->second != tensor) {
      return "%" + name + " (" + ir::PrintType(tensor.type) + ") differs";
    }
  }
  return "";
}

ir::Program GenerateFor(const Backend& backend, uint64_t seed) {
  GenerateOptions options = OptionsFor(backend);
  options.error_one_in = 0;
  ChoiceStream choices(MixSeed(1, seed));
  return Generate(choices, options);
}

ir::Program ParseProgram(const std::string& body) {
  return ir::ParseAndVerify("faultline 1\n" + body).value();
}

}  // namespace faultline::harness
