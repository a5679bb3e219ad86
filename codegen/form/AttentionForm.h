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
  const Work *epilogue = nullptr; ///< Of the second product alone; null where there is none.
  const WrittenTensor *written = nullptr;

  int64_t numBatches() const;
  double multiplyAdds() const;
};

/// Reads the body of `kernel`, of kind attention.
llvm::FailureOr<AttentionForm> parseAttention(plan::KernelOp kernel);

/// Whether `input` is of a row: a former sweep's result without keys.
bool isOfRow(const Input &input);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_ATTENTIONFORM_H
