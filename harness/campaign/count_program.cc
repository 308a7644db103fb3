// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a program contains, counted in a few passes over its statements.

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "harness/campaign/classify.h"
#include "harness/campaign/count_segments.h"
#include "harness/campaign/scheme_uses.h"
#include "harness/campaign/statistic_tables.h"
#include "harness/campaign/statistics.h"
#include "ir/infer.h"

namespace faultline::harness {
namespace {

using ir::kNoValue;
using ir::Program;
using ir::Statement;
using ir::StatementKind;
using ir::ValueId;
using Family = StatisticFamily;

size_t At(auto enumerator) { return static_cast<size_t>(enumerator); }

// What is known of a value at the statement that is being counted.
struct State {
  int definition = -1;
  int last_use = -1;
  int uses = 0;
  int stream = 0;
  bool input = false;
  bool pending = false;
  bool dropped = false;
  bool read = false;
  bool met_read = false;      // a read has come since its definition
  ValueId root = kNoValue;    // of a view or clone: what it shares storage with
  ValueId tensor = kNoValue;  // of a clone: the value that both name
  SlotFeed feed = SlotFeed::kInput;
};

SlotFeed FeedOf(const Statement& s) {
  const ir::OpInfo& info = ir::InfoOf(s.op);
  switch (info.shape_rule) {
    case ir::ShapeRule::kPermute:
    case ir::ShapeRule::kSwapDims:
      return SlotFeed::kPermuted;
    case ir::ShapeRule::kExpand:
      return SlotFeed::kExpanded;
    case ir::ShapeRule::kReshape:
      return SlotFeed::kReshaped;
    case ir::ShapeRule::kSlice: {
      SlotFeed feed = SlotFeed::kPrefix;
      const auto flat = s.attributes.List(ir::AttributeKey::kSlices);
      for (size_t i = 2; i < flat.size(); i += 3) {
        if (flat[i] < 0) return SlotFeed::kReversed;
        if (flat[i] > 1) feed = SlotFeed::kStepped;
      }
      return feed;
    }
    default:
      break;
  }
  if (ir::IsView(s.op)) {
    return info.Takes(ir::AttributeKey::kAxes) ? SlotFeed::kReversed : SlotFeed::kOtherView;
  }
  if (ir::HasTrait(s.op, ir::kCreation)) return SlotFeed::kCreated;
  if (info.dtype_rule == ir::DtypeRule::kCast) return SlotFeed::kCast;
  return SlotFeed::kPending;
}

class Counter {
 public:
  Counter(const Program& program, Statistics& statistics)
      : program_(program),
        statistics_(statistics),
        layouts_(LayoutsOf(program)),
        states_(program.values.size()) {}

  void Run() {
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      const Statement& s = program_.statements[i];
      const int index = static_cast<int>(i);
      switch (s.kind) {
        case StatementKind::kInput:
          Input(s, index);
          break;
        case StatementKind::kApply:
          Apply(s, index);
          break;
        case StatementKind::kClone:
          Clone(s, index);
          break;
        case StatementKind::kDrop:
          Drop(s, index);
          break;
        case StatementKind::kRead:
          Read(s, index);
          break;
        case StatementKind::kStream:
          if (s.stream != stream_) Count(Family::kLifetime, At(Lifetime::kStreamChange));
          stream_ = s.stream;
          break;
        case StatementKind::kSync:
          Count(Family::kLifetime, At(Lifetime::kSync));
          Force();
          break;
        case StatementKind::kExpect:
        case StatementKind::kExpectError:
          break;
      }
    }
    End();
  }

 private:
  void Count(Family family, size_t index, uint64_t amount = 1) {
    statistics_.Count(family, index, amount);
  }

  State& Define(ValueId value, int index) {
    State& state = states_[value];
    state.definition = index;
    state.stream = stream_;
    state.tensor = value;
    live_ += 1;
    live_max_ = std::max(live_max_, live_);
    const ir::Shape& shape = program_.TypeOf(value).shape;
    const auto rank = static_cast<size_t>(shape.rank());
    Count(Family::kRank, rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      const auto extent = static_cast<uint64_t>(shape[static_cast<int>(axis)]);
      Count(Family::kExtent, extent < kExactExtents
                                 ? extent
                                 : kExactExtents + static_cast<size_t>(std::bit_width(extent - 1)));
      if (extent == 1) Count(Family::kOnesAt, rank * (ir::kRankMax + 1) + axis);
    }
    return state;
  }

  void Use(ValueId value, int index) {
    State& state = states_[value];
    state.last_use = index;
    ++state.uses;
  }

