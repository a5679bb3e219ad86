// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction as emitters see it: a product of matrices, a depthwise convolution, or a Winograd convolution.
//        Loops have a stride for each operand, so pixels, batches and groups may be in any order of axes.
// Why:   one emitter serves all products. It sees rows, columns and depth, but no pixels or channels.
// How:   a struct has the members that all kinds share, and a derived struct those of each kind. The kind depends on
//        the kernel, on the encoding of its weight and, on a CPU, on its note (dialects/plan/Notes.h).
//        PlainContraction.h is a contraction before this choice.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
#define NACRE_CODEGEN_FORM_CONTRACTIONFORM_H

#include "codegen/form/ContractionPrologue.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/DepthGroups.h"
#include "codegen/form/KernelForm.h"
#include "codegen/form/RightDecode.h"
#include "codegen/form/Winograd.h"
#include <memory>
#include <variant>

namespace nacre::codegen {

/// An array that a contraction reads or writes.
struct ContractionOperand {
  unsigned argument = 0; ///< Index of the kernel's argument.
  int64_t offset = 0;
  mlir::Type elementType;
  /// Distance between panels in elements, if the operand is in panels (Contraction::resultWidth). Only results and
  /// inputs of an epilogue can be in panels. 0 if the operand is row-major.
  int64_t panelStride = 0;
};

/// A loop and its stride for each operand. The operands are those of Contraction::Index, then the epilogue's other
/// inputs, then further results and operands of the prologue.
struct ContractionLoop {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 6> strides;
};

/// Returns the number of iterations of nested `loops`.
int64_t iterationsOf(llvm::ArrayRef<ContractionLoop> loops);

/// Members that all kinds of contraction share.
struct Contraction {
  enum Index : unsigned { Lhs = 0, Rhs = 1, Result = 2, Extra = 3 };
  /// The operands, in the order of Index. Lhs has the rows, Rhs the columns. With a prologue, Lhs is the first operand
  /// that the prologue reads.
  llvm::SmallVector<ContractionOperand, 6> operands;
  ContractionLoop columns; ///< Loop over columns, whose stride in Result is 1.
  mlir::Type accumulatorType;
  /// Storage of Rhs; `nullopt` if it is stored as it is multiplied. Integers have none, because instructions extend
  /// them.
  std::optional<RightDecode> right;
  /// True if integers are extended to the accumulator's type with zeros, false if they are extended with their sign.
  bool isUnsignedLhs = false, isUnsignedRhs = false;
  /// True if the operands are signed bytes and Rhs has no -128, so that the sum of two products fits into 16 bits.
  bool pairsFit = false;
  /// Number of steps that may be added up in f16 before they are added to sums of the accumulator's type; 0 if all sums
  /// have that type. Only set if both operands are f16 in memory.
  int64_t halfSums = 0;

  /// True if sums are integers. Integer sums wrap, so their terms may be added in any order.
  bool isOfIntegers() const { return accumulatorType.isInteger(); }

  // Members that point into `kernel`, which this pointer keeps alive.
  std::shared_ptr<const KernelForm> kernel;
  const Work *product = nullptr;
  const Work *epilogue = nullptr; ///< Null if there is no epilogue.
  /// Index of the product's part that each input of the epilogue reads; `nullopt` for inputs that are not the product.
  llvm::SmallVector<std::optional<unsigned>> productInputs;
  /// Number of parts of Rhs, which follow one another. Each part has `columns` columns. The epilogue reads the same
  /// column of several parts.
  int64_t parts = 1;
  llvm::SmallVector<unsigned, 2> results{
      Result}; ///< Operands that are written. Results after the first follow the extra operands.
  /// Number of columns of a panel of the operands from Result on; 0 if no operand is in panels.
  int64_t resultWidth = 0;
  const WrittenTensor *written = nullptr; ///< The first target.
  std::optional<ContractionPrologue> prologue;

  /// Returns the type in which the product's left factor is loaded or computed.
  mlir::Type leftType() const { return prologue ? prologue->elementType : operands[Lhs].elementType; }

  /// Returns the type of an element of Rhs in memory.
  mlir::Type rightType() const { return right ? right->stored : operands[Rhs].elementType; }

