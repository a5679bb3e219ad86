// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a contraction before its weight has an encoding, and its form in each encoding.
// Why:   passes that choose an encoding ask here whether the weight can have it. They also get the
//        resulting form. No kernel has to be changed for this.
// How:   the kernel is read once. The answers are functions of loops, strides and sizes.

#ifndef NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
#define NACRE_CODEGEN_FORM_PLAINCONTRACTION_H

#include "codegen/form/ContractionForm.h"

namespace nacre::codegen {

/// A loop of the kernel's multiply-add.
struct ProductLoop : ContractionLoop {
  bool parallel = false; ///< False for a loop that reduces.
  bool movesLhs = false, movesRhs = false;
};

/// A contraction whose loops are not sorted yet. The loop over its columns is still in `loops`.
struct PlainContraction : Contraction {
  llvm::SmallVector<ProductLoop, 0> loops; ///< Loops in the kernel's order.
  unsigned column = 0;                     ///< Index of the loop over columns.
  /// Index of the loop that walks the cut axis; `nullopt` if several loops do.
  std::optional<unsigned> cutLoop;
  bool depthwise = false; ///< True if the columns also move Lhs.

  /// Returns the number of terms of a sum.
  int64_t depthSize() const;
  double multiplyAdds() const;

  llvm::SmallVector<int64_t> rhsShape; ///< Shape of the storage that Rhs is read from.
  llvm::SmallVector<WalkedAxis> rhsAxes, resultAxes;
};

/// Reads the body of `kernel`. A factor with an encoding becomes Rhs, with the strides of the plain tensor.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel);
/// Reads `form`, a part of the body of `kernel`. Tensors that exist only in this part get indices beyond the kernel's
/// arguments. They are left operands or results.
llvm::FailureOr<PlainContraction> readContraction(plan::KernelOp kernel, std::shared_ptr<const KernelForm> form);

/// Returns the contraction with a row-major Rhs.
MatrixProduct asProduct(const PlainContraction &plain);
DepthwiseConvolution asDepthwise(const PlainContraction &plain);

/// True if rows and columns walk `operand`, which is Result or a later one, as a whole argument of `kernel`. Such an
/// operand may be in panels.
bool isWalkedByRows(const PlainContraction &plain, plan::KernelOp kernel, unsigned operand);

/// Returns the contraction with the operands from Result on in the panels that `kernel` states for their arguments.
/// Fails if an operand cannot be in panels, or if panels have different widths.
llvm::FailureOr<PlainContraction> withResultsInPanels(const PlainContraction &plain, plan::KernelOp kernel);

/// Returns the contraction with Rhs in panels of `width` columns of each part. Fails if Rhs cannot be packed like this.
/// If `depth.k` > 1, the innermost loop iterates over groups of k steps. This fails if that loop is neither one run of
/// `depth.run` steps of the left operand nor a number of whole groups.
llvm::FailureOr<MatrixProduct> inPanels(const PlainContraction &plain, int64_t width, const DepthGroups &depth = {});

/// Returns the groups of `k` steps in runs of Lhs. A run consists of the trailing depth steps, of whole axes of Rhs,
/// that are contiguous in Lhs. If runs of several lengths give the same panels, the result has the shortest. Returns
/// `nullopt` if Rhs cannot be packed in groups.
std::optional<DepthGroups> depthGroupsOf(const PlainContraction &plain, int64_t k);

/// Returns the convolution in tiles of `tile` outputs along each dimension, with Rhs in panels of `width` columns and
/// groups of `k` steps. The element types are bytes, f32, f16 or bf16. Fails if it is not a convolution of stride 1
/// with known transforms, or if the cut divides tiles. Sums of bytes are only exact for some weights, which callers
/// check (compiler/encode/ExactTiles.h).
llvm::FailureOr<WinogradConvolution> byWinograd(const PlainContraction &plain, int64_t tile, int64_t width,
                                                int64_t k = 1);

/// Returns the gradient of a filter, computed in tiles of the convolution's outputs. If `mayBeParts`, the first loops
/// may divide it into sums over some of the images or rows. Fails if the contraction is not such a gradient.
llvm::FailureOr<WinogradGradient> byWinogradGradient(const PlainContraction &plain, int64_t tile,
                                                     bool mayBeParts = false);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_PLAINCONTRACTION_H
