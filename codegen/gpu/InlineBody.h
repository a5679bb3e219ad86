// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inlines the scalar body of a linalg.generic, on scalars or on vectors of up to four lanes.
// Why:   epilogues of contractions, nests and rows all inline bodies in the same way.
// How:   operations are inlined one by one. An operation with only scalar operands stays scalar. Other operations
//        become operations on vectors. Operations that SPIR-V lacks are expanded.

#ifndef NACRE_CODEGEN_GPU_INLINEBODY_H
#define NACRE_CODEGEN_GPU_INLINEBODY_H

#include "codegen/Term.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

/// Terms for shaders. They avoid f64, because phones lack it or compute it very slowly.
struct ShaderTerms final : TermBuilder {
  ShaderTerms(mlir::OpBuilder &ops, mlir::Location loc) : TermBuilder(ops, loc, /*isShader=*/true) {}
};

/// True if inlineBody supports every operation of `body`, in types that SPIR-V has.
bool canInlineOnGpu(mlir::Block &body);

bool canInlineOnGpu(mlir::Operation &op); ///< Like the above, for one operation of arith or math.

/// Returns the result of `op` on `operands`, each of which is a scalar or a vector of `width` lanes. The result is a
/// scalar if all operands are scalars.
mlir::Value inlineOperation(TermBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width);

// Phones' SPIR-V has no bf16. In storages and between operations, a bf16 is an i16 with its bits.
mlir::Type storedType(mlir::Type element);
mlir::TypedAttr storedConstant(mlir::TypedAttr value);
/// Converts the bits of a bf16 to f32. `bits` may be a vector.
mlir::Value extendStoredBf16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits);

/// Inlines `body` and returns the values that it yields. canInlineOnGpu(body) must be true. Each argument is a scalar
/// or a vector of `width` lanes. Results that depend on no vector are scalars.
llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width);

/// Inlines only the operations of a body that `wanted` depends on, and returns the values of `wanted`. `values` maps
/// known values: arguments, or results of operations. This function adds the values that it computes.
llvm::SmallVector<mlir::Value> inlineValues(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange wanted,
                                            mlir::IRMapping &values, unsigned width);

/// Returns a vector with `value` in all `width` lanes. Returns `value` itself if it is a vector, or if `width` is 1.
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned width);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_INLINEBODY_H
