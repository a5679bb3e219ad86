// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operation by which a reduction's body folds values into its accumulator.
// Why:   lanes, and several accumulators, can be folded in any order once the operation and its identity are known.
// How:   the yielded value is `op(accumulator, anything else)`.

#ifndef NACRE_CODEGEN_CPU_COMBINER_H
#define NACRE_CODEGEN_CPU_COMBINER_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"
#include <optional>

namespace nacre::codegen::cpu {

struct Combiner {
  mlir::Operation *op = nullptr;
  mlir::TypedAttr identity;
  bool nanReturns = false; ///< As in BodyHints.

  /// Of result `result` of a body whose accumulators are its last arguments.
  static std::optional<Combiner> find(mlir::Block &body, unsigned result);

  mlir::Value combine(VectorBuilder &builder, mlir::Value a, mlir::Value b) const;
  /// All lanes of `vector` as one scalar.
  mlir::Value combineLanes(VectorBuilder &builder, mlir::Value vector) const;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_COMBINER_H
