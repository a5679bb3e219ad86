// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/MadeOfConstants.h"

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

bool isMadeOfConstants(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && (mlir::isa<nn::ConstantOp>(op) ||
                (op->getNumOperands() != 0 && llvm::all_of(op->getOperands(), isMadeOfConstants)));
}

} // namespace nacre::kernels
