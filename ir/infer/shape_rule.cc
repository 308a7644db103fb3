// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "ir/infer/rules.h"

namespace faultline::ir {
namespace {

std::unexpected<Status> Bad(std::string message) {
  return std::unexpected(Invalid(std::move(message)));
}

Result<Shape> DeclaredShape(const Application& application, size_t r = 0) {
  if (r >= application.declared.size()) return Bad("needs a declared type");
  return application.declared[r].shape;
}

Result<Shape> Creation(const Application& application, size_t r) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape shape, DeclaredShape(application, r));
  if (application.attributes.has_dim()) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(application.attributes.dim(), shape.rank()));
  }
  return shape;
}

Result<Shape> Broadcast(const Application& application) {
  Shape shape = application.shape(0);
  for (size_t i = 1; i < application.operands.size(); ++i) {
    const auto joined = BroadcastShapes(shape, application.shape(i));
    if (!joined.has_value()) {
      return Bad("shapes " + PrintShape(shape) + " and " + PrintShape(application.shape(i)) +
                 " do not broadcast");
    }
    shape = *joined;
  }
  return shape;
}

Result<Shape> Reshape(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape to, DeclaredShape(application));
  const Shape& from = application.shape(0);
  if (from.NumElements() == to.NumElements()) return to;
  return Bad("shape " + PrintShape(from) + " has " + std::to_string(from.NumElements()) +
             " elements, but shape " + PrintShape(to) + " has " + std::to_string(to.NumElements()));
}

Result<Shape> Expand(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape to, DeclaredShape(application));
  if (CanBroadcastTo(application.shape(0), to)) return to;
  return Bad("shape " + PrintShape(application.shape(0)) + " does not broadcast to " +
             PrintShape(to));
}

// The axes of a permutation, swap or flip: each in range, none twice.
Status CheckAxes(std::span<const int64_t> axes, int rank) {
  uint32_t seen = 0;
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= rank) {
      return Invalid("axis " + std::to_string(axis) + " is out of range for rank " +
                     std::to_string(rank));
    }
    const uint32_t bit = 1u << static_cast<unsigned>(axis);
    if ((seen & bit) != 0) return Invalid("axis " + std::to_string(axis) + " is named twice");
    seen |= bit;
  }
  return {};
}

Result<Shape> Permute(const Application& application) {
  const Shape& from = application.shape(0);
  const auto axes = application.attributes.List(AttributeKey::kAxes);
  if (axes.size() != static_cast<size_t>(from.rank())) {
    return Bad("axes names " + std::to_string(axes.size()) + " axes, but shape " +
               PrintShape(from) + " has rank " + std::to_string(from.rank()));
  }
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckAxes(axes, from.rank()));
  Shape to = from;
  for (size_t i = 0; i < axes.size(); ++i)
    to[static_cast<int>(i)] = from[static_cast<int>(axes[i])];
  return to;
}

Result<Shape> SwapDims(const Application& application) {
  Shape shape = application.shape(0);
  const auto dims = application.attributes.List(AttributeKey::kDims);
  if (dims.size() != 2) return Bad("dims names " + std::to_string(dims.size()) + " axes, not 2");
  for (const int64_t dim : dims) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  }
  std::swap(shape[static_cast<int>(dims[0])], shape[static_cast<int>(dims[1])]);
  return shape;
}

Result<Shape> Slice(const Application& application) {
  Shape shape = application.shape(0);
  const auto flat = application.attributes.List(AttributeKey::kSlices);
  if (flat.size() != 3 * static_cast<size_t>(shape.rank())) {
    return Bad("slices has " + std::to_string(flat.size() / 3) + " triples, but shape " +
               PrintShape(shape) + " has rank " + std::to_string(shape.rank()));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const auto triple = flat.subspan(3 * static_cast<size_t>(i), 3);
    if (triple[2] == 0) return Bad("slice of axis " + std::to_string(i) + " has step 0");
    shape[i] = NormalizeSlice({triple[0], triple[1], triple[2]}, shape[i]).count;
  }
  return shape;
}

Result<Shape> SliceAssign(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape slice, Slice(application));
  if (application.shape(1) == slice) return application.shape(0);
  return Bad("the value has shape " + PrintShape(application.shape(1)) +
             ", but the slice has shape " + PrintShape(slice));
}

Result<Shape> Cat(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  const int axis = static_cast<int>(dim);
  for (size_t i = 1; i < application.operands.size(); ++i) {
    Shape other = application.shape(i);
    const int64_t extent = other.rank() == shape.rank() ? other[axis] : 0;
    if (other.rank() == shape.rank()) other[axis] = shape[axis];
    if (other != shape) {
      return Bad("shapes " + PrintShape(application.shape(0)) + " and " +
                 PrintShape(application.shape(i)) + " do not join along dim " +
                 std::to_string(dim));
    }
    shape[axis] += extent;
  }
  return shape;
}

