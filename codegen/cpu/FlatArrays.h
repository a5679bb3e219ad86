// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts accesses of flat arrays to the LLVM dialect.
//
// Upstream's patterns represent an array by a descriptor of five members, because arrays may have any shape. They build
// a descriptor for each access, and LLVM takes it apart again. If all arrays of a module have one dimension and no
// layout, a pointer is enough. This is so for all kernels except those of the fallback.

#ifndef NACRE_CODEGEN_CPU_FLATARRAYS_H
#define NACRE_CODEGEN_CPU_FLATARRAYS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nacre::codegen::cpu {

/// True if every value of an array type is flat, and patterns of populateFlatArrays convert all operations on arrays.
bool hasOnlyFlatArrays(mlir::ModuleOp module);

/// Lets `types` convert an array to a pointer, and adds patterns for the operations on such arrays.
void populateFlatArrays(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FLATARRAYS_H
