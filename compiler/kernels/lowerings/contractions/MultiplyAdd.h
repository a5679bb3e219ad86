// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sums of products, as all contractions write them: a fill with zero, and one generic that multiplies and adds.
// Why:   products, attention and convolutions differ in their loops and maps alone.
// How:   a lowering numbers its loops, says how it walks both factors and the sum, and ends the kernel with it or goes on.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/lowerings/Lowering.h"

namespace nacre::kernels {

/// The affine expressions of a contraction: loops are numbered as they are asked for.
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

/// A map of a product's loops to an operand: axis i of what is read is axis axes[i] of the operand, whose last two axes are `row` and
/// `column`. The operand's batch axes are the last of `batches`; axes of size one that broadcast stay at 0.
mlir::AffineMap getProductMap(const Loops &loops, const StridedOperand &operand, llvm::ArrayRef<int64_t> sourceShape,
                              llvm::ArrayRef<mlir::AffineExpr> batches, llvm::ArrayRef<int64_t> batchSizes,
                              mlir::AffineExpr row, mlir::AffineExpr column);

/// The axes of a result, in the order in which it is written; `written` may be null.
mlir::AffineMap getResultMap(const Loops &loops, llvm::SmallVector<mlir::AffineExpr> axes, nn::TransposeOp written);

/// Attention whose elements are stored in the order of `written`, which may be null.
mlir::LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written);

/// `scalar`, an element of a tensor of `elementType` as it was loaded, in the type of a sum: narrow integers are widened by their own sign.
mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, mlir::Type elementType,
                  mlir::Type sumType);

/// The left operand of a product, which members of the group may make.
mlir::Value readLeft(KernelBody &body, mlir::Value left);

/// The sum of products of two tensors, which hold the elements of `factors`, added up in `destination`. Further inputs only give
/// sizes.
mlir::Value addProducts(KernelBody &body, mlir::Value destination, std::pair<mlir::Value, mlir::Value> factors,
                        mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                        llvm::ArrayRef<mlir::utils::IteratorType> iterators);

/// Ends the kernel with such a sum. `result` may be the sum in another order.
mlir::LogicalResult finishContraction(KernelBody &body, mlir::Value result, std::pair<mlir::Value, mlir::Value> factors,
                                      mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                                      llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_MULTIPLYADD_H
