// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Shapes of composites.

#include <algorithm>
#include <string>
#include <string_view>

#include "ir/infer/rules.h"
#include "ir/program.h"

namespace faultline::ir {
namespace {

std::unexpected<Status> Bad(std::string message) {
  return std::unexpected(Invalid(std::move(message)));
}

// Operand i is a vector of `extent` elements, which are those of `what`.
Status CheckVector(const Application& application, size_t i, int64_t extent,
                   std::string_view what) {
  if (application.shape(i) == Shape{extent}) return {};
  return Invalid("operand " + std::to_string(i) + " has shape " + PrintShape(application.shape(i)) +
                 ", but must have shape " + PrintShape(Shape{extent}) + ", the " +
                 std::string(what) + " of " + PrintShape(application.shape(0)));
}

Status CheckRank(const Shape& shape, int least) {
  if (shape.rank() >= least) return {};
  return Invalid("shape " + PrintShape(shape) + " has rank " + std::to_string(shape.rank()) +
                 ", below " + std::to_string(least));
}

// Parts of an axis: each as long as the first, but for the last.
struct Parts {
  int64_t length = 0;
  int64_t count = 0;
};
Result<Parts> PartsOf(const Application& application) {
  const Shape& shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  const int64_t extent = shape[static_cast<int>(dim)];
  const bool chunks = application.info.Takes(AttributeKey::kChunks);
  const AttributeKey key = chunks ? AttributeKey::kChunks : AttributeKey::kLength;
  const int64_t value = application.attributes.Int(key);
  if (value < 1) {
    return Bad(std::string(InfoOf(key).name) + " " + std::to_string(value) + " is below 1");
  }
  Parts parts;
  // Nothing is one part of nothing.
  parts.length = chunks ? std::max<int64_t>((extent - 1) / value + 1, 1) : value;
  parts.count = extent == 0 ? 1 : (extent - 1) / parts.length + 1;
  return parts;
}

}  // namespace

Result<size_t> InferParts(const Application& application) {
  int64_t count = static_cast<int64_t>(application.operands.size());
  if (application.info.shape_rule == ShapeRule::kSplit) {
    FAULTLINE_ASSIGN_OR_RETURN(const Parts parts, PartsOf(application));
    count = parts.count;
  }
  if (count <= kResultsMax) return static_cast<size_t>(count);
  return Bad("has " + std::to_string(count) + " results, above the limit of " +
             std::to_string(kResultsMax));
}

Result<Shape> InferSplit(const Application& application, size_t r) {
  FAULTLINE_ASSIGN_OR_RETURN(const Parts parts, PartsOf(application));
  Shape shape = application.shape(0);
  int64_t& extent = shape[static_cast<int>(application.attributes.dim())];
  extent = std::min(parts.length, extent - static_cast<int64_t>(r) * parts.length);
  return shape;
}

Result<Shape> InferMeshgrid(const Application& application) {
  Shape shape;
  for (size_t i = 0; i < application.operands.size(); ++i) {
    if (application.shape(i).rank() != 1) {
      return Bad("operand " + std::to_string(i) + " has shape " + PrintShape(application.shape(i)) +
                 ", but must have rank 1");
    }
    if (shape.rank() == kRankMax) {
      return Bad(std::to_string(application.operands.size()) +
                 " operands are above the rank limit of " + std::to_string(kRankMax));
    }
    shape.PushBack(application.shape(i)[0]);
  }
  return shape;
}

Result<Shape> InferMatrices(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckRank(application.shape(0), 2));
  return application.shape(0);
}

Result<Shape> InferNarrow(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape.rank()));
  int64_t& extent = shape[static_cast<int>(dim)];
  const int64_t start = application.attributes.Int(AttributeKey::kStart);
  const int64_t length = application.attributes.Int(AttributeKey::kLength);
  if (start < 0 || length < 0 || start > extent || length > extent - start) {
    return Bad("start " + std::to_string(start) + " and length " + std::to_string(length) +
               " leave the extent " + std::to_string(extent) + " of dim " + std::to_string(dim));
  }
  extent = length;
  return shape;
}

