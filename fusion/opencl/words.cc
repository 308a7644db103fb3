// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/words.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "fusion/block/block.h"
#include "ir/dtype.h"

namespace faultline::fusion::opencl {

std::string PreambleOf(int lanes) {
  std::string text;
  const auto define = [&](std::string_view prefix, std::string_view name, int64_t value) {
    fmt::format_to(std::back_inserter(text), "#define {}{} {}\n", prefix, name, value);
  };
#define FAULTLINE_HEADER(name) define("Header_", #name, kHeader##name);
#define FAULTLINE_ACCESS(name, words) define("Access_", #name, kAccess##name);
#define FAULTLINE_CONTROL(name) define("Control_", #name, kControl##name);
#include "fusion/opencl/words.def"
#define FAULTLINE_INSTRUCTION(enumerator, ...) \
  define("Op_", #enumerator, static_cast<int64_t>(Op::k##enumerator));
#include "fusion/block/instructions.def"
#undef FAULTLINE_INSTRUCTION
  constexpr std::string_view kRegs[] = {"F32", "F64", "I32", "U32", "I64", "U64", "Mask"};
  static_assert(std::size(kRegs) == kRegCount);
  for (size_t i = 0; i < std::size(kRegs); ++i) {
    define("Reg_", kRegs[i], static_cast<int64_t>(i));
  }
  constexpr std::string_view kDtypes[] = {"kF64", "kF32", "kF16", "kBf16", "kI64", "kI32", "kI16",
                                          "kI8",  "kU64", "kU32", "kU16",  "kU8",  "kBool"};
  static_assert(std::size(kDtypes) == ir::kPlainDtypeCount);
  for (size_t i = 0; i < std::size(kDtypes); ++i) {
    define("Dtype_", kDtypes[i], static_cast<int64_t>(i));
  }
  define("Map_", "Strided", static_cast<int64_t>(MapKind::kStrided));
  define("Map_", "Table", static_cast<int64_t>(MapKind::kTable));
  define("Map_", "Pieces", static_cast<int64_t>(MapKind::kPieces));
  define("Map_", "Indirect", static_cast<int64_t>(MapKind::kIndirect));
  define("", "ACCESS_WORDS", kAccessWords);
  define("", "STEP_WORDS", kStepWords);
  define("", "FOLD_BASE", kFoldBase);
  define("", "CONVERT_BASE", kConvertBase);
  define("", "LOAD_BASE", kLoadBase);
  define("", "STORE_BASE", kStoreBase);
  define("", "ACCESS_END", kAccessEnd);
  define("", "FILE_F32", kFileSizes[0]);
  define("", "FILE_F64", kFileSizes[1]);
  define("", "FILE_I32", kFileSizes[2]);
  define("", "FILE_I64", kFileSizes[3]);
  define("", "LANES", lanes);
  return text;
}

}  // namespace faultline::fusion::opencl
