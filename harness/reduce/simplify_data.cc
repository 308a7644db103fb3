// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Simplifies inputs: a simpler form, no overrides, a contiguous layout, short lists whose elements
// go to zero or one. Types do not change.

#include <memory>

#include "harness/reduce/data_forms.h"
#include "harness/reduce/search.h"
#include "ir/element.h"

namespace faultline::harness {
namespace {

constexpr int64_t kListMax = 16;

ir::Program WithData(const ir::Program& program, size_t index, ir::DataPtr data) {
  ir::Program candidate = program;
  candidate.statements[index].data = std::move(data);
  std::erase_if(candidate.statements, [](const ir::Statement& statement) {
    return statement.kind == ir::StatementKind::kExpect;
  });
  return candidate;
}

bool SimplifyLayout(Search& search, size_t index) {
  if (search.current().statements[index].layout.contiguous()) return false;
  ir::Program candidate = search.current();
  candidate.statements[index].layout = {};
  return search.Try(std::move(candidate));
}

bool SimplifyForm(Search& search, size_t index) {
  const ir::ValueId value = search.current().statements[index].results[0];
  for (ir::DataPtr& form : SimpleForms(search.current().TypeOf(value))) {
    if (search.Done()) return false;
    if (search.Try(WithData(search.current(), index, std::move(form)))) return true;
  }
  return false;
}

bool DropOverrides(Search& search, size_t index) {
  const auto overrides = [&]() -> const auto& {
    return search.current().statements[index].data->overrides;
  };
  return RemoveInChunks(
      search, [&] { return overrides().size(); },
      [&](const std::vector<bool>& removed) {
        auto data = std::make_shared<ir::DataSpec>(*search.current().statements[index].data);
        data->overrides.clear();
        for (size_t i = 0; i < removed.size(); ++i) {
          if (!removed[i]) data->overrides.push_back(overrides()[i]);
        }
        return WithData(search.current(), index, std::move(data));
      });
}

// A small input as a plain list, each of whose elements then goes toward zero and one.
bool SimplifyElements(Search& search, size_t index) {
  const ir::ValueId value = search.current().statements[index].results[0];
  const ir::Type type = search.current().TypeOf(value);
  if (type.quantized() || type.NumElements() > kListMax) return false;
  const ir::HostTensor whole = ir::Materialize(*search.current().statements[index].data, type);
  auto list = std::make_shared<ir::DataSpec>();
  const auto size = static_cast<size_t>(ir::ByteSize(type.dtype()));
  for (size_t at = 0; at < whole.bytes.size(); at += size) {
    list->elements.push_back(ir::LoadElement(type.dtype(), &whole.bytes[at]));
  }
  const uint64_t one =
      ir::IsFloat(type.dtype()) ? ir::FromDouble(type.dtype(), 1) : ir::FromInt(type.dtype(), 1);
  bool any = false;
  for (uint64_t& element : list->elements) {
    for (uint64_t simple : {uint64_t{0}, one}) {
      if (search.Done() || element == simple) break;
      const uint64_t old = std::exchange(element, simple);
      if (search.Try(WithData(search.current(), index, std::make_shared<ir::DataSpec>(*list)))) {
        any = true;
        break;
      }
      element = old;
    }
  }
  return any;
}

}  // namespace

bool SimplifyData(Search& search) {
  bool any = false;
  for (size_t i = 0; i < search.current().statements.size() && !search.Done(); ++i) {
    if (search.current().statements[i].kind != ir::StatementKind::kInput) continue;
    // Dropping an expect moves statements; they stand behind the inputs they judge.
    any = SimplifyLayout(search, i) || any;
    any = SimplifyForm(search, i) || any;
    any = DropOverrides(search, i) || any;
    any = SimplifyElements(search, i) || any;
  }
  return any;
}

}  // namespace faultline::harness
