// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  combines the lanes and the accumulators of a reduction into one value.

#ifndef NACRE_CODEGEN_CPU_COMBINER_H
#define NACRE_CODEGEN_CPU_COMBINER_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/Reduction.h"
#include "mlir/IR/Block.h"
#include <optional>

namespace nacre::codegen::cpu {

struct Combiner : Reduction {
  bool nanReturns = false; ///< True if a maximum may lose a NaN (see BodyHints)

  /// Finds the combiner of the result with index `result`. The accumulators must be the last arguments of `body`.
  /// `nullopt` if the body has no known reduction.
  static std::optional<Combiner> find(mlir::Block &body, unsigned result);

  mlir::Value combine(VectorBuilder &builder, mlir::Value a, mlir::Value b) const;
  /// Combines all lanes of `vector` into one scalar. Also combines `start`, unless it is the reduction's identity.
  mlir::Value foldLanes(VectorBuilder &builder, mlir::Value vector, mlir::TypedAttr start) const;
};

/// Emits `for (at = 0; at < high; at += step)` around `body`. Each iteration reduces `timesPerIteration` values into
/// each of `carried`, by the combiner of the same index. Long sums are added up in blocks that begin at zero. Rounding
/// errors then grow with the length of a block plus the number of blocks, not with their product.
llvm::SmallVector<mlir::Value> reduceInLoop(VectorBuilder &builder, int64_t high, int64_t step,
                                            int64_t timesPerIteration, mlir::ValueRange carried,
                                            llvm::ArrayRef<Combiner> combiners, VectorBuilder::Body body);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_COMBINER_H
