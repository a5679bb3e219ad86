// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  folds lanes, and several accumulators, of a reduction into one value.

#ifndef NACRE_CODEGEN_CPU_NEST_COMBINER_H
#define NACRE_CODEGEN_CPU_NEST_COMBINER_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/Reduction.h"
#include "mlir/IR/Block.h"
#include <optional>

namespace nacre::codegen::cpu {

struct Combiner : Reduction {
  bool nanReturns = false; ///< As in BodyHints.

  /// Of result `result` of a body whose accumulators are its last arguments.
  static std::optional<Combiner> find(mlir::Block &body, unsigned result);

  mlir::Value combine(VectorBuilder &builder, mlir::Value a, mlir::Value b) const;
  /// All lanes of `vector`, and `start` where it is not the identity, as one scalar.
  mlir::Value foldLanes(VectorBuilder &builder, mlir::Value vector, mlir::TypedAttr start) const;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_COMBINER_H
