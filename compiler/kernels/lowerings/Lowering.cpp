// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/Lowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::kernels {

const Lowering *findLowering(Operation *op) {
  static constexpr Lowering rows[] = {
#define ROW(OP, NAME, PROLOGUE)                                                                                        \
  {nn::OP::getOperationName(), [](KernelBody &body, Operation *op) { return lower##NAME(body, cast<nn::OP>(op)); },    \
   PROLOGUE},
      NN_LOWERED_ROWS(ROW)
#undef ROW
  };
  const Lowering *found =
      llvm::find_if(rows, [&](const Lowering &row) { return row.op == op->getName().getStringRef(); });
  return found == std::end(rows) ? nullptr : found;
}

} // namespace nacre::kernels
