// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  anchors as `linalg` in the forms of docs/phases/kernels.md, by family: each function fills a kernel's body and
//        ends it.
// Why:   what an operator is in a kernel is said in one place, beside its family; forming kernels only looks it up.
// How:   functions and table are made of the operators' definitions (`isLowered`, `prologueOperand` in dialects/nn/NnOpBase.td). Which kind
//        of kernel an operator anchors is another of its facts. A function that is missing does not link.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// The most positions of a table that is stored as a weight: more than any image has, and few enough for any machine
/// that compiles.
constexpr int64_t maxTableEntries = int64_t(1) << 24;

/// How an operator anchors a kernel.
struct Lowering {
  llvm::StringLiteral op;
  mlir::LogicalResult (*lower)(KernelBody &body, mlir::Operation *op);
  int prologueOperand; ///< The operand that the kernel may compute while it reads it; -1 for none.
};
/// The row of `op`, or null.
const Lowering *findLowering(mlir::Operation *op);

// The functions, lower<Name>, in the files of their families.
#define ROW(OP, NAME, PROLOGUE) mlir::LogicalResult lower##NAME(KernelBody &body, nn::OP op);
NN_LOWERED_ROWS(ROW)
#undef ROW

/// Of both halves of a separable convolution, with what follows each (contractions/LowerConvolution.cpp).
mlir::LogicalResult lowerSeparable(KernelBody &body, nn::ConvOp depthwise, nn::ConvOp pointwise);

/// Of several operators that reduce or read the same rows (LowerRows.cpp).
mlir::LogicalResult lowerRows(KernelBody &body);

// Max pools and their gradients (LowerPoolCodes.cpp).
/// Lowers an unpool together with `image`, the reshape of its result to an image.
mlir::LogicalResult lowerImage(KernelBody &body, nn::UnpoolOp op, nn::ReshapeOp image);
/// Defines codes, members of the group, of `maxima`, tensors as they are computed with.
void defineCodes(KernelBody &body, nn::PoolCodeOp op, mlir::Value maxima);

// What is special in products (LowerContraction.cpp).
/// Of a product or of attention, whose elements are stored in the order of `written`.
mlir::LogicalResult lowerTransposed(KernelBody &body, mlir::Operation *product, nn::TransposeOp written);
/// Whether `op` reads its operands through transposes, and may write its result through one: products, and attention.
bool readsTransposes(mlir::Operation *op);
/// Whether it reads them so: also what a GPU moves by steps, such as the taps of a filter in reverse. The CPU packs those.
bool readsThroughTransposes(mlir::Operation *op);
/// Whether the rows of all batches of a product are rows of one matrix, for it and for the operators that follow it.
bool canCollapseRows(const OperatorGroup &group);

/// Defines what a member of the group that normalizes the last axis of a tensor outside makes (LowerRow.cpp).
void defineNormalized(KernelBody &body, nn::NormalizeOp op);

/// What a product reads: `source`, whose axis i is axis `axes[i]` of the operand. A transpose is read through.
struct StridedOperand {
  mlir::Value source;
  llvm::SmallVector<int64_t> axes;
};
StridedOperand readThroughTranspose(mlir::Value operand);
/// Whether only what reads through a transpose reads it: it is no kernel then.
bool isReadThrough(mlir::Operation *op);
/// The product, or attention, that is stored in the order of `op`, a transpose that keeps its columns last; null if it has
/// other uses.
mlir::Operation *getTransposedProduct(mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_LOWERING_H