  // What a read or a sync on this stream makes exist.
  void Force() {
    for (State& state : states_) {
      if (state.stream == stream_) state.pending = false;
    }
  }

  void Input(const Statement& s, int index) {
    State& state = Define(s.results[0], index);
    state.input = true;
    ++inputs_;
    Count(Family::kForm, At(s.data->form));
    const ir::Dtype dtype = program_.TypeOf(s.results[0]).dtype();
    for (const uint64_t bits : s.data->elements) Special(dtype, bits);
    for (const auto& [flat, bits] : s.data->overrides) {
      Special(dtype, bits);
      Count(Family::kLane, static_cast<size_t>(flat % 64));
    }
  }

  void Special(ir::Dtype dtype, uint64_t bits) {
    const auto count = [this](SpecialValue value) { Count(Family::kSpecial, At(value)); };
    if (!ir::IsFloat(dtype)) {
      if (dtype == ir::Dtype::kBool) return;
      const int64_t value = ir::ToInt(dtype, bits);
      if (value == 0) count(SpecialValue::kZero);
      if (ir::IsSigned(dtype) && value == ir::IntMin(dtype)) count(SpecialValue::kIntMin);
      if (static_cast<uint64_t>(value) == ir::IntMax(dtype)) count(SpecialValue::kIntMax);
      if (ir::IsSigned(dtype) && value == -1) count(SpecialValue::kMinusOne);
      if (value == 16777215 || value == 16777217) count(SpecialValue::kBeyondExact);
      return;
    }
    const double value = ir::ToDouble(dtype, bits);
    if (std::isnan(value)) {
      const bool canonical = bits == ir::FromDouble(dtype, std::nan(""));
      count(canonical ? SpecialValue::kNan : SpecialValue::kNanPayload);
    } else if (std::isinf(value)) {
      count(value > 0 ? SpecialValue::kInfinity : SpecialValue::kNegativeInfinity);
    } else if (value == 0) {
      count(std::signbit(value) ? SpecialValue::kNegativeZero : SpecialValue::kZero);
    } else {
      // The least normal is 2^-14 in f16, 2^-1022 in f64, 2^-126 in the others.
      const double least_normal = dtype == ir::Dtype::kF16   ? 0x1p-14
                                  : dtype == ir::Dtype::kF64 ? 0x1p-1022
                                                             : 0x1p-126;
      const double size = std::fabs(value);
      if (size < least_normal) count(SpecialValue::kSubnormal);
      // The next element is infinity.
      if (std::isinf(
              ir::ToDouble(dtype, (bits & ~(uint64_t{1} << (ir::BitWidth(dtype) - 1))) + 1))) {
        count(SpecialValue::kGreatest);
      }
      if (size == 16777215 || size == 16777217) count(SpecialValue::kBeyondExact);
      if (std::fmod(size, 1) == 0.5) count(SpecialValue::kHalf);
    }
  }

  void Feed(const Statement& s, size_t slot, SlotFeed feed) {
    Count(Family::kSlotFeed,
          (At(s.op) * 3 + std::min<size_t>(slot, 2)) * kSlotFeedCount + At(feed));
  }

  void Operand(const Statement& s, size_t slot) {
    const ValueId operand = s.operands[slot];
    const State& state = states_[operand];
    if (state.input) {
      Feed(s, slot, SlotFeed::kInput);
    } else {
      if (state.feed != SlotFeed::kPending) Feed(s, slot, state.feed);
      Feed(s, slot, state.pending ? SlotFeed::kPending : SlotFeed::kMaterialized);
    }
    if (state.stream != stream_) Feed(s, slot, SlotFeed::kForeign);
    for (size_t other = 0; other < s.operands.size(); ++other) {
      if (other == slot) continue;
      const ValueId value = s.operands[other];
      if (value == operand) {
        Feed(s, slot, SlotFeed::kSameTwice);
        break;
      }
      if (states_[value].root == operand || state.root == value) {
        Feed(s, slot, SlotFeed::kOwnView);
        break;
      }
    }
    const ir::Type& type = program_.TypeOf(operand);
    Count(Family::kOpLayout,
          (At(s.op) * kDtypeClassCount + At(ClassOf(type.dtype()))) * kLayoutClassCount +
              At(layouts_[operand]));
    if (type.quantized()) Scheme(s.op, type);
  }

  void Scheme(ir::Opcode op, const ir::Type& type) {
    Count(Family::kSchemeOp, At(SchemeClassOf(type)) * ir::kOpcodeCount + At(op));
  }