Result<Shape> RepeatDim(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  const int64_t times = application.attributes.Int(AttributeKey::kTimes);
  if (times < 0) return Bad("times " + std::to_string(times) + " is negative");
  int64_t& extent = shape[static_cast<int>(dim)];
  if (__builtin_mul_overflow(extent, times, &extent)) extent = INT64_MAX;
  return shape;
}

// The extent of a window is that of the declared last axis.
Result<Shape> Unfold(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape declared, DeclaredShape(application));
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  const int64_t step = application.attributes.Int(AttributeKey::kStep);
  if (step < 1) return Bad("step " + std::to_string(step) + " is below 1");
  if (declared.rank() != shape.rank() + 1) {
    return Bad("result is declared with shape " + PrintShape(declared) +
               ", but has one axis more than " + PrintShape(shape));
  }
  const int64_t size = declared[declared.rank() - 1];
  int64_t& extent = shape[static_cast<int>(dim)];
  extent = size > extent ? 0 : (extent - size) / step + 1;
  shape.PushBack(size);
  return shape;
}

Result<Shape> Select(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  const Shape& index = application.shape(1);
  if (index.rank() != 1) {
    return Bad("the index has shape " + PrintShape(index) + ", but must have rank 1");
  }
  shape[static_cast<int>(dim)] = index[0];
  return shape;
}

// Gather and scatter: the index reaches over at most the operand in every axis but dim.
Status CheckIndexShape(const Application& application) {
  const Shape& from = application.shape(0);
  const Shape& index = application.shape(1);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_IF_ERROR(CheckDim(dim, from.rank()));
  bool fits = index.rank() == from.rank();
  for (int i = 0; fits && i < from.rank(); ++i) fits = i == dim || index[i] <= from[i];
  if (fits) return {};
  return Invalid("the index has shape " + PrintShape(index) + ", which does not fit " +
                 PrintShape(from) + " along dim " + std::to_string(dim));
}

Result<Shape> Gather(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexShape(application));
  return application.shape(1);
}

// The values of a scattering op, and what may become of the elements they meet.
Status CheckValues(const Application& application, const Shape& expected) {
  if (application.shape(2) != expected) {
    return Invalid("the values have shape " + PrintShape(application.shape(2)) +
                   ", but must have shape " + PrintShape(expected));
  }
  const auto update = static_cast<Update>(application.attributes.Int(AttributeKey::kUpdate));
  if (update == Update::kAssign) return {};
  const bool bools = application.operands[0].dtype() == Dtype::kBool;
  if (bools == (update == Update::kOr)) return {};
  return Invalid(bools ? "bools are assigned or combined with or" : "only bools combine with or");
}

Result<Shape> Scatter(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexShape(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckValues(application, application.shape(1)));
  return application.shape(0);
}

Result<Shape> SelectAssign(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape rows, Select(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckValues(application, rows));
  return application.shape(0);
}

// The part of operand 0 that each tuple along the last axis of the index names.
Result<Shape> GatherNd(const Application& application) {
  const Shape& from = application.shape(0);
  const Shape& index = application.shape(1);
  if (index.rank() == 0) return Bad("the index has shape [], but must have rank 1 or more");
  const int64_t tuple = index[index.rank() - 1];
  if (tuple < 1 || tuple > from.rank()) {
    return Bad("the index has shape " + PrintShape(index) + ", whose tuples of " +
               std::to_string(tuple) + " do not name parts of shape " + PrintShape(from));
  }
  const int named = static_cast<int>(tuple);
  if (index.rank() - 1 + from.rank() - named > kRankMax) {
    return Bad("the result has rank " + std::to_string(index.rank() - 1 + from.rank() - named) +
               ", above the limit of " + std::to_string(kRankMax));
  }
  Shape shape(index.extents().first(static_cast<size_t>(index.rank() - 1)));
  for (int i = named; i < from.rank(); ++i) shape.PushBack(from[i]);
  return shape;
}

Result<Shape> ScatterNd(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(const Shape parts, GatherNd(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckValues(application, parts));
  return application.shape(0);
}

Result<Shape> ReduceDim(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  shape[static_cast<int>(dim)] = 1;
  return shape;
}

Result<Shape> AlongDim(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
      CheckDim(application.attributes.dim(), application.shape(0).rank()));
  return application.shape(0);
}

Result<Shape> Topk(const Application& application) {
  FAULTLINE_ASSIGN_OR_RETURN(Shape shape, AlongDim(application));
  int64_t& extent = shape[static_cast<int>(application.attributes.dim())];
  const int64_t k = application.attributes.Int(AttributeKey::kK);
  if (k < 0 || k > extent) {
    return Bad("k " + std::to_string(k) + " is not in 0 to the extent " + std::to_string(extent));
  }
  extent = k;
  return shape;
}

