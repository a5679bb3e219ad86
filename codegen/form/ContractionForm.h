// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction as five groups of loops with a stride per operand, whatever it was: matmul, convolution,
//        batched, grouped, with any order of axes.
// Why:   one emitter then serves them all; it sees rows, columns and depth, never pixels and channels.
// How:   loops are sorted by which operands they walk, unit loops dropped, neighbours merged where every operand
//        allows.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
#define NACRE_CODEGEN_FORM_CONTRACTIONFORM_H

#include "codegen/form/ContractionShape.h"
#include "codegen/form/KernelForm.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::codegen {

/// An array that a contraction reads or writes.
struct ContractionOperand {
  unsigned argument = 0; ///< Of the kernel.
  int64_t offset = 0;
  mlir::Type elementType;
};

/// A loop and how far each operand moves with it: indices below, then one for each of the epilogue's own inputs.
struct ContractionLoop {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 6> strides;
};

struct Contraction {
  enum Index : unsigned { Lhs = 0, Rhs = 1, Result = 2, Extra = 3 };
  /// Lhs gives the rows, Rhs the columns.
  llvm::SmallVector<ContractionOperand, 6> operands;
  mlir::Type accumulatorType;
  const Work *product = nullptr;
  const Work *epilogue = nullptr; ///< Null where there is none.
  unsigned accumulatorInput = 0;  ///< Which of the epilogue's inputs is the product.
  const WrittenTensor *written = nullptr;

  llvm::SmallVector<ContractionLoop, 3> outer; ///< Batches and groups: they move every operand.
  llvm::SmallVector<ContractionLoop, 3> rows;  ///< They move Lhs and Result; the last one is the run. At least one.
  ContractionLoop columns;                     ///< Moves Rhs and Result, the latter by 1; of a depthwise one, Lhs too.
  llvm::SmallVector<ContractionLoop, 3> depth; ///< Reductions: they move Lhs and Rhs. At least one.

  /// Width of Rhs's panels; 0 where it lies as the tensor says. Panels are `panelStride` elements apart.
  int64_t panelWidth = 0, panelStride = 0;
  /// Every column has rows of its own: all three operands move by 1.
  bool depthwise = false;
  /// Not 0: Rhs is a filter in the encoding of Winograd, for tiles of so many outputs along each dimension. Rows are
  /// then images, rows and pixels, the depth is the filter's rows and pixels and the channels, none merged or dropped.
  int64_t winogradTile = 0;

  /// Which loop walks the cut axis, if one does: turns of it that one index of the axis stands for.
  enum class Cut { None, Outer, Rows, Columns };
  Cut cut = Cut::None;
  unsigned cutLoop = 0;  ///< Within its group.
  int64_t cutFactor = 1; ///< Inner loops were merged into it.
  unsigned cutAxis = 0;  ///< Of the target.
  int64_t cutExtent = 1;

  int64_t depthSize() const;
  double multiplyAdds() const;
};

/// What tiles are chosen by.
ContractionShape shapeOf(const Contraction &contraction);

/// Whether the body of `work` is acc + a * b, the operands converted first if need be.
bool isMultiplyAdd(const Work &work);

/// Sorts `form`, which must outlive the result. Rhs's argument is packed as `kernel` says. Fails for what is no
/// contraction of that kind: depthwise convolutions among others, which have no columns.
llvm::FailureOr<Contraction> parseContraction(plan::KernelOp kernel, const KernelForm &form);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
