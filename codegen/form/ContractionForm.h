// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction as emitters see it: a product of matrices, a depthwise convolution, or a convolution by
//        Winograd. Loops have a stride per operand, for pixels, batches and groups in any order of axes.
// Why:   one emitter serves all products; it sees rows, columns and depth, never pixels and channels.
// How:   a struct for the members that all kinds share, then a struct for each kind. The kind depends on the kernel, on
//        the encoding of its weight and, on a CPU, on its note (dialects/plan/Notes.h). PlainContraction.h is a
//        contraction before this choice.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
#define NACRE_CODEGEN_FORM_CONTRACTIONFORM_H

#include "codegen/form/ContractionPrologue.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/DepthGroups.h"
#include "codegen/form/KernelForm.h"
#include "codegen/form/Winograd.h"
#include <memory>
#include <variant>

namespace nacre::codegen {

/// An array that a contraction reads or writes.
struct ContractionOperand {
  unsigned argument = 0; ///< Argument of the kernel.
  int64_t offset = 0;
  mlir::Type elementType;
  /// Elements from one panel to the next, if the operand is a result, or an input of an epilogue, that lies in panels
  /// (Contraction::resultWidth). 0 if the operand is row-major.
  int64_t panelStride = 0;
};

/// A loop and its stride for each operand: those of Contraction::Index, then the epilogue's own inputs, then further
/// results and operands of the prologue.
struct ContractionLoop {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 6> strides;
};

/// Returns the number of iterations of nested `loops`.
int64_t iterationsOf(llvm::ArrayRef<ContractionLoop> loops);

/// Members that all kinds of contraction share.
struct Contraction {
  enum Index : unsigned { Lhs = 0, Rhs = 1, Result = 2, Extra = 3 };
  /// The operands. Lhs gives the rows, Rhs the columns. If there is a prologue, Lhs is the first operand that it reads.
  llvm::SmallVector<ContractionOperand, 6> operands;
  ContractionLoop columns; ///< Moves Result by 1.
  mlir::Type accumulatorType;
  /// True if integers are extended to the accumulator's type with zeros, false if with their sign.
  bool isUnsignedLhs = false, isUnsignedRhs = false;
  /// True if the operands are signed bytes and Rhs has no -128, so that the sum of two products fits 16 bits.
  bool pairsFit = false;

  /// True if sums are integers. These wrap, so they may be added up in any order.
  bool isOfIntegers() const { return accumulatorType.isInteger(); }

  // Parts of `kernel`, which lives as long as they do.
  std::shared_ptr<const KernelForm> kernel;
  const Work *product = nullptr;
  const Work *epilogue = nullptr; ///< Null if there is no epilogue.
  /// Part of the product that each of the epilogue's inputs reads; `nullopt` for the epilogue's own inputs.
  llvm::SmallVector<std::optional<unsigned>> productInputs;
  /// Number of parts, each with `columns` columns, that follow one another in Rhs. The epilogue reads the same column
  /// of several parts.
  int64_t parts = 1;
  llvm::SmallVector<unsigned, 2> results{
      Result};             ///< Operands that are written. Further ones follow the extra operands.
  int64_t resultWidth = 0; ///< Columns of the panels of operands from Result on; 0 if none of them is in panels.
  const WrittenTensor *written = nullptr; ///< The first target.
  std::optional<ContractionPrologue> prologue;

  /// Returns the type in which the product's left factor is read or computed.
  mlir::Type leftType() const { return prologue ? prologue->elementType : operands[Lhs].elementType; }

  unsigned cutAxis = 0; ///< Cut axis of the target.
  int64_t cutExtent = 1;
};

/// Loops sorted by which operands they move. Unit loops are dropped; neighbors are merged if every operand allows it.
struct LoopedContraction : Contraction {
  llvm::SmallVector<ContractionLoop, 3> outer; ///< Batches and groups: they move every operand.
  /// Loops that move Lhs and Result; the last one is the run. At least one.
  llvm::SmallVector<ContractionLoop, 3> rows;
  llvm::SmallVector<ContractionLoop, 3> depth; ///< Reductions: they move Lhs and Rhs. At least one.