  unsigned cutAxis = 0; ///< Cut axis of the target.
  int64_t cutExtent = 1;
};

/// A contraction whose loops are sorted by the operands that they move. Loops of one iteration are dropped. Neighbors
/// are merged if every operand allows it.
struct LoopedContraction : Contraction {
  llvm::SmallVector<ContractionLoop, 3> outer; ///< Loops over batches and groups, which move every operand.
  /// Loops that move Lhs and Result. There is at least one; the last loop is the run.
  llvm::SmallVector<ContractionLoop, 3> rows;
  /// Loops of the reduction, which move Lhs and Rhs. There is at least one.
  llvm::SmallVector<ContractionLoop, 3> depth;

  /// Group of loops that contains the loop over the cut axis. None if no single loop walks it.
  enum class Cut { None, Outer, Rows, Columns };
  Cut cut = Cut::None;
  unsigned cutLoop = 0; ///< Index of that loop in its group.
  /// Number of iterations of that loop for each index of the cut axis; above 1 if inner loops were merged into it.
  int64_t cutFactor = 1;
  DepthGroups groups; ///< Groups of steps. If k > 1, an iteration of the innermost depth loop is one group.

  /// Returns the total number of steps of all depth loops.
  int64_t depthSize() const;
  double multiplyAdds() const;
};

/// A weight in panels. For each step of the depth, `width` columns of each part lie side by side. `stride` is the
/// distance between panels in elements.
struct Panels {
  int64_t width = 0, stride = 0;
  int64_t k = 1; ///< Number of steps of a column that lie side by side.
};

/// A product of matrices: its columns move Rhs but not Lhs.
struct MatrixProduct : LoopedContraction {
  std::optional<Panels> panels; ///< Panels of Rhs; `nullopt` if Rhs is row-major.
};

/// A contraction in which every column has separate rows of Lhs. Columns are channels and move all three operands by 1.
struct DepthwiseConvolution : LoopedContraction {};

/// A 2D convolution that is computed in tiles by `method` along both dimensions. Rhs is in panels. From one tap to the
/// next, a panel has `channels` rows. The columns of each group begin a new panel.
struct WinogradConvolution : Contraction {
  ContractionLoop images, down, across; ///< Loops that move Lhs and Result.
  ContractionLoop channels;             ///< Input channels; contiguous in Lhs.
  ContractionLoop groups;               ///< Groups of channels and columns; size 1 if the convolution has no groups.
  winograd::Method method;
  Panels panels;
  bool cutAmongImages = false; ///< True if the cut axis is the images, false if it is the rows of an image.

  /// Returns the multiply-adds of the direct convolution.
  double multiplyAdds() const;
};

/// The gradient of a Winograd convolution's filter. It has taps and input channels by columns, and adds up over all
/// pixels. Rhs is the gradient of the convolution's result, row-major.
struct WinogradGradient : Contraction {
  ContractionLoop images, down, across; ///< Loops that move Lhs and Rhs.
  ContractionLoop tapsDown, tapsAcross; ///< Loops that move Lhs and Result.
  ContractionLoop channels;             ///< Input channels; contiguous in Lhs.
  winograd::Method method;

  double multiplyAdds() const;
};

using ContractionForm = std::variant<MatrixProduct, DepthwiseConvolution>;

/// Reads the body of `kernel`, whose weights may have encodings. Fails if the body is not a contraction.
llvm::FailureOr<ContractionForm> parseContraction(plan::KernelOp kernel);

/// Reads a convolution that the CPU computes by Winograd. Fails if `kernel` has no Winograd note.
llvm::FailureOr<WinogradConvolution> parseWinograd(plan::KernelOp kernel);

/// Reads the gradient of a filter that the CPU computes by Winograd. Fails if `kernel` has no Winograd note.
llvm::FailureOr<WinogradGradient> parseWinogradGradient(plan::KernelOp kernel);

/// Returns the sizes that the choice of tiles depends on.
ContractionShape shapeOf(const LoopedContraction &contraction);
WinogradShape shapeOf(const WinogradConvolution &convolution);
WinogradShape shapeOf(const WinogradGradient &gradient); ///< Returns the sizes of the convolution itself.

/// Returns the arguments of the epilogue's body: `sums` for the parts of the product, `load(operand)` for the operands
/// from Extra on, and a `constant` for each result's accumulator. An all-parallel body does not read these
/// accumulators.
llvm::SmallVector<mlir::Value> epilogueArguments(const Contraction &contraction, llvm::ArrayRef<mlir::Value> sums,
                                                 llvm::function_ref<mlir::Value(unsigned operand)> load,
                                                 llvm::function_ref<mlir::Value(mlir::TypedAttr)> constant);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