Result<Shape> InferStack(const Application& application) {
  Shape shape = application.shape(0);
  for (size_t i = 1; i < application.operands.size(); ++i) {
    if (application.shape(i) == shape) continue;
    return Bad("shapes " + PrintShape(shape) + " and " + PrintShape(application.shape(i)) +
               " do not stack");
  }
  const int64_t dim = application.attributes.dim();
  if (dim < 0 || dim > shape.rank()) {
    return Bad("dim " + std::to_string(dim) + " is no place for an axis in rank " +
               std::to_string(shape.rank()));
  }
  if (shape.rank() == kRankMax) {
    return Bad("a new axis is above the rank limit of " + std::to_string(kRankMax));
  }
  shape.Insert(static_cast<int>(dim), static_cast<int64_t>(application.operands.size()));
  return shape;
}

Result<Shape> InferDiagonal(const Application& application) {
  Shape shape = application.shape(0);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckRank(shape, 2));
  const int last = shape.rank() - 1;
  shape[last - 1] = std::min(shape[last - 1], shape[last]);
  shape.Erase(last);
  return shape;
}

Result<Shape> InferOneHot(const Application& application) {
  Shape shape = application.shape(0);
  const int64_t classes = application.attributes.Int(AttributeKey::kClasses);
  if (classes < 0) return Bad("classes " + std::to_string(classes) + " is negative");
  if (shape.rank() == kRankMax) {
    return Bad("a new axis is above the rank limit of " + std::to_string(kRankMax));
  }
  shape.PushBack(classes);
  return shape;
}

Result<Shape> InferCross(const Application& application) {
  const Shape& a = application.shape(0);
  const Shape& b = application.shape(1);
  const auto shape = BroadcastShapes(a, b);
  if (!shape.has_value()) {
    return Bad("shapes " + PrintShape(a) + " and " + PrintShape(b) + " do not broadcast");
  }
  const int64_t dim = application.attributes.dim();
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckDim(dim, shape->rank()));
  if ((*shape)[static_cast<int>(dim)] == 3) return *shape;
  return Bad("dim " + std::to_string(dim) + " of " + PrintShape(*shape) + " has extent " +
             std::to_string((*shape)[static_cast<int>(dim)]) + ", not 3");
}

Result<Shape> InferEmbedding(const Application& application) {
  const Shape& weights = application.shape(0);
  if (weights.rank() != 2) {
    return Bad("the weights have shape " + PrintShape(weights) + ", but must have rank 2");
  }
  Shape shape = application.shape(1);
  if (shape.rank() == kRankMax) {
    return Bad("a new axis is above the rank limit of " + std::to_string(kRankMax));
  }
  shape.PushBack(weights[1]);
  return shape;
}

Result<Shape> InferLinear(const Application& application) {
  Shape shape = application.shape(0);
  const Shape& weight = application.shape(1);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckRank(shape, 1));
  if (weight.rank() != 2) {
    return Bad("the weight has shape " + PrintShape(weight) + ", but must have rank 2");
  }
  int64_t& last = shape[shape.rank() - 1];
  if (last != weight[0]) {
    return Bad("shapes " + PrintShape(shape) + " and " + PrintShape(weight) +
               " have different inner extents " + std::to_string(last) + " and " +
               std::to_string(weight[0]));
  }
  last = weight[1];
  if (application.operands.size() > 2 && application.shape(2) != Shape{last}) {
    return Bad("the bias has shape " + PrintShape(application.shape(2)) + ", but must have shape " +
               PrintShape(Shape{last}));
  }
  return shape;
}

Result<Shape> InferNormalizeRows(const Application& application) {
  const Shape& shape = application.shape(0);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckRank(shape, 1));
  for (size_t i = 1; i < application.operands.size(); ++i) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(
        CheckVector(application, i, shape[shape.rank() - 1], "last axis"));
  }
  return shape;
}

Result<Shape> InferNormalizeChannels(const Application& application) {
  const Shape& shape = application.shape(0);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckRank(shape, 2));
  for (size_t i = 1; i < application.operands.size(); ++i) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckVector(application, i, shape[1], "channel axis"));
  }
  if (!application.info.Takes(AttributeKey::kGroups)) return shape;
  const int64_t groups = application.attributes.Int(AttributeKey::kGroups);
  if (groups >= 1 && shape[1] % groups == 0) return shape;
  return Bad("groups " + std::to_string(groups) + " do not divide the " + std::to_string(shape[1]) +
             " channels of " + PrintShape(shape));
}

Status CheckAttributeRanges(const Application& application) {
  if (!application.info.Takes(AttributeKey::kDdof)) return {};
  const int64_t ddof = application.attributes.Int(AttributeKey::kDdof);
  if (ddof >= 0) return {};
  return Invalid("ddof " + std::to_string(ddof) + " is negative");
}

}  // namespace faultline::ir
