// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products, as all contractions emit them: a fill with zero, and one generic that multiplies and adds.
// Products, attention and convolutions differ only in their loops and maps. A lowering numbers its loops, gives the
// maps of both factors and of the sum, and then ends the kernel or continues.

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

/// Returns the map from a product's loops to an operand. Axis i of the source is axis `axes[i]` of the operand, whose
/// last two axes are `row` and `column`. Its batch axes are the last of `batches`; axes of size 1 that broadcast stay
/// at 0.
mlir::AffineMap getProductMap(const Loops &loops, const StridedOperand &operand, llvm::ArrayRef<int64_t> sourceShape,
                              llvm::ArrayRef<mlir::AffineExpr> batches, llvm::ArrayRef<int64_t> batchSizes,
                              mlir::AffineExpr row, mlir::AffineExpr column);

/// Returns the map to a result whose axes are written in the order of `written`, which may be null.
mlir::AffineMap getResultMap(const Loops &loops, llvm::SmallVector<mlir::AffineExpr> axes, nn::TransposeOp written);

/// Lowers attention whose elements are stored in the order of `written`, which may be null.
mlir::LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written);

/// Emits `scalar`, a loaded element of `elementType`, in the type of a sum. Narrow integers are extended as signed or
/// unsigned.
mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, mlir::Type elementType,
                  mlir::Type sumType);

/// Returns the left operand of a product: an argument, or the tensor that members of the group compute.
mlir::Value readLeft(KernelBody &body, mlir::Value left);

/// Adds the products of two tensors, which hold the elements of `factors`, to a zeroed `destination`. Inputs after the
/// first two only give extents.
mlir::Value addProducts(KernelBody &body, mlir::Value destination, std::pair<mlir::Value, mlir::Value> factors,
                        mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                        llvm::ArrayRef<mlir::utils::IteratorType> iterators);

/// Ends the kernel with such a sum. The axes of `result` may be in another order.
mlir::LogicalResult finishContraction(KernelBody &body, mlir::Value result, std::pair<mlir::Value, mlir::Value> factors,
                                      mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                                      llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H
