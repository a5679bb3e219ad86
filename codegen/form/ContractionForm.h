// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction as what it is to an emitter: a product of matrices, a depthwise convolution, or a convolution by
//        Winograd. Loops have a stride per operand, whatever they were: pixels, batches, groups, in any order of axes.
// Why:   one emitter serves all products; it sees rows, columns and depth, never pixels and channels.
// How:   what all kinds have, then a struct for each. Which kind it is depends on the kernel, on how its weight is
//        encoded and, on a CPU, on its note (dialects/plan/Notes.h): PlainContraction.h is a contraction before that, and
//        makes each kind of it.

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
  unsigned argument = 0; ///< Of the kernel.
  int64_t offset = 0;
  mlir::Type elementType;
  /// Of a result, or of what an epilogue reads, that lies in panels (Contraction::resultWidth): elements from one to the next. 0
  /// where it lies as the tensor says.
  int64_t panelStride = 0;
};

/// A loop and how far each operand moves with it: indices below, then one for each of the epilogue's own inputs, then those
/// of further results and of the prologue.
struct ContractionLoop {
  int64_t size = 1;
  llvm::SmallVector<int64_t, 6> strides;
};

/// Of all of them, one within the other.
int64_t iterationsOf(llvm::ArrayRef<ContractionLoop> loops);

/// What all kinds have.
struct Contraction {
  enum Index : unsigned { Lhs = 0, Rhs = 1, Result = 2, Extra = 3 };
  /// Lhs gives the rows, Rhs the columns. Where Lhs has a prologue, it is the first that this reads.
  llvm::SmallVector<ContractionOperand, 6> operands;
  ContractionLoop columns; ///< Moves Result by 1.
  mlir::Type accumulatorType;
  /// How operands of integers are extended to the accumulator's type: with zeros, else with their sign.
  bool isUnsignedLhs = false, isUnsignedRhs = false;
  /// Of bytes with a sign: two products add up to a number of 16 bits, because Rhs has no -128.
  bool pairsFit = false;

  /// Sums of integers wrap: they may be added up in any order.
  bool isOfIntegers() const { return accumulatorType.isInteger(); }

  // Parts of `kernel`, which lives as long as they.
  std::shared_ptr<const KernelForm> kernel;
  const Work *product = nullptr;
  const Work *epilogue = nullptr; ///< Null where there is none.
  /// For each of the epilogue's inputs, the part of the product that it is; none for its own.
  llvm::SmallVector<std::optional<unsigned>> productInputs;
  /// Rhs has so many times `columns`, part after part; the epilogue reads the same column of several parts.
  int64_t parts = 1;
  llvm::SmallVector<unsigned, 2> results{
      Result};             ///< The operands that are written: further ones behind the extra ones.
  int64_t resultWidth = 0; ///< Columns of the panels that operands from Result on lie in; 0 where none does.
  const WrittenTensor *written = nullptr; ///< The first.
  std::optional<ContractionPrologue> prologue;

  /// In which the products' left factor is read, or made.
  mlir::Type leftType() const { return prologue ? prologue->elementType : operands[Lhs].elementType; }

  unsigned cutAxis = 0; ///< Of the target.
  int64_t cutExtent = 1;
};

/// Loops sorted by which operands they move; unit loops dropped, neighbours merged where every operand allows.
struct LoopedContraction : Contraction {
  llvm::SmallVector<ContractionLoop, 3> outer; ///< Batches and groups: they move every operand.
  llvm::SmallVector<ContractionLoop, 3> rows;  ///< They move Lhs and Result; the last one is the run. At least one.
  llvm::SmallVector<ContractionLoop, 3> depth; ///< Reductions: they move Lhs and Rhs. At least one.

  /// Which loop walks the cut axis, if one does: iterations of it that one index of the axis stands for.
  enum class Cut { None, Outer, Rows, Columns };
  Cut cut = Cut::None;
  unsigned cutLoop = 0;  ///< Within its group.
  int64_t cutFactor = 1; ///< Inner loops were merged into it.
  DepthGroups groups;    ///< With k > 1, an iteration of the innermost loop of the depth is a group of its steps.

  /// Steps of all.
  int64_t depthSize() const;
  double multiplyAdds() const;
};

/// A weight in panels: so many columns of each part side by side for each step of the depth; elements from a panel to the
/// next.
struct Panels {
  int64_t width = 0, stride = 0;
  int64_t k = 1; ///< Steps of a column side by side.
};

/// Columns move Rhs, and Lhs not.
struct MatrixProduct : LoopedContraction {
  std::optional<Panels> panels; ///< Of Rhs; none where it lies as the tensor says.
};

/// Every column has rows of its own: columns, which are channels, move all three operands by 1.
struct DepthwiseConvolution : LoopedContraction {};

/// A convolution in two dimensions that is computed in tiles by `method` along both. Rhs is in panels, in which the taps
/// of a channel are so many channels apart; a group's columns begin with a panel of their own.
struct WinogradConvolution : Contraction {
  ContractionLoop images, down, across; ///< They move Lhs and Result.
  ContractionLoop channels;             ///< Of the input: one after another in Lhs.
  ContractionLoop groups;               ///< Of channels and columns; one in a convolution that has none.
  winograd::Method method;
  Panels panels;
  bool cutAmongImages = false; ///< Else among rows.

  /// Of a direct convolution.
  double multiplyAdds() const;
};

/// The gradient of such a convolution's filter: taps and channels of the input by columns, added up over all pixels. Rhs is the
/// gradient of the convolution's result, as the tensor lies.
struct WinogradGradient : Contraction {
  ContractionLoop images, down, across; ///< They move Lhs and Rhs,
  ContractionLoop tapsDown, tapsAcross; ///< these Lhs and Result.
  ContractionLoop channels;             ///< Of the input: one after another in Lhs.
  winograd::Method method;

  double multiplyAdds() const;
};

using ContractionForm = std::variant<MatrixProduct, DepthwiseConvolution>;

/// Reads the body of `kernel`, which says how its weights are encoded. Fails for what is no contraction.
llvm::FailureOr<ContractionForm> parseContraction(plan::KernelOp kernel);

/// The convolution that the CPU computes by Winograd. Fails for a kernel without that note.
llvm::FailureOr<WinogradConvolution> parseWinograd(plan::KernelOp kernel);

/// The gradient of a filter that the CPU computes so. Fails for a kernel without that note.
llvm::FailureOr<WinogradGradient> parseWinogradGradient(plan::KernelOp kernel);

/// What tiles are chosen by.
ContractionShape shapeOf(const LoopedContraction &contraction);
WinogradShape shapeOf(const WinogradConvolution &convolution);
WinogradShape shapeOf(const WinogradGradient &gradient); ///< Of the convolution.

/// The arguments of the epilogue's body: `sums` for the parts of the product, what `load` makes of the operands from Extra
/// on, and a constant for each result's accumulator, which an all-parallel body does not read.
llvm::SmallVector<mlir::Value> epilogueArguments(const Contraction &contraction, llvm::ArrayRef<mlir::Value> sums,
                                                 llvm::function_ref<mlir::Value(unsigned operand)> load,
                                                 llvm::function_ref<mlir::Value(mlir::TypedAttr)> constant);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONFORM_H
