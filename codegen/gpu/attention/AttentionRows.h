// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of attention that a workgroup takes, and the sweeps over their scores.
// Why:   emitters multiply invocation by invocation or by matrices; which rows there are and what a softmax does is the same.
// How:   invocations share the rows evenly, neighbours have neighbouring parts of one row. An emitter says which scores of its
//        row an invocation keeps in registers; sweeps work on these.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H
#define NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H

#include "codegen/gpu/attention/AttentionOperands.h"

namespace nacre::codegen::gpu {

/// A score that an invocation keeps from the first sweep to the last.
struct KeptScore {
  mlir::Value key;    ///< One that there is.
  mlir::Value inside; ///< Whether it is this one's; null where it is for certain.
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
  const mlir::Type type;        ///< Of scores and sums.
  int64_t rows = 1;             ///< Of a workgroup; a power of two.
  mlir::Value firstRow, endRow; ///< Of this workgroup.

  /// Whether sweeps and operands are of kinds that shaders have; else says why not.
  bool canSweep();
  /// Divides the work into workgroups; writes the border of the share.
  void divide(int64_t rows, int64_t invocations);

  /// Of the workgroup's row of that number; beyond the last one, the last.
  mlir::Value rowAt(mlir::Value number) { return least(build.add(firstRow, number), lastRow); }
  int64_t perRow() const { return function.workgroupSize / rows; } ///< Invocations.
  mlir::Value sweptRow() { return quotient(function.invocation, perRow()); }
  mlir::Value laneOfRow() { return remainder(function.invocation, perRow()); }

  /// All sweeps; ends without a barrier behind the last one's reads.
  void sweep(llvm::MutableArrayRef<KeptScore> kept);

  /// Zero where `inside`, which is null where it holds for certain, does not hold: what a weight of zero multiplies must not
  /// be infinite.
  mlir::Value zeroUnless(mlir::Value inside, mlir::Value value);

  /// What the epilogue makes of a sum.
  mlir::Value finished(mlir::Value sum, unsigned width);

  mlir::Value index(int64_t value) { return build.index(value); }
  mlir::Value remainder(mlir::Value value, int64_t by);
  mlir::Value quotient(mlir::Value value, int64_t by);
  mlir::Value least(mlir::Value a, mlir::Value b);

private:
  llvm::SmallVector<mlir::Value> inputsOf(const Work &sweep, const KeptScore &one);
  mlir::Value loadMask(const Access &access, mlir::Value key);
  void emitMap(const Work &sweep, llvm::MutableArrayRef<KeptScore> kept);
  void emitReduction(unsigned number, llvm::ArrayRef<KeptScore> kept);

  mlir::Value lastRow;
  llvm::DenseMap<unsigned, mlir::Value> rowValues; ///< By work, of this invocation's swept row.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_ATTENTIONROWS_H
