// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the scalar body of a linalg.generic, computed on vectors.
// Why:   epilogues of contractions, nests and rows all inline bodies; they do it here, in the same way.
// How:   operation by operation: what depends on scalars alone stays scalar (a broadcast operand costs one
//        computation), the rest becomes the same operation on vectors, or what VectorMath makes of it.

#ifndef NACRE_CODEGEN_CPU_VECTORBODY_H
#define NACRE_CODEGEN_CPU_VECTORBODY_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"

namespace nacre::codegen::cpu {

/// What is known about a body's operands, by which it becomes cheaper.
struct BodyHints {
  bool negativeExponents = false; ///< Exponentials never see positive operands,
  int64_t addedExponents = 1;     ///< and so many of them are added up.
  bool nanReturns = false;        ///< NaN may be lost in a maximum: whatever uses it meets the NaN again.
};

/// What `body`, which canInline, yields for `arguments`, each a scalar or a vector of `width` lanes. Results are
/// scalars where no vector went into them. `known`: values of the body that are computed already.
llvm::SmallVector<mlir::Value> inlineBody(VectorBuilder &builder, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width, BodyHints hints = {},
                                          llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> known = {});

/// The result of `op`, of arith or math, for `operands`, each a scalar or a vector of `width` lanes; a scalar where all
/// of them are.
mlir::Value inlineOperation(VectorBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width, BodyHints hints = {});

/// Bits of the widest type that `body` works in: how many lanes fill a register.
unsigned widestElementBits(mlir::Block &body);

/// Instructions of `body` per element, roughly: a polynomial counts twenty, and so does an element of a table, which is read alone.
unsigned bodyCost(mlir::Block &body);
unsigned operationCost(mlir::Operation &op);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBODY_H
