// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The oracle's answer to "could a correct backend have produced these bytes?", with its evidence.
// Data only: how it is found is compare.h and judge.h, how it is shown is reports/.

#ifndef HARNESS_ORACLE_VERDICT_H_
#define HARNESS_ORACLE_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace faultline::harness {

enum class VerdictKind : uint8_t {
  kAgree,
  kDivergence,    // a value outside its set, or wrong dtype, shape, length, order, status
  kCrash,         // the process died
  kHang,          // the process did not come back in time
  kLeak,          // live handles or bytes after the last drop
  kUnsupported,   // the backend said so, with a reason
  kInconclusive,  // the contract gives no bound here, or the text itself is at odds
  kVacuous,       // nothing compared could have failed, or a needed condition was not met
};
std::string_view VerdictName(VerdictKind kind);
std::optional<VerdictKind> FindVerdict(std::string_view name);
// Divergence, crash, hang, leak: what a campaign records. (Unsupported is said before running; an
// unsupported application after that is a divergence of status.)
bool IsFinding(VerdictKind kind);

// What about the first diverging read is wrong; part of the key.
enum class Aspect : uint8_t {
  kNone,
  kNumber,     // a finite value outside its set
  kNonFinite,  // NaN or infinity on one side only, or NaN bits that should have moved unchanged
  kZeroSign,   // only the sign of a zero
  kScale,      // scales of a quantized tensor
  kCode,       // codes of a quantized tensor
  kType,       // dtype, scheme, shape or length in bytes
  kOrder,      // the right tensors in another order
  kStatus,     // an error where none was predicted, none where one was, or another one
  kOneValue,   // two reads of one value differ
  kExpect,     // an `expect` line of the program is not met
};
std::string_view AspectName(Aspect aspect);
std::optional<Aspect> FindAspect(std::string_view name);

// How the wrong elements lie in the tensor.
enum class MismatchPattern : uint8_t {
  kNone,
  kSingle,
  kTail,     // the last elements of the tensor
  kRowTail,  // the last elements of each row
  kRow,      // whole rows along the innermost axis
  kColumn,   // one index of the innermost axis in every row
  kStrided,  // every n-th element
  kAll,
  kScattered,  // none of the above
};
std::string_view PatternName(MismatchPattern pattern);

struct ElementEvidence {
  int64_t index = 0;     // row-major
  std::string part;      // quantized: "code", "scale", "zero" or "tensor scale"; otherwise empty
  std::string expected;  // the admissible set
  std::string actual;
  std::string naive;  // what the plain reference gives, for display
  double ulp = 0;     // distance to the set in units in the last place; infinity across classes
  double widths = 0;  // the same distance over the width of the set (0 for a point)
};

struct Verdict {
  VerdictKind kind = VerdictKind::kAgree;
  Aspect aspect = Aspect::kNone;
  MismatchPattern pattern = MismatchPattern::kNone;
  int statement = -1;                  // of the read (or failed call)
  int position = -1;                   // in the read
  std::string value;                   // name, without '%'
  std::string type;                    // of the value, as text
  std::optional<ir::Opcode> op;        // that makes the value; nothing for an input
  std::string dtype_class;             // "float", "int", "bool", "quantized"
  int64_t mismatches = 0;              // wrong elements of that value
  int64_t elements = 0;                // all elements of that value
  std::vector<ElementEvidence> worst;  // at most kWorstMax, the farthest first
  std::vector<int64_t> wrong;          // flat indices, at most kWrongMax, for the heat map
  std::string message;                 // one sentence for people
  std::string frames;                  // crash: top frames or the failed check, as text
  // Groups findings of one cause: verdict, aspect, op and dtype class. Printed as DEDUP_TOKEN.
  std::string key;

  static constexpr int kWorstMax = 8;
  static constexpr int kWrongMax = 4096;
};

// Key of a verdict from its other fields.
std::string KeyOf(const Verdict& verdict);

// How sharp the comparison was.
struct CompareStatistics {
  int64_t compared = 0;  // elements held against a set
  int64_t exact = 0;     // whose set is a point
  int64_t vacuous = 0;   // whose set is everything
  int64_t compared_float = 0;
  int64_t exact_float = 0;
  int64_t pinned_values = 0;  // values checked, then taken as given
  std::vector<float> radii;   // half widths in ulp of bounded non-point floats (a sample)
};

// Verdicts on a run that did not come back. `signal` is the one that ended the process, 0 if it
// ended itself with `exit_code`; `report` is what it left on stderr.
Verdict CrashVerdict(int signal, int exit_code, std::string_view report);
Verdict HangVerdict(double seconds);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_VERDICT_H_
