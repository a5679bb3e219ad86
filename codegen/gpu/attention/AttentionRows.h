// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of attention that a workgroup computes, and the sweeps over their scores.
// Why:   one emitter multiplies by invocations, the other by matrices. Both use the same choice of rows and the same
//        softmax.
// How:   invocations share the rows evenly, and adjacent invocations have adjacent parts of one row. An emitter decides
//        which scores of its row an invocation keeps in registers. Sweeps work on these scores.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H
#define NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H

#include "codegen/gpu/attention/AttentionOperands.h"
#include "codegen/gpu/attention/KeyRange.h"

namespace nacre::codegen::gpu {

/// A score that an invocation keeps from the first sweep to the last one.
struct KeptScore {
  mlir::Value key;    ///< Index of the key, clamped to the last one.
  mlir::Value inside; ///< True if the score exists and belongs to this invocation; null if that is certain.
  mlir::Value score;
};

class AttentionRows {
public:
  AttentionRows(const AttentionForm &form, KernelFunction &function)
      : form(form), function(function), build(function), operands(form, build), type(build.ops.getF32Type()) {}

  const AttentionForm &form;
  KernelFunction &function;
  PointBuilder build;
  AttentionOperands operands;
  const mlir::Type type;        ///< Type of scores and sums.
  int64_t rows = 1;             ///< Number of rows of a workgroup; a power of two.
  mlir::Value firstRow, endRow; ///< Range of rows of this workgroup.

  /// True if shaders support the sweeps and the types of the operands. If a type is not supported, sets
  /// `function.declined`.
  bool canSweep();
  /// Divides the work into workgroups, and writes the halo of the share.
  void divide(int64_t rows, int64_t invocations);

  /// Returns the keys that the workgroup's rows see, at least one. Scores of other keys need not be computed, because
  /// the first sweep hides them.
  KeyRange visibleKeys();

  /// Returns the workgroup's row with index `number`, clamped to the last row.
  mlir::Value rowAt(mlir::Value number) { return least(build.add(firstRow, number), lastRow); }
  int64_t perRow() const { return function.workgroupSize / rows; } ///< Number of invocations of a row.
  mlir::Value sweptRow() { return quotient(function.invocation, perRow()); }
  mlir::Value laneOfRow() { return remainder(function.invocation, perRow()); }

  /// Emits all sweeps. Callers need a barrier before they overwrite data that the last sweep reads.
  void sweep(llvm::MutableArrayRef<KeptScore> kept);

  /// Returns `value`, or zero if `inside` is false. A null `inside` means true. Callers use it where a weight of zero
  /// must cancel infinite elements.
  mlir::Value zeroUnless(mlir::Value inside, mlir::Value value);

  /// Returns the result of the epilogue for `sum`.
  mlir::Value finished(mlir::Value sum, unsigned width);

  mlir::Value index(int64_t value) { return build.index(value); }
  mlir::Value remainder(mlir::Value value, int64_t by);
  mlir::Value quotient(mlir::Value value, int64_t by);
  mlir::Value least(mlir::Value a, mlir::Value b);

private:
  mlir::Value clamped(mlir::Value value, int64_t low, int64_t high);
  /// Returns the position of the workgroup's first row among the keys, which may be negative.
  mlir::Value firstPosition();
  llvm::SmallVector<mlir::Value> inputsOf(const Work &sweep, const KeptScore &one);
  mlir::Value loadMask(const Access &access, mlir::Value key);
  /// Inlines the body of a sweep over scores for one score with the given key.
  mlir::Value inlineMap(const Work &sweep, llvm::ArrayRef<mlir::Value> arguments, mlir::Value key);
  void emitMap(const Work &sweep, llvm::MutableArrayRef<KeptScore> kept);
  void emitReduction(unsigned number, llvm::ArrayRef<KeptScore> kept);

  mlir::Value lastRow;
  /// Results of reductions for this invocation's row, by the index of the operation.
  llvm::DenseMap<unsigned, mlir::Value> rowValues;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H
