// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates kernels that pack an array into panels, and contractions that read these panels.
// Why: a packed operand is then read in the same way as a packed weight, with the same tiles and the same division into
//      units.

#ifndef NACRE_COMPILER_ENCODE_PANELS_PACKKERNELS_H
#define NACRE_COMPILER_ENCODE_PANELS_PACKKERNELS_H

#include "codegen/form/PlainContraction.h"
#include "compiler/encode/panels/StridedReads.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::encode {

/// Loops that read a contraction's right operand, in the order of its panels: outer loops, then the loops of the
/// reduction, then the columns.
struct RightLoops {
  llvm::SmallVector<unsigned> loops; ///< Indices of these loops in the kernel.
  StridedRead read;                  ///< Offset and strides in the argument that holds the operand.
};
RightLoops rightLoopsOf(const codegen::PlainContraction &plain);

/// Inserts a kernel at `builder` that writes `packed`, in `encoding`, from an argument of type `source`. `map` maps
/// element (i, j, ...) to its position in the argument. The caller adds the encoding of `source` if it is not
/// row-major.
plan::KernelOp makePackKernel(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                              mlir::RankedTensorType source, mlir::AffineMap map, mlir::RankedTensorType packed,
                              plan::EncodingAttr encoding);

/// Returns `read` as an affine map into an argument of `shape`. Returns `nullopt` if a loop carries from one axis into
/// another.
std::optional<mlir::AffineMap> mapOf(mlir::MLIRContext *context, const StridedRead &read,
                                     llvm::ArrayRef<int64_t> shape);

/// Copy of a kernel whose right operand is its last input. This input is an array whose sizes are the sizes of the
/// loops of `right`. `isOldRead` is true if other work of the kernel reads the argument that held the operand, so that
/// it is still an input.
struct RewiredKernel {
  plan::KernelOp kernel;
  bool isOldRead = false;
};
RewiredKernel readFromPacked(plan::KernelOp kernel, const codegen::PlainContraction &plain, const RightLoops &right,
                             mlir::RankedTensorType packed);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELS_PACKKERNELS_H
