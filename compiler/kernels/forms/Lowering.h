// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  anchors as `linalg` in the forms of docs/phases/kernels.md, by family: each function fills a kernel's body and
//        ends it.
// Why:   what an operator is in a kernel is said in one place, beside its family; forming kernels only dispatches.

#ifndef NACRE_COMPILER_KERNELS_FORMS_LOWERING_H
#define NACRE_COMPILER_KERNELS_FORMS_LOWERING_H

#include "compiler/kernels/forms/KernelBody.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// The most positions of a table that is stored as a weight: more than any image has, and few enough for any machine
/// that compiles.
constexpr int64_t maxTableEntries = int64_t(1) << 24;

// Contractions (LowerContraction.cpp).
/// With `written`, the product's elements are stored in that transpose's order.
mlir::LogicalResult lowerMatMul(KernelBody &body, nn::MatMulOp op, nn::TransposeOp written = {});
mlir::LogicalResult lowerConv(KernelBody &body, nn::ConvOp op);
/// Whether the rows of all batches of a product are rows of one matrix, for it and for the operators that follow it.
bool canCollapseRows(const OperatorGroup &group);

/// What a product reads: `source`, whose axis i is axis `axes[i]` of the operand. A transpose is read through.
struct StridedOperand {
  mlir::Value source;
  llvm::SmallVector<int64_t> axes;
};
StridedOperand readThroughTranspose(mlir::Value operand);
/// Whether products alone read a transpose: it is no kernel then.
bool isReadThrough(mlir::Operation *op);
/// The product that is stored in the order of `op`, a transpose that keeps its columns last; null if it has other uses.
nn::MatMulOp getTransposedProduct(mlir::Operation *op);

// Nests: reductions, windows, local response normalization, strided slices, pads (LowerNest.cpp).
mlir::LogicalResult lowerReduce(KernelBody &body, nn::ReduceOp op);
mlir::LogicalResult lowerPool(KernelBody &body, nn::PoolOp op);
mlir::LogicalResult lowerLrn(KernelBody &body, nn::LrnOp op);
mlir::LogicalResult lowerSlice(KernelBody &body, nn::SliceOp op);

// Rows (LowerRow.cpp).
mlir::LogicalResult lowerSoftmax(KernelBody &body, nn::SoftmaxOp op);
mlir::LogicalResult lowerNormalize(KernelBody &body, nn::NormalizeOp op);

// Data movement that cannot be a view, and indices (LowerIndexed.cpp).
mlir::LogicalResult lowerTranspose(KernelBody &body, nn::TransposeOp op);
mlir::LogicalResult lowerGather(KernelBody &body, nn::GatherOp op);
mlir::LogicalResult lowerResize(KernelBody &body, nn::ResizeOp op);
mlir::LogicalResult lowerPad(KernelBody &body, nn::PadOp op);
mlir::LogicalResult lowerArgReduce(KernelBody &body, nn::ArgReduceOp op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FORMS_LOWERING_H
