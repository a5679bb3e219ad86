// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits sums of products for all contractions: a fill with zero, and one generic that multiplies and adds. Products,
// attention and convolutions differ only in their loops and maps. A lowering adds its loops and gives the maps of both
// factors and of the sum. Then it ends the kernel or adds more work.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/lowerings/Lowering.h"

namespace nacre::kernels {

/// Affine expressions of a contraction. Loops are numbered in the order in which they are added.
struct Loops {
  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;

  mlir::AffineExpr add(mlir::utils::IteratorType type) {
    iterators.push_back(type);
    return mlir::getAffineDimExpr(iterators.size() - 1, context);
  }
  llvm::SmallVector<mlir::AffineExpr> add(mlir::utils::IteratorType type, size_t count) {
    llvm::SmallVector<mlir::AffineExpr> dims;
    for (size_t i = 0; i < count; ++i)
      dims.push_back(add(type));
    return dims;
  }
  mlir::AffineMap map(llvm::ArrayRef<mlir::AffineExpr> results) const {
    return mlir::AffineMap::get(iterators.size(), 0, results, context);
  }
};

/// Returns the map from a product's loops to an operand. Axis i of the source is axis `axes[i]` of the operand. The
/// last two axes of the operand are `row` and `column`. Its batch axes correspond to the last of `batches`. Batch axes
/// of size 1 are broadcast, so their index is always 0.
mlir::AffineMap getProductMap(const Loops &loops, const StridedOperand &operand, llvm::ArrayRef<int64_t> sourceShape,
                              llvm::ArrayRef<mlir::AffineExpr> batches, llvm::ArrayRef<int64_t> batchSizes,
                              mlir::AffineExpr row, mlir::AffineExpr column);

/// Returns the map from loops to a result. The result is stored in the axis order of `written`, unless it is null.
mlir::AffineMap getResultMap(const Loops &loops, llvm::ArrayRef<mlir::AffineExpr> axes, nn::TransposeOp written);

/// Lowers attention. The result is stored in the axis order of `written`, unless it is null.
mlir::LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written);

/// Emits the conversion of `scalar`, a loaded element of `elementType`, to the type of a sum. Narrow integers are
/// sign-extended or zero-extended, depending on `elementType`.
mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, mlir::Type elementType,
                  mlir::Type sumType);

/// Returns the left operand of a product: an argument, or a tensor that members of the group compute.
mlir::Value readLeft(KernelBody &body, mlir::Value left);

/// Adds the products of two tensors, which hold the elements of `factors`, to `destination`, which is filled with zero
/// first. Inputs after the first two only define the extents of loops.
mlir::Value addProducts(KernelBody &body, mlir::Value destination, std::pair<mlir::Value, mlir::Value> factors,
                        mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                        llvm::ArrayRef<mlir::utils::IteratorType> iterators);

/// Ends the kernel with a sum from addProducts(). The axes of `result` may be in another order.
mlir::LogicalResult finishContraction(KernelBody &body, mlir::Value result, std::pair<mlir::Value, mlir::Value> factors,
                                      mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                                      llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H
