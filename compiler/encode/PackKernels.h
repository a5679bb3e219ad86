// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels that put an array into panels, and contractions that read it there.
// Why:   a right operand that is no weight is then read as a weight is: same tiles, same division into units.

#ifndef NACRE_COMPILER_ENCODE_PACKKERNELS_H
#define NACRE_COMPILER_ENCODE_PACKKERNELS_H

#include "codegen/form/PlainContraction.h"
#include "compiler/encode/StridedReads.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::encode {

/// Of a contraction's right operand: the loops that read it, as the panels have them: outer ones, those of the reduction, and the
/// columns last.
struct RightLoops {
  llvm::SmallVector<unsigned> loops; ///< Numbers of the kernel's.
  StridedRead read;                  ///< Of the argument that it lies in.
};
RightLoops rightLoopsOf(const codegen::PlainContraction &plain);

/// A kernel that writes `packed`, in `encoding`, from an argument of type `source` in which element (i, j, ...) is where `map` says;
/// inserted at `builder`. How the source lies is to be said, too, if it is no plain array.
plan::KernelOp makePackKernel(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                              mlir::RankedTensorType source, mlir::AffineMap map, mlir::RankedTensorType packed,
                              plan::EncodingAttr encoding);

/// `read` as the map of an argument of `shape`; none where a loop carries from one axis into another.
std::optional<mlir::AffineMap> mapOf(mlir::MLIRContext *context, const StridedRead &read,
                                     llvm::ArrayRef<int64_t> shape);

/// A copy of `kernel` behind it, whose right operand is its last input, an array of the sizes of `right`'s loops. `isOldRead`: the
/// argument that it was is still an input, which something else reads.
struct RewiredKernel {
  plan::KernelOp kernel;
  bool isOldRead = false;
};
RewiredKernel readFromPacked(plan::KernelOp kernel, const codegen::PlainContraction &plain, const RightLoops &right,
                             mlir::RankedTensorType packed);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PACKKERNELS_H
