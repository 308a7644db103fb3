// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How a kernel is written and found. One kernel an op, a template over the algebra:
//
//   FAULTLINE_KERNEL(Add) {
//     MapNumeric<2>(call, [&](const auto& x, const auto& y) { return call.algebra.Add(x, y); });
//   }
//
// Every row of the op table is declared here, so a row without a kernel does not link, by name.

#ifndef REFERENCE_KERNEL_H_
#define REFERENCE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/element.h"
#include "ir/op.h"
#include "reference/algebra.h"
#include "reference/enclosure.h"

namespace faultline::reference {

// Index errors of one application, reported in row-major order of the index tensor.
class IndexErrors {
 public:
  struct Entry {
    int64_t position;  // of the offending index, row-major
    int64_t index;     // its value (one of the possible ones if not certain)
    int64_t bound;     // exclusive
  };
  void Report(bool certain, const Entry& entry) {
    std::optional<Entry>& slot = certain ? certain_ : possible_;
    if (!slot.has_value()) slot = entry;
  }
  // The first index that is certainly, or only possibly, out of range.
  const std::optional<Entry>& certain() const { return certain_; }
  const std::optional<Entry>& possible() const { return possible_; }

 private:
  std::optional<Entry> certain_;
  std::optional<Entry> possible_;
};

// Dtype by which kernels see a tensor: codes and scales are arithmetic of f32.
inline ir::Dtype ElementDtype(const ir::Type& type) {
  return type.quantized() ? ir::Dtype::kF32 : type.dtype();
}

// Type and element access by one spelling for both algebras.
inline const ir::Type& TypeOf(const Points& tensor) { return tensor.type; }
inline const ir::Type& TypeOf(const Enclosure& tensor) { return tensor.type(); }

// One application, seen from one of its results (the first, for the kernel of the op). Exact: fill
// result().cells (sized, and scales of a quantized result). Sets: fill result() by Put/PutCell, one
// for each element; `naive` is what Exact gave for the same result. Operands of Sets are as
// consumed. If an index is out of range report it and write anything.
template <class A>
struct Call {
  const A& algebra;
  ir::Opcode op;
  std::span<const ir::Scalar> scalars;
  const ir::Attributes& attributes;
  std::span<const typename A::Tensor* const> operands;
  typename A::Tensor& result_tensor;
  const Points* naive;  // Sets only
  IndexErrors& errors;
  // All results, and their naive values. The algebra's result dtype is that of result_tensor.
  std::span<typename A::Tensor* const> results;
  std::span<const Points* const> naives;

  // Calls f with the same application seen from result `r`.
  template <class F>
  void ForResult(size_t r, const F& f) const {
    const A inner = algebra.On(algebra.operand(), ElementDtype(TypeOf(*results[r])));
    f(Call{.algebra = inner,
           .op = op,
           .scalars = scalars,
           .attributes = attributes,
           .operands = operands,
           .result_tensor = *results[r],
           .naive = naives.empty() ? nullptr : naives[r],
           .errors = errors,
           .results = results,
           .naives = naives});
  }
  const typename A::Tensor& operand(size_t i) const { return *operands[i]; }
  typename A::Tensor& result() const { return result_tensor; }
  Cell scalar(size_t i) const { return Hold(scalars[i].dtype, scalars[i].bits); }
  const Contract& contract() const { return algebra.contract(); }
};

inline double FloatAt(const Points& tensor, int64_t i) { return tensor.Float(i); }
inline FloatSet FloatAt(const Enclosure& tensor, int64_t i) { return tensor.FloatAt(i); }
inline int64_t IntAt(const Points& tensor, int64_t i) { return tensor.Int(i); }
inline IntSet IntAt(const Enclosure& tensor, int64_t i) { return tensor.IntAt(i); }
inline void PutAt(Points& tensor, int64_t i, double value) {
  tensor.cells[static_cast<size_t>(i)] = ToCell(value);
}
inline void PutAt(Points& tensor, int64_t i, int64_t value) {
  tensor.cells[static_cast<size_t>(i)] = ToCell(value);
}
inline void PutAt(Enclosure& tensor, int64_t i, const FloatSet& set) { tensor.Put(i, set); }
inline void PutAt(Enclosure& tensor, int64_t i, const IntSet& set) { tensor.Put(i, set); }

// Element of a broadcast operand for each element of the result.
class BroadcastMap {
 public:
  BroadcastMap(const ir::Shape& operand, const ir::Shape& result);
  int64_t operator()(int64_t i) const {
    return mode_ == Mode::kSame ? i : mode_ == Mode::kOne ? 0 : table_[static_cast<size_t>(i)];
  }

