// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers anchors to the forms of docs/phases/kernels.md, by family. Each function fills the body of a kernel and ends
// it. Only the family's file defines how an operator is computed. The code that forms kernels finds the function here.
//
// The functions and the table are generated from the definitions of operators (`isLowered` and `prologueOperand` in
// dialects/nn/NnOpBase.td), which also define the kind of kernel. A missing function is a linker error.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Limit of the entries of a table that is stored as a weight. No image has as many positions, and any machine that
/// compiles has enough memory.
constexpr int64_t maxTableEntries = int64_t(1) << 24;

/// Row of the table of lowerings.
struct Lowering {
  llvm::StringLiteral op;
  mlir::LogicalResult (*lower)(KernelBody &body, mlir::Operation *op);
  int prologueOperand; ///< Operand that the kernel may compute while it reads it, as an index; -1 if it may not.
};
/// Returns the row of `op`, or null.
const Lowering *findLowering(mlir::Operation *op);

// Declares lower<Name> for each operator. The definitions are in the files of the families.
#define ROW(OP, NAME, PROLOGUE) mlir::LogicalResult lower##NAME(KernelBody &body, nn::OP op);
NN_LOWERED_ROWS(ROW)
#undef ROW

/// Lowers both halves of a separable convolution with the epilogue of each (contractions/LowerConvolution.cpp).
mlir::LogicalResult lowerSeparable(KernelBody &body, nn::ConvOp depthwise, nn::ConvOp pointwise);

/// Lowers several operators that reduce or read the same rows (LowerRows.cpp).
mlir::LogicalResult lowerRows(KernelBody &body);

// Max pools and their gradients (LowerPoolCodes.cpp).
/// Lowers an unpool whose result `image` reshapes to an image, together with this reshape.
mlir::LogicalResult lowerImage(KernelBody &body, nn::UnpoolOp op, nn::ReshapeOp image);
/// Defines `op`, a member of the group, as the codes of `maxima`. `maxima` is a tensor in its compute type.
void defineCodes(KernelBody &body, nn::PoolCodeOp op, mlir::Value maxima);

// Transposes around products (LowerContraction.cpp).
/// Lowers a product or attention whose result is stored in the axis order of `written`.
mlir::LogicalResult lowerTransposed(KernelBody &body, mlir::Operation *product, nn::TransposeOp written);
/// True if `op`, a product or attention, reads operands through transposes and may write its result through one.
bool readsTransposes(mlir::Operation *op);
/// True if `op` reads operands through transposes. This includes strided slices that the CPU doesn't compute, such as
/// the reversed taps of a filter. The CPU repacks these operands instead.
bool readsThroughTransposes(mlir::Operation *op);
/// True if the rows of all batches are rows of one matrix, for the product and for the operators after it.
bool canCollapseRows(const OperatorGroup &group);

/// Defines a normalization of the last axis that is a member of the group (LowerRow.cpp).
void defineNormalized(KernelBody &body, nn::NormalizeOp op);

/// Source of an operand that may be transposed. Axis i of `source` is axis `axes[i]` of the operand.
struct StridedOperand {
  mlir::Value source;
  llvm::SmallVector<int64_t> axes;
};
StridedOperand readThroughTranspose(mlir::Value operand);
/// True if all readers of the transpose `op` read through it, so that it needs no kernel.
bool isReadThrough(mlir::Operation *op);
/// Returns the product or attention whose result is stored in the order of the transpose `op`. Returns null if there is
/// no such operator, if it has other uses, or if `op` moves the last axis.
mlir::Operation *getTransposedProduct(mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H
