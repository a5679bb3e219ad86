// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the scalar body of a linalg.generic, computed on scalars or on vectors of up to four lanes.
// Why:   epilogues of contractions, nests and rows all inline bodies; they do it here, in the same way.
// How:   operation by operation: what depends on scalars alone stays scalar, the rest becomes the same operation on
//        vectors; what SPIR-V lacks is written out.

#ifndef NACRE_CODEGEN_GPU_INLINEBODY_H
#define NACRE_CODEGEN_GPU_INLINEBODY_H

#include "codegen/Term.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

/// On phones f64 is missing, or very slow.
struct ShaderTerms final : TermBuilder {
  ShaderTerms(mlir::OpBuilder &ops, mlir::Location loc) : TermBuilder(ops, loc, /*isShader=*/true) {}
};

/// Whether inlineBody knows every operation of `body`, in types that SPIR-V has.
bool canInlineOnGpu(mlir::Block &body);

bool canInlineOnGpu(mlir::Operation &op); ///< Of arith or math.

/// The value of `op` for `operands`, each a scalar or a vector of `width` lanes; a scalar where all of them are.
mlir::Value inlineOperation(TermBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width);

// SPIR-V that phones run has no bf16: in storages, and between operations, it is its bits, an i16.
mlir::Type storedType(mlir::Type element);
mlir::TypedAttr storedConstant(mlir::TypedAttr value);
/// As f32, of a bf16 that is so stored, or a vector of them.
mlir::Value extendStoredBf16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits);

/// What `body`, which canInlineOnGpu, yields for `arguments`, each a scalar or a vector of `width` lanes. Results are
/// scalars where no vector went into them.
llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width);

/// What `wanted`, values of such a body, are, where `values` says what some others are: arguments, or results of
/// operations. Adds what it computes.
llvm::SmallVector<mlir::Value> inlineValues(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange wanted,
                                            mlir::IRMapping &values, unsigned width);

/// `value` in `width` lanes; itself where it is a vector, or width is 1.
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned width);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_INLINEBODY_H
