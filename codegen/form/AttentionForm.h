// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel of attention as emitters see it: a product that gives scores, sweeps over rows of scores, and the
//        product with the values.
// Why:   all three have the same loops. They are read once, and emitters of every engine walk them in their own blocks.
// How:   docs/phases/kernels.md describes the kernel's contents. The reader checks that sweeps can work in place on the
//        scores of some rows.

#ifndef NACRE_CODEGEN_FORM_ATTENTIONFORM_H
#define NACRE_CODEGEN_FORM_ATTENTIONFORM_H

#include "codegen/form/ContractionForm.h"

namespace nacre::codegen {

struct AttentionForm {
  enum Index : unsigned { Queries = 0, Keys = 1, Values = 2, Result = 3 };

  std::shared_ptr<const KernelForm> kernel;
  std::array<ContractionOperand, 4> operands;
  // Each loop has a stride per operand, by Index. `depth` moves queries and keys; `keys` moves keys and values.
  llvm::SmallVector<ContractionLoop, 4> batches;
  ContractionLoop rows, keys, depth, columns;
  std::optional<unsigned> cutBatch; ///< The loop of `batches` that walks the cut axis; `nullopt` if the rows do.

  /// Work over [batches..., rows, keys]. Each has one result: a score, which replaces the former one, or a number of a
  /// row.
  llvm::ArrayRef<Work> sweeps;
  const Work *epilogue = nullptr; ///< Reads the second product and sums. May be null.
  const WrittenTensor *written = nullptr;

  // True if the operands are 8-bit codes. Then the first sweep reads sums of i32, and the last sweep over scores
  // returns codes.
  bool isOfCodes = false;
  /// True if keys or values are extended with zeros, false if with their sign.
  bool isUnsignedKeys = false, isUnsignedValues = false;
  bool isUnsignedQueries = false; ///< The same for the queries and the weights.
  /// Sums of codes before the products: queries over a row, keys over a key, values over a column. Null if nothing
  /// reads them.
  std::array<const Work *, 3> sums = {nullptr, nullptr, nullptr};
  unsigned firstSweep = 1; ///< Number of the first sweep among the kernel's work.

  /// Returns which of `sums` an input of a sweep or of the epilogue reads, if it reads one.
  std::optional<Index> sumOf(const Input &input) const;
  /// Returns which sweep `input` reads, if that sweep's result is a number for each row.
  std::optional<unsigned> sweepOf(const Input &input) const;

  int64_t numBatches() const;
  double multiplyAdds() const;
};

/// Reads the body of `kernel`, which has kind attention.
llvm::FailureOr<AttentionForm> parseAttention(plan::KernelOp kernel);

/// True if `input` has one value for each row: an earlier operation's result without the last axis.
bool isOfRow(const Input &input);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_ATTENTIONFORM_H