  void Apply(const Statement& s, int index) {
    ++operations_;
    operands_max_ = std::max(operands_max_, s.operands.size());
    const ValueId first = s.operands.empty() ? s.results[0] : s.operands[0];
    Count(Family::kOp, At(s.op) * (ir::kPlainDtypeCount + 1) + At(program_.TypeOf(first).dtype()));
    for (size_t slot = 0; slot < s.operands.size(); ++slot) Operand(s, slot);
    for (const ValueId operand : s.operands) {
      Use(operand, index);
      if (states_[operand].stream != stream_) states_[operand].pending = false;
    }
    IndexErrors(s);
    for (const ValueId result : s.results) {
      const ir::Type& type = program_.TypeOf(result);
      if (type.quantized()) {
        Scheme(s.op, type);
        QuantizedView(s, type);
      }
      State& state = Define(result, index);
      state.pending = true;
      state.feed = FeedOf(s);
      if (ir::IsView(s.op)) state.root = s.operands[0];
    }
  }

  void QuantizedView(const Statement& s, const ir::Type& result) {
    if (!ir::IsLayoutOp(s.op)) return;
    Trait(TransactionTrait::kQuantizedView);
    std::vector<ir::Type> types;
    for (const ValueId operand : s.operands) types.push_back(program_.TypeOf(operand));
    Trait(ir::MovesCodes(s.op, s.attributes, types, result) ? TransactionTrait::kMovedCodes
                                                            : TransactionTrait::kRequantized);
  }

  void Trait(TransactionTrait trait) {
    Count(Family::kTransaction, size_t{kTransactionMixCount} * kSizeClassCount + At(trait));
  }

  // Indices out of range, as far as the data of an input show them.
  void IndexErrors(const Statement& s) {
    if (ir::InfoOf(s.op).dtype_rule != ir::DtypeRule::kIndexed) return;
    const State& index = states_[s.operands[1]];
    const ir::Shape& shape = program_.TypeOf(s.operands[0]).shape;
    if (!index.input) return;
    const int64_t tuple = ir::TupleOf(s.op, program_.TypeOf(s.operands[1]).shape);
    // Of tuples each element has an axis of its own; where nothing says an axis it is the first.
    const auto extent_of = [&](int64_t flat) {
      return shape[static_cast<int>(s.attributes.has_dim() ? s.attributes.dim() : flat % tuple)];
    };
    const ir::DataSpec& data = *program_.statements[static_cast<size_t>(index.definition)].data;
    const ir::Dtype dtype = program_.TypeOf(s.operands[1]).dtype();
    bool negative = false;
    bool large = false;
    const auto look = [&](int64_t flat, uint64_t bits) {
      const int64_t value = ir::ToInt(dtype, bits);
      negative = negative || value < 0;
      large = large || value >= extent_of(flat);
    };
    if (data.form == ir::DataForm::kList) {
      int64_t flat = 0;
      for (const uint64_t bits : data.elements) look(flat++, bits);
    }
    for (const auto& [flat, bits] : data.overrides) look(flat, bits);
    if (negative) Count(Family::kError, At(IndexError::kNegative));
    if (large) Count(Family::kError, At(IndexError::kTooLarge));
    error_ = error_ || negative || large;
  }

  void Clone(const Statement& s, int index) {
    Use(s.operands[0], index);
    Count(Family::kLifetime, At(Lifetime::kClone));
    const State source = states_[s.operands[0]];
    State& state = Define(s.results[0], index);
    state.pending = source.pending;
    state.feed = SlotFeed::kClone;
    state.root = s.operands[0];
    state.tensor = source.tensor;
  }

  void Drop(const Statement& s, int index) {
    State& state = states_[s.operands[0]];
    state.dropped = true;
    --live_;
    const auto count = [this](Lifetime what) { Count(Family::kLifetime, At(what)); };
    if (!state.met_read) count(Lifetime::kDroppedBeforeRead);
    if (state.stream != stream_) count(Lifetime::kDropForeign);
    if (state.uses == 0) {
      count(Lifetime::kDropUnused);
    } else if (state.read) {
      count(Lifetime::kDropAfterRead);
    }
    // Other drops in between do not count.
    int between = 0;
    for (int i = state.last_use + 1; i < index; ++i) {
      if (program_.statements[static_cast<size_t>(i)].kind != StatementKind::kDrop) ++between;
    }
    count(between == 0 ? Lifetime::kDropEarly : Lifetime::kDropLate);
  }

