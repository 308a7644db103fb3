// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Operands as an op sees them: decoded where it takes quantized ones for what they decode to,
// flushed where the contract lets subnormals be.

#ifndef REFERENCE_SEEN_OPERANDS_H_
#define REFERENCE_SEEN_OPERANDS_H_

#include <memory>
#include <span>
#include <vector>

#include "ir/program.h"
#include "reference/contract.h"
#include "reference/enclosure.h"
#include "reference/nature.h"

namespace faultline::reference {

// Holds what is put in place of operands; they point into it.
class SeenOperands {
 public:
  // `naive` are the operands of the naive run, or of the one that Nature chooses, where there is
  // one; `sets` what they may be.
  SeenOperands(const Contract& contract, const ir::Statement& application, Nature* nature,
               std::span<const Points*> naive, std::span<const Enclosure*> sets);

  // Whether some were decoded, and to which dtype.
  bool decoded() const { return decoded_; }
  ir::Dtype dtype() const { return dtype_; }

 private:
  void Decode(const Contract& contract, std::span<const Points*> naive,
              std::span<const Enclosure*> sets);
  void Flush(const Contract& contract, Nature* nature, std::span<const Points*> naive,
             std::span<const Enclosure*> sets);

  bool decoded_ = false;
  ir::Dtype dtype_ = ir::Dtype::kF32;
  std::vector<std::shared_ptr<const Points>> points_;
  std::vector<std::unique_ptr<const Enclosure>> sets_;
};

// Floats whose subnormals an op may see as zero of either sign.
Enclosure Flushed(const Contract& contract, const Enclosure& floats);

}  // namespace faultline::reference

#endif  // REFERENCE_SEEN_OPERANDS_H_
