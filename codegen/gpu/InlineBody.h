// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inlines the scalar body of a linalg.generic, on scalars or on vectors of up to four lanes.
// Why:   epilogues of contractions, nests and rows all inline bodies in the same way.
// How:   operation by operation. An operation on scalars only stays scalar; the others become the same operation on
//        vectors. Operations that SPIR-V lacks are expanded.

#ifndef NACRE_CODEGEN_GPU_INLINEBODY_H
#define NACRE_CODEGEN_GPU_INLINEBODY_H

#include "codegen/Term.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

/// Terms for shaders, which avoid f64: phones lack it, or are very slow with it.
struct ShaderTerms final : TermBuilder {
  ShaderTerms(mlir::OpBuilder &ops, mlir::Location loc) : TermBuilder(ops, loc, /*isShader=*/true) {}
};

/// True if inlineBody supports every operation of `body`, in types that SPIR-V has.
bool canInlineOnGpu(mlir::Block &body);

bool canInlineOnGpu(mlir::Operation &op); ///< The same for one operation of arith or math.

/// Returns the result of `op` for `operands`, each a scalar or a vector of `width` lanes. The result is a scalar if all
/// operands are.
mlir::Value inlineOperation(TermBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width);

// The SPIR-V that phones run has no bf16. In storages, and between operations, a bf16 is an i16 of its bits.
mlir::Type storedType(mlir::Type element);
mlir::TypedAttr storedConstant(mlir::TypedAttr value);
/// Converts the bits of a bf16, or of a vector of them, to f32.
mlir::Value extendStoredBf16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits);

/// Inlines `body`, for which canInlineOnGpu holds, and returns the values it yields. Each argument is a scalar or a
/// vector of `width` lanes. Results that depend on no vector are scalars.
llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width);

/// Returns the values of `wanted` in such a body. `values` maps known values: arguments, or results of operations.
/// Values computed here are added to it.
llvm::SmallVector<mlir::Value> inlineValues(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange wanted,
                                            mlir::IRMapping &values, unsigned width);

/// Returns `value` in `width` lanes. Returns it unchanged if it is a vector, or if width is 1.
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned width);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_INLINEBODY_H