  void Read(const Statement& s, int index) {
    ++reads_;
    const auto count = [this](Lifetime what) { Count(Family::kLifetime, At(what)); };
    const auto size =
        std::min<size_t>(kSizeClassCount - 1, static_cast<size_t>(SizeClass(s.operands.size())));
    Count(Family::kTransaction, At(MixOf(program_, s)) * kSizeClassCount + size);
    if (last_read_ == index - 1 && index > 0) Trait(TransactionTrait::kSeveralInARow);
    last_read_ = index;
    bool duplicates = false;
    bool foreign = false;
    bool both = false;
    for (size_t i = 0; i < s.operands.size(); ++i) {
      const ValueId value = s.operands[i];
      const State& state = states_[value];
      duplicates =
          duplicates ||
          std::find(s.operands.begin(), s.operands.begin() + static_cast<std::ptrdiff_t>(i),
                    value) != s.operands.begin() + static_cast<std::ptrdiff_t>(i);
      foreign = foreign || state.stream != stream_;
      both = both || ReadsBothForms(s, value);
      if (state.pending) count(Lifetime::kReadPending);
      if (state.uses > 0 && !state.input) count(Lifetime::kReadIntermediate);
      Handles(value);
    }
    if (duplicates) Trait(TransactionTrait::kDuplicates);
    if (both) Trait(TransactionTrait::kBothForms);
    if (foreign) {
      Trait(TransactionTrait::kForeign);
      count(Lifetime::kReadForeign);
    }
    for (const ValueId value : s.operands) {
      Use(value, index);
      states_[value].read = true;
    }
    for (State& state : states_) {
      if (state.definition < 0 || state.dropped || state.met_read) continue;
      state.met_read = true;
      count(Lifetime::kAliveAtRead);
    }
    if (error_) {
      Count(Family::kError, At(IndexError::kHealthyAfter));
      error_ = false;
    }
    Force();
  }

  // Whether the read also lists the dequantized form of a quantized value.
  bool ReadsBothForms(const Statement& read, ValueId value) const {
    if (!program_.TypeOf(value).quantized()) return false;
    return std::ranges::any_of(read.operands, [&](ValueId other) {
      const int at = states_[other].definition;
      const Statement& s = program_.statements[static_cast<size_t>(at)];
      return s.kind == StatementKind::kApply &&
             ir::InfoOf(s.op).dtype_rule == ir::DtypeRule::kDequantize && s.operands[0] == value;
    });
  }

  // Other handles to the tensor: alive, or gone.
  void Handles(ValueId value) {
    bool alive = false;
    bool gone = false;
    for (size_t i = 0; i < states_.size(); ++i) {
      const State& other = states_[i];
      if (i == value || other.definition < 0 || other.tensor != states_[value].tensor) continue;
      alive = alive || !other.dropped;
      gone = gone || other.dropped;
    }
    if (alive) Count(Family::kLifetime, At(Lifetime::kReadWithClone));
    if (gone && !alive) Count(Family::kLifetime, At(Lifetime::kReadLastHandle));
  }

  void End() {
    uint64_t kept = 0;
    for (const State& state : states_) kept += state.definition >= 0 && !state.dropped ? 1 : 0;
    Count(Family::kLifetime, At(Lifetime::kNeverDropped), kept);
    const auto structure = [this](Structure what, uint64_t size) {
      const auto c = std::min<size_t>(kSizeClassCount - 1, static_cast<size_t>(SizeClass(size)));
      Count(Family::kStructure, At(what) * kSizeClassCount + c);
    };
    structure(Structure::kOperations, operations_);
    structure(Structure::kInputs, inputs_);
    structure(Structure::kReads, reads_);
    structure(Structure::kChain, LongestChain(program_));
    structure(Structure::kOperands, operands_max_);
    structure(Structure::kLive, live_max_);
    const auto work = static_cast<uint64_t>(ir::WorkOf(program_));
    Count(Family::kWork,
          std::min<size_t>(25, work <= 1 ? 0 : static_cast<size_t>(std::bit_width(work - 1))));
    CountPlanReuse(program_, statistics_);
    CountSchemeUses(program_, statistics_);
  }

  const Program& program_;
  Statistics& statistics_;
  std::vector<LayoutClass> layouts_;
  std::vector<State> states_;
  int stream_ = 0;
  int last_read_ = -2;
  bool error_ = false;
  uint64_t operations_ = 0;
  uint64_t inputs_ = 0;
  uint64_t reads_ = 0;
  size_t operands_max_ = 0;
  uint64_t live_ = 0;
  uint64_t live_max_ = 0;
};

}  // namespace

void Statistics::CountProgram(const Program& program) { Counter(program, *this).Run(); }

}  // namespace faultline::harness