 private:
  enum class Mode : uint8_t { kSame, kOne, kTable };
  Mode mode_;
  std::vector<int64_t> table_;
};

// Whether the op gives its naive bits, and nothing else, from operands that are points.
// (up to the sign of zeros that FreesZero speaks of).
bool ExactOnPoints(ir::Opcode op, const ir::Attributes& attributes, const Contract& contract,
                   ir::Dtype operand, ir::Dtype result);
// Whether an exact op leaves the sign of a zero result free, by the pinned table.
bool FreesZero(ir::Opcode op, ir::Dtype result);
// "Either zero" for a cell that is a zero.
inline void PutFreeZero(Enclosure& tensor, int64_t i, Cell cell) {
  if (AsFloat(cell) == 0) {
    tensor.Put(i, FloatSet::Between(-0.0, 0.0));
  } else {
    tensor.PutCell(i, cell);
  }
}

// How operands are read in a Map.
struct AsFloatOperand {
  template <class T>
  static auto At(const T& tensor, int64_t i) {
    return FloatAt(tensor, i);
  }
};
struct AsIntOperand {
  template <class T>
  static auto At(const T& tensor, int64_t i) {
    return IntAt(tensor, i);
  }
};

// result[i] = f(operand 0 [i], operand 1 [i], ...), operands broadcast and read as said. Elements
// whose operands are points take the naive cell where the op is exact on points.
template <class... Reads, class A, class F>
void Map(const Call<A>& call, const F& f) {
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const int64_t n = shape.NumElements();
  auto run = [&]<size_t... k>(std::index_sequence<k...>) {
    const BroadcastMap maps[] = {BroadcastMap(TypeOf(call.operand(k)).shape, shape)...};
    [[maybe_unused]] bool exact = false;
    [[maybe_unused]] bool frees_zero = false;
    if constexpr (A::kSets) {
      exact = !call.algebra.wide() && ExactOnPoints(call.op, call.attributes, call.contract(),
                                                    call.algebra.operand(), call.algebra.result());
      frees_zero = FreesZero(call.op, call.algebra.result());
    }
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (A::kSets) {
        if (exact && (call.operand(k).IsPoint(maps[k](i)) && ...)) {
          const Cell cell = call.naive->cells[static_cast<size_t>(i)];
          if (frees_zero) {
            PutFreeZero(call.result(), i, cell);
          } else {
            call.result().PutCell(i, cell);
          }
          continue;
        }
      }
      PutAt(call.result(), i, f(Reads::At(call.operand(k), maps[k](i))...));
    }
  };
  run(std::index_sequence_for<Reads...>{});
}

template <int arity, class A, class F>
void MapFloat(const Call<A>& call, const F& f) {
  static_assert(arity == 1 || arity == 2);
  if constexpr (arity == 1) Map<AsFloatOperand>(call, f);
  if constexpr (arity == 2) Map<AsFloatOperand, AsFloatOperand>(call, f);
}
template <int arity, class A, class F>
void MapInt(const Call<A>& call, const F& f) {
  static_assert(arity == 1 || arity == 2);
  if constexpr (arity == 1) Map<AsIntOperand>(call, f);
  if constexpr (arity == 2) Map<AsIntOperand, AsIntOperand>(call, f);
}
// By the dtype of operand 0; `f` is generic over both.
template <int arity, class A, class F>
void MapNumeric(const Call<A>& call, const F& f) {
  if (ir::IsFloat(call.algebra.operand())) {
    MapFloat<arity>(call, f);
  } else {
    MapInt<arity>(call, f);
  }
}

#define FAULTLINE_OP(enumerator, ...)            \
  void Run##enumerator(const Call<Exact>& call); \
  void Run##enumerator(const Call<Sets>& call);
#include "ir/op_table.def"
#undef FAULTLINE_OP

#define FAULTLINE_KERNEL(name)                                    \
  template <class A>                                              \
  static void name##Kernel(const Call<A>& call);                  \
  void Run##name(const Call<Exact>& call) { name##Kernel(call); } \
  void Run##name(const Call<Sets>& call) { name##Kernel(call); }  \
  template <class A>                                              \
  void name##Kernel([[maybe_unused]] const Call<A>& call)

struct KernelEntry {
  void (*exact)(const Call<Exact>&);
  void (*sets)(const Call<Sets>&);
};
const KernelEntry& KernelOf(ir::Opcode op);

}  // namespace faultline::reference

#endif  // REFERENCE_KERNEL_H_
