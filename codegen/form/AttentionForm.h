// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel of attention as emitters see it: a product of scores, sweeps over rows of scores, and the product with the
//        values.
// Why:   the loops of all three are the same; read once, emitters of every engine walk them in their own blocks.
// How:   docs/phases/kernels.md says what the kernel holds; what is checked here is that sweeps can work in place, on the scores
//        of some rows.

#ifndef NACRE_CODEGEN_FORM_ATTENTIONFORM_H
#define NACRE_CODEGEN_FORM_ATTENTIONFORM_H

#include "codegen/form/ContractionForm.h"

namespace nacre::codegen {

struct AttentionForm {
  enum Index : unsigned { Queries = 0, Keys = 1, Values = 2, Result = 3 };

  std::shared_ptr<const KernelForm> kernel;
  std::array<ContractionOperand, 4> operands;
  // How far each loop moves each operand, by Index. `depth` moves queries and keys, `keys` keys and values.
  llvm::SmallVector<ContractionLoop, 4> batches;
  ContractionLoop rows, keys, depth, columns;
  std::optional<unsigned> cutBatch; ///< The loop that walks the cut axis; none where the rows do.

  /// Over [batches..., rows, keys], each with one result: of a score, which takes the former one's place, or of a row.
  llvm::ArrayRef<Work> sweeps;
  const Work *epilogue = nullptr; ///< It reads the second product and sums. May be null.
  const WrittenTensor *written = nullptr;

  // Of 8-bit codes. The first sweep reads sums of i32, and the last one that maps makes codes.
  bool isOfCodes = false;
  bool isUnsignedKeys = false, isUnsignedValues = false; ///< How they are widened.
  bool isUnsignedQueries = false;                        ///< And the weights.
  /// Sums of codes before the products, by what they are of: queries' of a row, keys' of a key, values' of a column. Null where nothing
  /// reads any.
  std::array<const Work *, 3> sums = {nullptr, nullptr, nullptr};
  unsigned firstSweep = 1; ///< Its number among the kernel's work.

  /// Which of `sums` an input of a sweep or the epilogue is.
  std::optional<Index> sumOf(const Input &input) const;
  /// Which of the sweeps, whose result is of a row.
  std::optional<unsigned> sweepOf(const Input &input) const;

  int64_t numBatches() const;
  double multiplyAdds() const;
};

/// Reads the body of `kernel`, of kind attention.
llvm::FailureOr<AttentionForm> parseAttention(plan::KernelOp kernel);

/// Whether `input` is of a row: a former sweep's result without keys.
bool isOfRow(const Input &input);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_ATTENTIONFORM_H
