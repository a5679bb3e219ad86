// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the scalar body of a linalg.generic, computed on vectors.
// Why:   epilogues of contractions, nests and rows all inline bodies in the same way.
// How:   operation by operation. Operations on scalars stay scalar, so that a broadcast operand costs one computation.
//        Others become the same operation on vectors, or the one that VectorMath has for it.

#ifndef NACRE_CODEGEN_CPU_VECTORBODY_H
#define NACRE_CODEGEN_CPU_VECTORBODY_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"

namespace nacre::codegen::cpu {

/// Facts about a body's operands that make it cheaper.
struct BodyHints {
  bool negativeExponents = false; ///< True if exponentials never have positive operands
  int64_t addedExponents = 1;     ///< Number of these exponentials that are added up
  bool nanReturns = false;        ///< True if a maximum may lose a NaN, because its users read the NaN again
};

/// Inlines `body`, for which canInline must hold, and returns its results. Each of `arguments` is a scalar or a vector
/// of `width` lanes. Results that depend on no vector are scalars. `known` are values of the body that are already
/// computed.
llvm::SmallVector<mlir::Value> inlineBody(VectorBuilder &builder, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width, BodyHints hints = {},
                                          llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> known = {});

/// Returns the result of `op`, of arith or math, for `operands`, each a scalar or a vector of `width` lanes. It is a
/// scalar if all operands are.
mlir::Value inlineOperation(VectorBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width, BodyHints hints = {});

/// Returns the bits of the widest type in vectors of `body` on `target`, which decide how many lanes fill a register.
unsigned widestElementBits(mlir::Block &body, const Target &target);

/// Returns the instructions of `body` for each element, roughly. A polynomial counts twenty, and so does an element of
/// a table, which is read on its own.
unsigned bodyCost(mlir::Block &body);
unsigned operationCost(mlir::Operation &op);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBODY_H
