// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction as its kernel says it, and what it is in each encoding of its weight.
// Why:   whoever chooses an encoding asks here whether the weight can have it, and what the contraction is then; no
//        kernel is changed to find out.
// How:   read once; the answers are plain functions of loops, strides and sizes.

#ifndef NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
#define NACRE_CODEGEN_FORM_PLAINCONTRACTION_H

#include "codegen/form/ContractionForm.h"

namespace nacre::codegen {

/// A loop of the kernel's multiply-add.
struct ProductLoop : ContractionLoop {
  bool parallel = false; ///< Else it reduces.
  bool movesLhs = false, movesRhs = false;
};

/// Its `columns` are one of the loops until it is sorted.
struct PlainContraction : Contraction {
  llvm::SmallVector<ProductLoop, 0> loops; ///< As the kernel has them.
  unsigned column = 0;                     ///< The loop over columns.
  std::optional<unsigned> cutLoop;         ///< The one that walks the cut axis; none where several do.
  bool depthwise = false;                  ///< The columns move Lhs too.

  llvm::SmallVector<int64_t> rhsShape; ///< Of the storage that Rhs is read from.
  llvm::SmallVector<WalkedAxis> rhsAxes, resultAxes;
};

/// Reads the body of `kernel`. What of the product's factors it says to be encoded is Rhs; how, is left out.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel);
/// The same of a part of the body. Tensors that only it has are arguments beyond the kernel's, as left operands or results.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel, std::shared_ptr<const KernelForm> form);

/// Rhs lies as the tensor says.
MatrixProduct asProduct(const PlainContraction &plain);
DepthwiseConvolution asDepthwise(const PlainContraction &plain);

/// Whether the operand, from Result on, is all of an argument of `kernel`, walked by rows and by the columns: then it may be in panels.
bool isWalkedByRows(const PlainContraction &plain, plan::KernelOp kernel, unsigned operand);

/// The same with operands from Result on in panels whose arguments `kernel` says to be so. Fails where one cannot be, or where they
/// are of several widths.
llvm::FailureOr<PlainContraction> withResultsInPanels(const PlainContraction &plain, plan::KernelOp kernel);

/// Rhs in panels of `width` columns, of each part. Fails where it cannot be packed so. With `depth.k` > 1 the steps of the
/// innermost loop are groups of k: that of a left operand whose runs are not `depth.run` steps long, or several of them, fails.
llvm::FailureOr<MatrixProduct> inPanels(const PlainContraction &plain, int64_t width, const DepthGroups &depth = {});

/// Runs of Lhs: as many trailing steps of the depth, of whole axes of Rhs, as lie one after another in it, in groups of `k`. Where
/// several runs give the same panels, the shortest. None where steps do not lie so.
std::optional<DepthGroups> depthGroupsOf(const PlainContraction &plain, int64_t k);

/// In tiles of `tile` outputs along each dimension, Rhs in panels of `width` columns, in groups of `k` steps. Fails for what is no
/// convolution of bytes, of f32, or where they may be, of halves, and stride 1 that there are transforms for, or is cut through its
/// tiles. Whether sums of bytes come out exact depends on the weight: the caller asks (compiler/encode/ExactTiles.h).
llvm::FailureOr<WinogradConvolution> byWinograd(const PlainContraction &plain, int64_t tile, int64_t width,
                                                bool mayBeHalves = false, int64_t k = 1);

/// The gradient of a filter, in such tiles of the convolution's outputs, or, where it may be, parts of it: sums over some of the images or
/// rows. Fails for all else.
llvm::FailureOr<WinogradGradient> byWinogradGradient(const PlainContraction &plain, int64_t tile,
                                                     bool mayBeParts = false);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