  /// The group of the loop that walks the cut axis, if a loop does.
  enum class Cut { None, Outer, Rows, Columns };
  Cut cut = Cut::None;
  unsigned cutLoop = 0; ///< Index of that loop in its group.
  /// Iterations of that loop for each index of the cut axis; above 1 if inner loops were merged into it.
  int64_t cutFactor = 1;
  DepthGroups groups; ///< Groups of steps. If k > 1, an iteration of the innermost depth loop is one group.

  /// Returns the number of steps of all depth loops together.
  int64_t depthSize() const;
  double multiplyAdds() const;
};

/// A weight in panels: for each step of the depth, `width` columns of each part lie side by side. `stride` is the
/// number of elements from one panel to the next.
struct Panels {
  int64_t width = 0, stride = 0;
  int64_t k = 1; ///< Steps of a column side by side.
};

/// A product whose columns move Rhs but not Lhs.
struct MatrixProduct : LoopedContraction {
  std::optional<Panels> panels; ///< Panels of Rhs; `nullopt` if Rhs is row-major.
};

/// A contraction in which every column has its own rows. Columns are channels and move all three operands by 1.
struct DepthwiseConvolution : LoopedContraction {};

/// A 2D convolution that is computed in tiles by `method` along both dimensions. Rhs is in panels, with `channels` rows
/// of a panel from one tap to the next. Each group's columns begin a new panel.
struct WinogradConvolution : Contraction {
  ContractionLoop images, down, across; ///< Loops that move Lhs and Result.
  ContractionLoop channels;             ///< Input channels; contiguous in Lhs.
  ContractionLoop groups;               ///< Groups of channels and columns; size 1 if the convolution has no groups.
  winograd::Method method;
  Panels panels;
  bool cutAmongImages = false; ///< True if the cut axis walks images, false if rows.

  /// Returns the multiply-adds of the direct convolution.
  double multiplyAdds() const;
};

/// The gradient of such a convolution's filter: taps and input channels by columns, added up over all pixels. Rhs is
/// the gradient of the convolution's result, row-major.
struct WinogradGradient : Contraction {
  ContractionLoop images, down, across; ///< Loops that move Lhs and Rhs.
  ContractionLoop tapsDown, tapsAcross; ///< Loops that move Lhs and Result.
  ContractionLoop channels;             ///< Input channels; contiguous in Lhs.
  winograd::Method method;

  double multiplyAdds() const;
};

using ContractionForm = std::variant<MatrixProduct, DepthwiseConvolution>;

/// Reads the body of `kernel` with the encodings of its weights. Fails if it is not a contraction.
llvm::FailureOr<ContractionForm> parseContraction(plan::KernelOp kernel);

/// Reads a convolution that the CPU computes by Winograd. Fails if `kernel` has no Winograd note.
llvm::FailureOr<WinogradConvolution> parseWinograd(plan::KernelOp kernel);

/// Reads the gradient of a filter that the CPU computes by Winograd. Fails if `kernel` has no Winograd note.
llvm::FailureOr<WinogradGradient> parseWinogradGradient(plan::KernelOp kernel);

/// Returns the sizes by which tiles are chosen.
ContractionShape shapeOf(const LoopedContraction &contraction);
WinogradShape shapeOf(const WinogradConvolution &convolution);
WinogradShape shapeOf(const WinogradGradient &gradient); ///< Returns the sizes of the convolution, not of its gradient.

/// Returns the arguments of the epilogue's body: `sums` for the parts of the product, the results of `load` for the
/// operands from Extra on, and a `constant` for each result's accumulator. An all-parallel body does not read these
/// accumulators.
llvm::SmallVector<mlir::Value> epilogueArguments(const Contraction &contraction, llvm::ArrayRef<mlir::Value> sums,
                                                 llvm::function_ref<mlir::Value(unsigned operand)> load,
                                                 llvm::function_ref<mlir::Value(mlir::TypedAttr)> constant);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
