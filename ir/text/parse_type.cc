// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "ir/text/parser.h"

namespace faultline::ir {
namespace {

constexpr int64_t kBlockExtentMax = INT32_MAX;

// Leading ones are left out of a block, so that one scheme has one spelling.
void SetBlock(Scheme& scheme, const Shape& block) {
  int first = 0;
  while (first < block.rank() - 1 && block[first] == 1) ++first;
  scheme.block_rank = static_cast<uint8_t>(block.rank() - first);
  for (int i = first; i < block.rank(); ++i) {
    scheme.block[static_cast<size_t>(i - first)] = static_cast<int32_t>(block[i]);
  }
}

}  // namespace

bool Parser::ParseShape(Shape& shape) {
  return ParseList([&] {
    const size_t at = lexer_.at();
    int64_t extent = 0;
    if (!ParseIntInRange(0, INT64_MAX, "extent", extent)) return false;
    if (shape.rank() == kRankMax) {
      return Fail("rank above the limit of " + std::to_string(kRankMax), at);
    }
    shape.PushBack(extent);
    return true;
  });
}

bool Parser::ParseBlock(Scheme& scheme) {
  Shape block;
  const size_t at = lexer_.at();
  if (!ParseList([&] {
        const size_t extent_at = lexer_.at();
        int64_t extent = 0;
        if (!ParseIntInRange(1, kBlockExtentMax, "block extent", extent)) return false;
        if (block.rank() == kRankMax) {
          return Fail("block rank above the limit of " + std::to_string(kRankMax), extent_at);
        }
        block.PushBack(extent);
        return true;
      })) {
    return false;
  }
  if (block.rank() == 0) return Fail("a block has at least one extent", at);
  SetBlock(scheme, block);
  return true;
}

bool Parser::ParseStore(Scheme& scheme) {
  const size_t at = lexer_.at();
  const std::string_view store = lexer_.TakeWord();
  if (store == "native") {
    scheme.store = QStore::kNative;
    return true;
  }
  if (store == "packed_native") {
    scheme.store = QStore::kPackedNative;
  } else if (store == "packed_u32") {
    scheme.store = QStore::kPackedU32;
  } else {
    return Fail("unknown store '" + std::string(store) + "'", at);
  }
  int64_t dim = 0;
  if (!Expect("(") || !ParseIntInRange(0, kRankMax - 1, "packed dim", dim)) return false;
  scheme.packed_dim = static_cast<uint8_t>(dim);
  return Expect(")");
}

bool Parser::ParseSchemeField(Scheme& scheme, std::string_view key, size_t at) {
  if (key == "block") return ParseBlock(scheme);
  if (key == "store") return ParseStore(scheme);
  const size_t value_at = lexer_.at();
  const std::string_view word = lexer_.TakeWord();
  if (key == "scale") {
    const auto scale = FindScaleDtype(word);
    if (!scale.has_value()) {
      return Fail("unknown scale dtype '" + std::string(word) + "'", value_at);
    }
    scheme.scale = *scale;
    return true;
  }
  if (key == "tensor") {
    if (word != "f32") {
      return Fail("the tensor scale is f32, not '" + std::string(word) + "'", value_at);
    }
    scheme.two_level = true;
    return true;
  }
  return Fail("a scheme has no field '" + std::string(key) + "'", at);
}

bool Parser::ParseSchemeFields(Scheme& scheme) {
  std::vector<std::string_view> seen;
  do {
    lexer_.SkipSpaces();
    const size_t at = lexer_.at();
    const std::string_view key = lexer_.TakeWord();
    for (const std::string_view other : seen) {
      if (other == key) return Fail("field '" + std::string(key) + "' is there twice", at);
    }
    seen.push_back(key);
    if (!Expect("=") || !ParseSchemeField(scheme, key, at)) return false;
  } while (TakeNext(","));
  return Expect(">");
}

bool Parser::ParseType(Type& type) {
  lexer_.SkipSpaces();
  const size_t at = lexer_.at();
  const std::string_view word = lexer_.TakeWord();
  if (word.empty()) return Fail("expected a type, found " + lexer_.Found(), at);
  const bool fields = lexer_.Take('<');
  const auto dtype = FindDtype(word);
  const auto value = FindQValue(word);
  // i8 and u8 are both; only the asymmetric scheme has angle brackets.
  if (dtype.has_value() && !(fields && value.has_value())) {
    if (fields) return Fail("dtype " + std::string(word) + " takes no scheme", at);
    type.element = ElementType(*dtype);
    return ParseShape(type.shape);
  }
  if (!value.has_value()) return Fail("unknown dtype '" + std::string(word) + "'", at);
  Scheme scheme;
  scheme.value = *value;
  if (fields && !ParseSchemeFields(scheme)) return false;
  type.element = ElementType(scheme);
  return ParseShape(type.shape);
}

}  // namespace faultline::ir
