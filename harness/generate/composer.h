// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Draws statements onto a builder: operands, applications, lifetimes, reads. One constructor a
// shape rule of the op table, none an op, so that a new row is generated from the day it is there.

#ifndef HARNESS_GENERATE_COMPOSER_H_
#define HARNESS_GENERATE_COMPOSER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/generate/builder.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/generate.h"
#include "harness/generate/swarm.h"
#include "ir/op.h"

namespace faultline::harness {

class Steering;

// What a slot asks of its operand.
struct Need {
  ir::DtypeMask dtypes = ir::kAnyMask;
  int rank_min = 0;
  bool nonempty = false;
  ir::Domain domain = ir::Domain::kAny;
};

class Composer {
 public:
  // `steering` may be null. Everything must outlive the composer.
  Composer(ChoiceStream& choices, const Swarm& swarm, Builder& builder,
           Steering* steering = nullptr)
      : choices_(choices), swarm_(swarm), builder_(builder), steering_(steering) {}

  // One application (with what feeds it), drawn by the weights of the swarm. False if nothing was
  // added: out of work, or a few draws in a row came to nothing.
  bool AddOperation();
  // The same with a given op, and, if given, a first operand. kNoValue if nothing was added.
  ir::ValueId AddOperation(ir::Opcode op, ir::ValueId first = ir::kNoValue);
  // An application to the latest value, elementwise three times in four: a link of a chain.
  bool AddLink();

  // What may happen after an application: drops, a clone, a read, a sync, another stream.
  void AddActions();
  // A transaction of `size` values (drawn where negative), preceded by the drops that the swarm
  // asks for.
  void AddRead(int size = -1);
  // Reads what nothing has read yet and closes the program.
  void Finish();
  void MaybeSwitchStream();

  // A live value, a view of one, a conversion, or a new input that meets the need.
  ir::ValueId DrawOperand(const Need& need);
  // A live value that meets the need, newer ones first; kNoValue if there is none.
  ir::ValueId FindLive(const Need& need, uint32_t newest_percent);
  ir::ValueId NewInput(const ir::Type& type, ir::Domain domain = ir::Domain::kAny);
  // A new input with type and shape to match the need.
  ir::ValueId NewInput(const Need& need);
  // Exponents of powi, broadcast with `other`.
  ir::ValueId Exponent(ir::ValueId other);
  ir::ValueId NewIndex(const ir::Shape& shape, int64_t extent);
  // A view op on the value; never changes its dtype. kNoValue if none fits.
  ir::ValueId AddView(ir::ValueId value, bool keep_rank);
  ir::ValueId Convert(ir::ValueId value, ir::DtypeMask dtypes);
  ir::ValueId Quantize(ir::ValueId value);
  // The quantized result that an op on quantized operands may have instead of its float one.
  std::optional<ir::Type> Propagated(ir::Opcode op, std::span<const ir::Type> operands,
                                     std::span<const ir::Scalar> scalars,
                                     const ir::Attributes& attributes) const;
  ir::ValueId QuantizeWith(ir::ValueId value);

  // Elements an operation should be about, and may have at most.
  int64_t Aim() const;
  int64_t AimMax() const;
  ir::Dtype DrawDtype(ir::DtypeMask mask);
  // Scalars of the op, whose elements are of `dtype`.
  std::vector<ir::Scalar> DrawScalars(const ir::OpInfo& info, ir::Dtype dtype);

  ChoiceStream& choices() { return choices_; }
  Builder& builder() { return builder_; }
  const Swarm& swarm() const { return swarm_; }

 private:
  bool Meets(ir::ValueId value, const Need& need) const;
  ir::ValueId Apply(ir::Opcode op, std::span<const ir::ValueId> operands,
                    const ir::Attributes& attributes = {},
                    std::optional<ir::Type> declared = std::nullopt);
  // The same for results whose dtype is declared: `index`, where it is one of indices.
  ir::ValueId ApplyWithIndex(ir::Opcode op, ir::ValueId operand, const ir::Attributes& attributes,
                             ir::Dtype index);

  // One a shape rule.
  ir::ValueId Unary(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Broadcast(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Creation(const ir::OpInfo& info);
  ir::ValueId View(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Cat(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Indexed(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId SliceAssign(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Reduction(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Matmul(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Meshgrid(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Stack(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId OneHot(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Cross(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Embedding(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Linear(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId Normalize(const ir::OpInfo& info, ir::ValueId first);
  ir::ValueId QMatmul(ir::ValueId first);

  ir::ValueId First(const ir::OpInfo& info, ir::ValueId first, int rank_min = 0);
  // An operand with the dtype of `other` whose shape broadcasts with it.
  ir::ValueId Partner(ir::ValueId other, ir::Domain domain);
  ir::ValueId PartnerOfSame(ir::ValueId other);
  // A new input that differs from an input by neighbouring values here and there; else kNoValue.
  ir::ValueId Twin(ir::ValueId input);
  ir::ValueId Mask(ir::ValueId other);
  ir::Shape PartnerShape(const ir::Shape& shape);
  // A value of exactly this type.
  ir::ValueId Exactly(const ir::Type& type, ir::Domain domain = ir::Domain::kAny);
  ir::ValueId Index(const ir::Shape& shape, int64_t extent);
  ir::ValueId PlacesIndex(const ir::OpInfo& info, const ir::Attributes& attributes,
                          const ir::Shape& shape);
  ir::ValueId LiveOf(const ir::Type& type);
  ir::ValueId ParameterOf(const ir::Type& type, ir::Domain domain = ir::Domain::kAny);

  std::vector<ir::SliceTriple> DrawSlices(const ir::Shape& shape);
  ir::Shape DrawReshape(const ir::Shape& shape);
  ChoiceStream& choices_;
  const Swarm& swarm_;
  Builder& builder_;
  Steering* steering_;
};

// The attributes of a view op other than declared shapes, for an operand of this shape. False if
// the op makes no sense there (an axis of a rank-0 tensor).
bool DrawViewAttributes(ChoiceStream& choices, const ir::OpInfo& info, const ir::Shape& shape,
                        ir::Attributes& attributes);
// Makes the update of a scattering op one that the dtype has.
void FitUpdate(ir::Dtype dtype, ir::Attributes& attributes);
// The extent of window that an unfold is declared with, for an axis of this extent.
int64_t DrawWindow(ChoiceStream& choices, int64_t extent);
// What an index operand may name: along dim, or, of tuples of `tuple` (ir::TupleOf), by the
// shortest axis.
int64_t IndexBound(const ir::Attributes& attributes, const ir::Shape& shape, int64_t tuple);
// The shape of the values that a lookup with this index reads or writes.
ir::Shape PlacesShape(const ir::OpInfo& info, const ir::Attributes& attributes,
                      const ir::Shape& shape, const ir::Shape& index);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_COMPOSER_H_
