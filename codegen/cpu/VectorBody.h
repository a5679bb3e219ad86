// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the scalar body of a linalg.generic on vectors.
// Why:   epilogues of contractions, nests and rows all inline bodies in the same way.
// How:   each operation is emitted in turn. Operations on scalars stay scalar, so that a broadcast operand is computed
//        once. All others become the same operation on vectors, or the code that VectorMath has for it.

#ifndef NACRE_CODEGEN_CPU_VECTORBODY_H
#define NACRE_CODEGEN_CPU_VECTORBODY_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"

namespace nacre::codegen::cpu {

/// Facts about a body's operands that allow cheaper code.
struct BodyHints {
  bool negativeExponents = false; ///< True if operands of exponentials are never positive
  int64_t addedExponents = 1;     ///< Number of exponentials that are added up
  /// True if a maximum may lose a NaN, because its users read the NaN from the same operands
  bool nanReturns = false;
  /// True if results of 8 bits that are rounded or clamped may stay i32 in the same bounds, because the caller narrows
  /// them
  bool keepsWords = false;
};

/// Inlines `body`, for which canInline must hold, and returns its results. Each of `arguments` is a scalar or a vector
/// of `width` lanes. Results that depend on no vector are scalars. `known` maps values of the body that are already
/// computed to their results.
llvm::SmallVector<mlir::Value> inlineBody(VectorBuilder &builder, mlir::Block &body,
                                          llvm::ArrayRef<mlir::Value> arguments, unsigned width, BodyHints hints = {},
                                          llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> known = {});

/// Returns the result of `op`, an operation of arith or math, or one on scalars of plan except a lookup. Each of
/// `operands` is a scalar or a vector of `width` lanes. The result is a scalar if all operands are scalars.
mlir::Value inlineOperation(VectorBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                            unsigned width, BodyHints hints = {});

/// True if every exponential of `body` has the operand x - m, where m is an argument for which `isLargest` returns
/// true. As in a softmax, m must be at least x.
bool hasNegativeExponents(mlir::Block &body, llvm::function_ref<bool(unsigned)> isLargest);

/// Returns the size in bits of the widest type that `body` computes in vectors. It decides how many lanes fill a
/// register.
unsigned widestElementBits(mlir::Block &body);

/// Returns roughly the number of instructions of `body` for each element. A polynomial counts as twenty. So does a
/// table access, because it reads each lane separately.
unsigned bodyCost(mlir::Block &body);
unsigned operationCost(mlir::Operation &op);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBODY_H
