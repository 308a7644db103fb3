// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/stream/executor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "fusion/fault.h"
#include "ir/base/check.h"
#include "ir/element.h"

namespace faultline::fusion {
namespace {

// Elements from which a launch is worth more than one thread.
constexpr int64_t kThreadThreshold = 1 << 16;

Placement DensePlacement(const ir::Shape& shape) {
  Placement place;
  place.strides = shape.RowMajorStrides();
  return place;
}

int64_t BytesOf(const ir::ElementType& element, const ir::Shape& shape) {
  return ir::Type(element, shape).HostBytes();
}

// The bits a register has for a number.
uint64_t CountBits(Reg reg, int64_t count) {
  switch (reg) {
    case Reg::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(count));
    case Reg::kF64:
      return std::bit_cast<uint64_t>(static_cast<double>(count));
    default:
      return static_cast<uint64_t>(count);
  }
}

// f16 and bf16 live in f32 registers, exactly. A conversion would quieten a NaN.
uint64_t WidenedBits(const ir::Scalar& scalar) {
  if (scalar.dtype == ir::Dtype::kF32) return scalar.bits;
  if (scalar.dtype == ir::Dtype::kBf16) return scalar.bits << 16;
  const double value = ir::ToDouble(scalar.dtype, scalar.bits);
  if (!std::isnan(value)) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return (scalar.bits & 0x8000) << 16 | 0x7f800000 | (scalar.bits & 0x3ff) << 13;
}

uint64_t ScalarBits(Reg reg, const ir::Scalar& scalar) {
  switch (reg) {
    case Reg::kF32:
      return WidenedBits(scalar);
    case Reg::kF64:
      return scalar.bits;
    case Reg::kI32:
    case Reg::kU32:
      return static_cast<uint32_t>(ir::ToInt(scalar.dtype, scalar.bits));
    case Reg::kI64:
    case Reg::kU64:
      return static_cast<uint64_t>(ir::ToInt(scalar.dtype, scalar.bits));
    case Reg::kMask:
      FAULTLINE_CHECK(!FAULT(bool_scalar_aborts), "not implemented");
      return scalar.bits != 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace

// ---------------------------------------------------------------------------------- memory

SharedBuffer* Executor::Hold(Buffer* buffer) {
  if (free_.empty()) free_.push_back(&owned_.emplace_back());
  SharedBuffer* memory = free_.back();
  free_.pop_back();
  *memory = {buffer, 1};
  return memory;
}

ir::Result<SharedBuffer*> Executor::AllocateBytes(int64_t bytes) {
  auto buffer = target_.Allocate(&account_, bytes);
  if (!buffer.has_value()) return std::unexpected(std::move(buffer).error());
  return Hold(*buffer);
}

ir::Result<SharedBuffer*> Executor::Allocate(const ir::ElementType& element, const ir::Shape& shape,
                                             Placement* place) {
  if (element.quantized()) {
    *place = DensePlacement(shape);
    return AllocateBytes(BytesOf(element, shape));
  }
  auto tensor = target_.AllocateTensor(&account_, element.dtype, shape);
  if (!tensor.has_value()) return std::unexpected(std::move(tensor).error());
  *place = tensor->place;
  return Hold(tensor->buffer);
}

void Executor::Release(SharedBuffer* memory) {
  if (--memory->holders > 0) return;
  target_.Release(memory->buffer);
  memory->buffer = nullptr;
  free_.push_back(memory);
}

// ---------------------------------------------------------------------------------- running

std::optional<IndexFailure> Executor::Run(const Plan& plan, const Bindings& bindings,
                                          std::vector<Slot>& slots, size_t* stopped,
                                          RunCounts* counts) {
  plan_ = &plan;
  bindings_ = &bindings;
  slots_ = &slots;
  counts_ = counts;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    *stopped = s;
    if (InputsReady(step)) {
      for (const IndexCheck& check : step.checks) {
        auto failure = Check(check);
        if (!failure.has_value()) {
          failures_.push_back(std::move(failure).error());
          Fail(step, &failures_.back(), check.op);
          break;
        }
        if (failure->has_value()) return **failure;
      }
      RunStep(step);
    }
    for (uint32_t v : step.release) {
      Slot& slot = slots[v];
      if (slot.memory != nullptr) Release(slot.memory);
      slot.memory = nullptr;
    }
  }
  *stopped = plan.steps.size();
  return std::nullopt;
}

// Otherwise the outputs fail for the reason of the input whose op comes first in the program.
bool Executor::InputsReady(const PlanStep& step) {
  const Slot* worst = nullptr;
  for (uint32_t v : step.inputs) {
    const Slot& slot = (*slots_)[v];
    if (slot.memory != nullptr) continue;
    FAULTLINE_CHECK(slot.failure != nullptr, "a step reads what no step has made");
    if (worst == nullptr || slot.failed_op < worst->failed_op) worst = &slot;
  }
  if (worst != nullptr) Fail(step, worst->failure, worst->failed_op);
  return worst == nullptr;
}

void Executor::Fail(const PlanStep& step, const ir::Status* failure, uint32_t op) {
  auto fail = [&](uint32_t v) {
    Slot& slot = (*slots_)[v];
    if (slot.memory != nullptr && !FAULT(failed_launch_leaks)) Release(slot.memory);
    slot.memory = nullptr;
    if (slot.failure != nullptr && slot.failed_op <= op) return;
    slot.failure = failure;
    slot.failed_op = op;
  };
  for (uint32_t v : step.outputs) fail(v);
  if (step.outputs.empty()) fail(step.to.value);
}

ir::Status Executor::MakeOutputs(const PlanStep& step) {
  const auto alias_of = [&](uint32_t v) {
    return std::ranges::find(step.aliases, v, &PlanAlias::to);
  };
  for (uint32_t v : step.outputs) {
    if (alias_of(v) != step.aliases.end()) continue;
    Slot& slot = (*slots_)[v];
    const PlanValue& value = plan_->values[v];
    auto memory = Allocate(value.element, bindings_->ShapeOf(value.shape), &slot.place);
    if (!memory.has_value()) return std::move(memory).error();
    slot.memory = *memory;
  }
  // Buffers change hands only when no allocation can fail any more: until then they are the
  // operands'.
  for (uint32_t v : step.outputs) {
    const auto alias = alias_of(v);
    if (alias == step.aliases.end()) continue;
    Slot& slot = (*slots_)[v];
    Slot& from = (*slots_)[alias->from];
    slot.memory = from.memory;
    slot.place = from.place;
    if (LivesOn(*alias)) ++slot.memory->holders;
  }
  return {};
}

// Whether a value that was taken over is still used, and both share the buffer: only seeded faults
// let that happen.
bool Executor::LivesOn(const PlanAlias& alias) const {
  return plan_->values[alias.from].survives || FAULT(alias_before_last_read);
}

void Executor::RunStep(const PlanStep& step) {
  for (uint32_t v : step.outputs) {
    if ((*slots_)[v].failure != nullptr) return;
  }
  const auto fail = [&](ir::Status status) {
    failures_.push_back(std::move(status));
    Fail(step, &failures_.back(), step.ops.empty() ? 0 : step.ops.front());
  };
  ir::Status status = MakeOutputs(step);
  if (!status.ok()) return fail(std::move(status));
  if (!IsEmpty(step)) status = Launch(step);
  if (!status.ok()) {
    fail(std::move(status));
  } else {
    Count(step);
  }
  // What was taken over belongs to the result now.
  for (const PlanAlias& alias : step.aliases) {
    if (!LivesOn(alias)) (*slots_)[alias.from].memory = nullptr;
  }
}

void Executor::Count(const PlanStep& step) {
  auto bytes = [&](uint32_t v) {
    const PlanValue& value = plan_->values[v];
    return static_cast<uint64_t>(BytesOf(value.element, bindings_->ShapeOf(value.shape)));
  };
  for (uint32_t v : step.inputs) counts_->bytes_read += bytes(v);
  for (uint32_t v : step.outputs) counts_->bytes_written += bytes(v);
}

// Index operands are looked at before the launch, in their own row-major order, so that the first
// offending one is known whatever the launch reads and in whatever order.
ir::Result<std::optional<IndexFailure>> Executor::Check(const IndexCheck& check) {
  const ir::Shape shape = bindings_->ShapeOf(check.shape);
  const auto count = static_cast<size_t>(shape.NumElements());
  const ir::Dtype dtype = plan_->values[check.index.value].element.dtype;
  const auto size = static_cast<size_t>(ir::ByteSize(dtype));
  std::vector<std::byte> bytes(count * size);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      target_.Download(Tensor(check.index, shape), static_cast<int>(size), bytes.data()));
  // Launches report an index of their own, but not in the order of the index tensor.
  const size_t checked = FAULT(last_index_unchecked) && count > 1 ? count - 1 : count;
  std::vector<int64_t> bounds;
  for (Symbol symbol : check.bounds) {
    const Symbol used = FAULT(tuple_bound_of_first_axis) ? check.bounds[0] : symbol;
    bounds.push_back(bindings_->extents[used]);
  }
  const bool wraps = FAULT(negative_index_wraps);
  size_t component = 0;
  for (size_t i = 0; i < checked; ++i) {
    const int64_t bound = bounds[component];
    if (++component == bounds.size()) component = 0;
    const int64_t lowest = wraps ? -bound : 0;
    const int64_t index = ir::ToInt(dtype, ir::LoadElement(dtype, bytes.data() + i * size));
    if (index >= lowest && index < bound) continue;
    return IndexFailure{check.op, static_cast<int64_t>(i), index, bound};
  }
  return std::nullopt;
}

// ---------------------------------------------------------------------------------- binding

Stored Executor::StoredOf(uint32_t value) const {
  const PlanValue& v = plan_->values[value];
  return {bindings_->ShapeOf(v.shape), (*slots_)[value].place};
}

TensorBinding Executor::Tensor(const TensorRecipe& recipe, const ir::Shape& shape) const {
  TensorBinding binding;
  binding.buffer = (*slots_)[recipe.value].memory->buffer;
  binding.shape = shape;
  const Mapped map = MapAxes(plan_->PathOf(recipe.path), StoredOf(recipe.value), *bindings_);
  binding.place.offset = map.offset;
  std::copy_n(map.strides.begin(), shape.rank(), binding.place.strides.begin());
  return binding;
}

uint64_t Executor::ParameterBits(const ParameterRecipe& recipe) const {
  if (recipe.kind == ParameterRecipe::Kind::kScalar) {
    return ScalarBits(recipe.reg, bindings_->scalars[recipe.scalar]);
  }
  int64_t count = 1;
  for (Symbol symbol : recipe.counted.span()) count *= bindings_->extents[symbol];
  return CountBits(recipe.reg, count);
}

void Executor::BindAccess(const AccessRecipe& recipe, BoundBlock& bound, AccessBinding& binding) {
  const auto axis = static_cast<size_t>(recipe.dim);
  if (!recipe.parts.empty()) {
    // The joined axis: where each part begins, and how many elements one step along it is.
    std::vector<int64_t> starts = {0};
    for (const SymbolicShape& part : recipe.part_shapes) {
      starts.push_back(starts.back() + bindings_->extents[part[recipe.dim]]);
    }
    const ir::Shape joined = bindings_->ShapeOf(recipe.joined);
    binding.inner = 1;
    for (int i = recipe.dim + 1; i < joined.rank(); ++i) binding.inner *= joined[i];
    bound.starts.push_back(std::move(starts));
    binding.starts = bound.starts.back();
    return;
  }
  const Stored stored = StoredOf(recipe.value);
  if (plan_->values[recipe.value].element.quantized()) binding.quantized_shape = stored.shape;
  Mapped map = MapPath(plan_->PathOf(recipe.path), stored, *bindings_);
  if (recipe.is_piece) {
    // Over the whole joined space, shifted so that the part's own elements are found.
    const ir::Shape joined = bindings_->ShapeOf(recipe.joined);
    int64_t start = 0;
    for (size_t i = 0; i + 1 < recipe.part_shapes.size(); ++i) {
      start += bindings_->extents[recipe.part_shapes[i][recipe.dim]];
    }
    if (FAULT(joined_part_shifted) && recipe.part_shapes.size() > 2) --start;
    map.offset -= start * map.strides[axis];
    for (int i = 0; i < joined.rank(); ++i) map.extents[static_cast<size_t>(i)] = joined[i];
  }
  BindMap(map, recipe.has_row, binding);
}

void Executor::BindBlock(const BlockRecipe& recipe, BoundBlock& bound) {
  bound.extents.clear();
  bound.starts.clear();
  if (recipe.whole_row) {
    bound.extents.push_back(bindings_->ShapeOf(recipe.loop).NumElements());
  } else {
    for (Symbol symbol : recipe.loop.span()) bound.extents.push_back(bindings_->extents[symbol]);
  }
  bound.buffers.clear();
  for (uint32_t v : recipe.slots) {
    bound.buffers.push_back(v == kNoPlanValue ? nullptr : (*slots_)[v].memory->buffer);
  }
  bound.accesses.assign(recipe.accesses.size(), {});
  for (size_t i = 0; i < recipe.accesses.size(); ++i) {
    const AccessRecipe& access = recipe.accesses[i];
    if (access.value == kNoPlanValue && access.parts.empty()) continue;
    BindAccess(access, bound, bound.accesses[i]);
  }
  bound.parameters.clear();
  for (const ParameterRecipe& parameter : recipe.parameters) {
    bound.parameters.push_back(ParameterBits(parameter));
  }
}

// Whether there is nothing to compute or move.
bool Executor::IsEmpty(const PlanStep& step) const {
  switch (step.kind) {
    case LaunchKind::kBlock: {
      SymbolicShape outer = step.block.loop;
      if (step.block.whole_row) return false;
      if (step.block.has_row) --outer.rank;
      return bindings_->ShapeOf(outer).NumElements() == 0;
    }
    case LaunchKind::kScatter:
    case LaunchKind::kGatherParts:
      return bindings_->ShapeOf(step.places.walk).NumElements() == 0;
    case LaunchKind::kMatmul:
    case LaunchKind::kQMatmul:
    case LaunchKind::kSort:
    case LaunchKind::kCopy:
      return bindings_->ShapeOf(step.space).NumElements() == 0;
    case LaunchKind::kMoveCodes:
    case LaunchKind::kQuantize:
      return false;  // an empty tensor has scales too
  }
  return false;
}

ir::Status Executor::Launch(const PlanStep& step) {
  RunOptions options;
  options.account = &account_;
  options.thread_threshold = step.threads == 0   ? std::numeric_limits<int64_t>::max()
                             : step.threads == 1 ? kThreadThreshold
                                                 : 0;
  options.small_tiles = step.tiles != 0;
  options.tier = step.tier;
  LaunchError error;
  options.error = &error;
  const ir::Shape space = bindings_->ShapeOf(step.space);
  auto run = [&](const LaunchBinding& binding) {
    return target_.Run(*step.kernel, binding, options);
  };
  switch (step.kind) {
    case LaunchKind::kBlock:
      BindBlock(step.block, bound_);
      return run(bound_.Binding());
    case LaunchKind::kCopy:
      // A base that was taken over is already where the copy would put it.
      if (!step.aliases.empty()) return {};
      BindBlock(step.block, bound_);
      return run(CopyBinding{bound_.buffers, bound_.accesses, Tensor(step.to, space)});
    case LaunchKind::kMoveCodes:
      BindBlock(step.block, bound_);
      return run(MoveCodesBinding{bound_.buffers, bound_.accesses,
                                  (*slots_)[step.to.value].memory->buffer, space});
    case LaunchKind::kSort: {
      SortBinding binding;
      binding.from = Tensor(step.tensors[0], bindings_->ShapeOf(step.operand));
      if (step.to.value != kNoPlanValue) binding.to = Tensor(step.to, space);
      if (step.positions.value != kNoPlanValue) binding.positions = Tensor(step.positions, space);
      return run(binding);
    }
    case LaunchKind::kQuantize: {
      QuantizeBinding binding;
      binding.to = (*slots_)[step.to.value].memory->buffer;
      if (step.prologues.empty()) {
        binding.from = Tensor(step.tensors[0], space);
      } else {
        // What the prologue makes lies dense.
        binding.from = {nullptr, space, DensePlacement(space)};
        BindBlock(step.prologues[0], left_);
        binding.prologue = left_.Binding();
      }
      if (step.tensors.size() > 1) {
        binding.scales = Tensor(step.tensors[1], bindings_->ShapeOf(step.operand));
      }
      if (step.tensors.size() > 2) {
        binding.third = Tensor(step.tensors[2], bindings_->ShapeOf(step.third));
      }
      return run(binding);
    }
    case LaunchKind::kQMatmul: {
      const auto shape = [&](size_t slot) {
        return bindings_->ShapeOf(plan_->values[step.tensors[slot].value].shape);
      };
      return run(QMatmulBinding{(*slots_)[step.tensors[0].value].memory->buffer,
                                (*slots_)[step.tensors[1].value].memory->buffer, shape(0), shape(1),
                                Tensor(step.to, space)});
    }
    case LaunchKind::kScatter:
      return run(ScatterBinding{BindPlaces(step, step.to),
                                Tensor(step.tensors[1], bindings_->ShapeOf(step.places.walk))});
    case LaunchKind::kGatherParts:
      return run(GatherPartsBinding{BindPlaces(step, step.tensors[1]),
                                    Tensor(step.to, bindings_->ShapeOf(step.places.walk))});
    case LaunchKind::kMatmul:
      return run(BindMatmul(step, space));
  }
  return {};
}

PlacesBinding Executor::BindPlaces(const PlanStep& step, const TensorRecipe& tensor) const {
  const PlacesRecipe& recipe = step.places;
  PlacesBinding places;
  const TensorRecipe& index = step.tensors[0];
  const ir::Shape shape = bindings_->ShapeOf(plan_->values[index.value].shape);
  const TensorBinding whole = Tensor(index, shape);
  places.index.buffer = whole.buffer;
  places.index.shape = bindings_->ShapeOf(recipe.walk);
  places.index.place.offset = whole.place.offset;
  for (size_t i = 0; i < recipe.index_axes.size(); ++i) {
    const int8_t axis = recipe.index_axes[i];
    if (axis >= 0) {
      places.index.place.strides[i] = whole.place.strides[static_cast<size_t>(axis)];
    }
  }
  if (recipe.tuples) {
    places.component_stride = whole.place.strides[static_cast<size_t>(shape.rank() - 1)];
  }
  places.tensor = Tensor(tensor, bindings_->ShapeOf(recipe.tensor));
  places.named_count = static_cast<int>(recipe.named.size());
  std::ranges::copy(recipe.named, places.named.begin());
  std::ranges::copy(recipe.walked, places.walked.begin());
  return places;
}

MatmulBinding Executor::BindMatmul(const PlanStep& step, const ir::Shape& space) {
  MatmulBinding binding;
  ir::Shape left = space;
  ir::Shape right = space;
  const SymbolicShape& operand = step.operand;
  const int64_t k = bindings_->extents[operand[operand.rank - 1]];
  left[left.rank() - 1] = k;
  right[right.rank() - 2] = k;
  const auto bind = [&](size_t slot, const ir::Shape& shape, TensorBinding& tensor,
                        BoundBlock& bound, BlockBinding& prologue) {
    tensor.shape = shape;
    if (step.prologues[slot].slots.empty()) {
      tensor = Tensor(step.tensors[slot], shape);
      return;
    }
    // What the prologue makes lies dense.
    tensor.place = DensePlacement(shape);
    BindBlock(step.prologues[slot], bound);
    prologue = bound.Binding();
  };
  bind(0, left, binding.left, left_, binding.left_prologue);
  bind(1, right, binding.right, right_, binding.right_prologue);
  binding.result.shape = space;
  if (step.has_epilogue) {
    BindBlock(step.block, bound_);
    binding.epilogue = bound_.Binding();
  } else {
    binding.result = Tensor(step.to, space);
  }
  return binding;
}

}  // namespace faultline::fusion
