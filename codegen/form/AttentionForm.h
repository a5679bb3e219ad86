// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel of attention as emitters see it: a product that computes scores, sweeps over rows of scores, and the
//        product of the result and the values.
// Why:   all three have the same loops. They are read once, and the emitters of each engine divide them into blocks.
// How:   docs/phases/kernels.md describes the kernel's contents. The reader checks that sweeps can work in place on
//        some rows of the scores.

#ifndef NACRE_CODEGEN_FORM_ATTENTIONFORM_H
#define NACRE_CODEGEN_FORM_ATTENTIONFORM_H

#include "codegen/form/ContractionForm.h"
#include "dialects/plan/KeyBounds.h"

namespace nacre::codegen {

struct AttentionForm {
  enum Index : unsigned { Queries = 0, Keys = 1, Values = 2, Result = 3 };

  std::shared_ptr<const KernelForm> kernel;
  std::array<ContractionOperand, 4> operands;
  // Each loop has a stride for each operand, in the order of Index. `depth` moves queries and keys; `keys` moves keys
  // and values.
  llvm::SmallVector<ContractionLoop, 4> batches;
  ContractionLoop rows, keys, depth, columns;
  /// Index in `batches` of the loop that walks the cut axis; `nullopt` if `rows` walks it.
  std::optional<unsigned> cutBatch;

  /// Operations over [batches..., rows, keys]. Each has one result: a score, which replaces the previous score, or one
  /// value per row.
  llvm::ArrayRef<Work> sweeps;
  const Work *epilogue = nullptr; ///< Epilogue, which reads the second product and the sums. May be null.
  const WrittenTensor *written = nullptr;

  /// Keys that a row sees. `nullopt` if it sees all keys, or if the offset differs between the rows of a batch.
  std::optional<plan::KeyBounds> bounds;
  const Input *offset = nullptr; ///< Offset of `bounds`, if it is an input.

  // True if the operands are 8-bit codes. Then the first sweep reads sums of i32, and the last sweep over scores
  // returns codes.
  bool isOfCodes = false;
  /// True if keys or values are extended with zeros, false if they are extended with their sign.
  bool isUnsignedKeys = false, isUnsignedValues = false;
  bool isUnsignedQueries = false; ///< Like isUnsignedKeys, for the queries and the weights.
  /// Sums of codes that are computed before the products: queries over a row, keys over a key, values over a column.
  /// Null if no operation reads them.
  std::array<const Work *, 3> sums = {nullptr, nullptr, nullptr};
  unsigned firstSweep = 1; ///< Index of the first sweep among the kernel's operations.

  /// Returns the index in `sums` that `input` of a sweep or of the epilogue reads. `nullopt` if it reads another value.
  std::optional<Index> sumOf(const Input &input) const;
  /// Returns the index of the sweep whose per-row result `input` reads. `nullopt` if it reads another value.
  std::optional<unsigned> sweepOf(const Input &input) const;
  /// Returns the values of `sweep` that are the index of its row or its key, each with `row` or `key`, which are i32.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> givePositions(const Work &sweep, mlir::Value row,
                                                                       mlir::Value key) const;

  int64_t numBatches() const;
  /// Returns the number of multiply-adds of both products, for the keys within the bounds (plan::computedPart).
  double multiplyAdds() const;
};

/// Reads the body of `kernel`, which has kind attention.
llvm::FailureOr<AttentionForm> parseAttention(plan::KernelOp kernel);

/// True if `input` has one value per row: it is the result of an earlier operation and does not have the last axis.
bool isOfRow(const Input &input);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_ATTENTIONFORM_H
