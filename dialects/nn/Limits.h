// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the note of a size that must not exceed a limit.
// Why:   memory is planned for the largest size. If only the user knows that size (`--bound`), a run may exceed it, and
//        its outputs would lack elements.
// How:   an entry returns the size, as the model computes it, as a result without a name. Runs compare it with the
//        limit.

#ifndef NACRE_DIALECTS_NN_LIMITS_H
#define NACRE_DIALECTS_NN_LIMITS_H

#include "mlir/IR/Builders.h"

namespace nacre::nn {

/// Limit of a result that is an i64 scalar without a name: an array of the name of the model's tensor, and its largest
/// value. A run in which the result is larger fails. Outputs and storages of `plan` have the same note.
inline constexpr llvm::StringLiteral limitAttr = "nn.limit";

struct Limit {
  llvm::StringRef tensor;
  int64_t most;
};

inline mlir::ArrayAttr makeLimit(mlir::Builder &builder, const Limit &limit) {
  return builder.getArrayAttr({builder.getStringAttr(limit.tensor), builder.getI64IntegerAttr(limit.most)});
}

inline Limit readLimit(mlir::ArrayAttr note) {
  return {llvm::cast<mlir::StringAttr>(note[0]).getValue(), llvm::cast<mlir::IntegerAttr>(note[1]).getInt()};
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_LIMITS_H