Result<Shape> Matmul(const Application& application) {
  const Shape& a = application.shape(0);
  const Shape& b = application.shape(1);
  const std::string both = "shapes " + PrintShape(a) + " and " + PrintShape(b);
  if (a.rank() < 2 || b.rank() < 2) return Bad(both + " are not both of rank 2 or more");
  if (a[a.rank() - 1] != b[b.rank() - 2]) {
    return Bad(both + " have different inner extents " + std::to_string(a[a.rank() - 1]) + " and " +
               std::to_string(b[b.rank() - 2]));
  }
  const Shape batch_a(a.extents().first(static_cast<size_t>(a.rank() - 2)));
  const Shape batch_b(b.extents().first(static_cast<size_t>(b.rank() - 2)));
  auto shape = BroadcastShapes(batch_a, batch_b);
  if (!shape.has_value()) return Bad(both + " have batch axes that do not broadcast");
  shape->PushBack(a[a.rank() - 2]);
  shape->PushBack(b[b.rank() - 1]);
  return *shape;
}

Result<Shape> SameShape(const Application& application) {
  if (application.info.Takes(AttributeKey::kAxes)) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        CheckAxes(application.attributes.List(AttributeKey::kAxes), application.shape(0).rank()));
  }
  return application.shape(0);
}

}  // namespace

Result<Shape> InferShape(const Application& application, size_t r) {
  switch (application.info.shape_rule) {
    case ShapeRule::kSame:
      return SameShape(application);
    case ShapeRule::kBroadcast:
      return Broadcast(application);
    case ShapeRule::kDeclared:
      return Creation(application, r);
    case ShapeRule::kReshape:
      return Reshape(application);
    case ShapeRule::kPermute:
      return Permute(application);
    case ShapeRule::kSwapDims:
      return SwapDims(application);
    case ShapeRule::kExpand:
      return Expand(application);
    case ShapeRule::kSlice:
      return Slice(application);
    case ShapeRule::kCat:
      return Cat(application);
    case ShapeRule::kRepeatDim:
      return RepeatDim(application);
    case ShapeRule::kUnfold:
      return Unfold(application);
    case ShapeRule::kSelect:
      return Select(application);
    case ShapeRule::kGather:
      return Gather(application);
    case ShapeRule::kScatter:
      return Scatter(application);
    case ShapeRule::kSelectAssign:
      return SelectAssign(application);
    case ShapeRule::kGatherNd:
      return GatherNd(application);
    case ShapeRule::kScatterNd:
      return ScatterNd(application);
    case ShapeRule::kSliceAssign:
      return SliceAssign(application);
    case ShapeRule::kReduceAll:
      return Shape{1};
    case ShapeRule::kReduceDim:
      return ReduceDim(application);
    case ShapeRule::kArgReduce:
      return application.attributes.has_dim() ? ReduceDim(application) : Shape{1};
    case ShapeRule::kAlongDim:
      return AlongDim(application);
    case ShapeRule::kTopk:
      return Topk(application);
    case ShapeRule::kMatmul:
      return Matmul(application);
    case ShapeRule::kSplit:
      return InferSplit(application, r);
    case ShapeRule::kMeshgrid:
      return InferMeshgrid(application);
    case ShapeRule::kMatrices:
      return InferMatrices(application);
    case ShapeRule::kNarrow:
      return InferNarrow(application);
    case ShapeRule::kStack:
      return InferStack(application);
    case ShapeRule::kDiagonal:
      return InferDiagonal(application);
    case ShapeRule::kOneHot:
      return InferOneHot(application);
    case ShapeRule::kCross:
      return InferCross(application);
    case ShapeRule::kEmbedding:
      return InferEmbedding(application);
    case ShapeRule::kLinear:
      return InferLinear(application);
    case ShapeRule::kNormalizeRows:
      return InferNormalizeRows(application);
    case ShapeRule::kNormalizeChannels:
      return InferNormalizeChannels(application);
  }
  return Bad("has no shape rule");
}

Status CheckReducedExtent(const Application& application) {
  const OpInfo& info = application.info;
  // The mean of no integers has no value; that of no floats is NaN.
  const bool int_mean = HasTrait(info.op, kAveraging) && IsInt(application.operands[0].dtype());
  if (info.domain != Domain::kNonEmpty && !int_mean) return {};
  const Shape& shape = application.shape(0);
  const bool whole = info.shape_rule == ShapeRule::kReduceAll || !application.attributes.has_dim();
  const int64_t extent =
      whole ? shape.NumElements() : shape[static_cast<int>(application.attributes.dim())];
  if (extent != 0) return {};
  return Invalid("reduces no elements of shape " + PrintShape(shape));
}

}  // namespace faultline::ir
