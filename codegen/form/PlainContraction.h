// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction before its weight has an encoding, and its form in each encoding.
// Why:   passes that choose an encoding ask here whether the weight can have it, and how the contraction then looks. No
//        kernel is changed to find out.
// How:   read once; the answers are plain functions of loops, strides and sizes.

#ifndef NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
#define NACRE_CODEGEN_FORM_PLAINCONTRACTION_H

#include "codegen/form/ContractionForm.h"

namespace nacre::codegen {

/// A loop of the kernel's multiply-add.
struct ProductLoop : ContractionLoop {
  bool parallel = false; ///< False for a loop that reduces.
  bool movesLhs = false, movesRhs = false;
};

/// A contraction whose loops are not sorted yet. Its columns are still one of `loops`.
struct PlainContraction : Contraction {
  llvm::SmallVector<ProductLoop, 0> loops; ///< Loops in the kernel's order.
  unsigned column = 0;                     ///< Index of the loop over columns.
  std::optional<unsigned> cutLoop;         ///< The loop that walks the cut axis; `nullopt` if several do.
  bool depthwise = false;                  ///< True if the columns move Lhs, too.

  llvm::SmallVector<int64_t> rhsShape; ///< Shape of the storage that Rhs is read from.
  llvm::SmallVector<WalkedAxis> rhsAxes, resultAxes;
};

/// Reads the body of `kernel`. A factor with an encoding is Rhs; the strides are those of the plain tensor.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel);
/// Reads a part of the body. Tensors that only this part has are arguments beyond the kernel's; they are left operands
/// or results.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel, std::shared_ptr<const KernelForm> form);

/// Returns the contraction with a row-major Rhs.
MatrixProduct asProduct(const PlainContraction &plain);
DepthwiseConvolution asDepthwise(const PlainContraction &plain);

/// True if rows and columns walk the operand, from Result on, as a whole argument of `kernel`. Then it may be in
/// panels.
bool isWalkedByRows(const PlainContraction &plain, plan::KernelOp kernel, unsigned operand);

/// Returns the contraction with operands from Result on in the panels that `kernel` states for their arguments. Fails
/// if an operand cannot be in panels, or if panels have several widths.
llvm::FailureOr<PlainContraction> withResultsInPanels(const PlainContraction &plain, plan::KernelOp kernel);

/// Returns the contraction with Rhs in panels of `width` columns of each part. Fails if it cannot be packed so. If
/// `depth.k` > 1, the steps of the innermost loop are groups of k. This fails unless that loop is one run of
/// `depth.run` steps of the left operand, or whole groups.
llvm::FailureOr<MatrixProduct> inPanels(const PlainContraction &plain, int64_t width, const DepthGroups &depth = {});

/// Returns the groups of `k` steps in runs of Lhs. A run is as many trailing depth steps, of whole axes of Rhs, as are
/// contiguous in Lhs. If several runs give the same panels, it is the shortest. Returns `nullopt` if Rhs cannot be
/// packed in groups.
std::optional<DepthGroups> depthGroupsOf(const PlainContraction &plain, int64_t k);

/// Returns the convolution in tiles of `tile` outputs along each dimension, with Rhs in panels of `width` columns and
/// groups of `k` steps. The types are bytes, f32 or, if `mayBeHalves`, f16. Fails if it is not a convolution of stride
/// 1 with known transforms, or if it is cut through its tiles. Whether sums of bytes are exact depends on the weight;
/// callers check that (compiler/encode/ExactTiles.h).
llvm::FailureOr<WinogradConvolution> byWinograd(const PlainContraction &plain, int64_t tile, int64_t width,
                                                bool mayBeHalves = false, int64_t k = 1);

/// Returns the gradient of a filter in tiles of the convolution's outputs. If `mayBeParts`, leading loops may divide it
/// into sums over some images or rows. Fails if the contraction is not such a gradient.
llvm::FailureOr<WinogradGradient> byWinogradGradient(const PlainContraction &plain, int64_t tile,
                                                     bool mayBeParts = false);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
